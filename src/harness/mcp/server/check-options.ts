import { assertOptions, PromptValidationError } from '../../../core/error/index.ts';
import { toolRuntimeChecks } from '../../../core/evaluation/index.ts';
import { isSuspension } from '../../../core/runtime/index.ts';
import type { McpHttpSessionLimits, McpServerOptions } from './server-options.ts';

/** @throws {PromptValidationError} for an option of the wrong kind or out of its range. The options of the runtime are checked when it is opened. */
export function checkServerOptions(of: string, options: McpServerOptions): void {
  assertOptions(of, options, {
    ...toolRuntimeChecks,
    approve: 'any',
    structured: 'any',
    name: 'string!',
    version: 'string!',
    instructions: 'string',
    approvalTimeoutMs: 'number',
    openSession: 'function',
  });
  const { approve, approvalTimeoutMs, structured } = options;
  checkLeast(of, 'approvalTimeoutMs', approvalTimeoutMs);
  const isApprover = typeof approve === 'function' || isSuspension(approve);
  if (approve !== undefined && approve !== 'elicit' && !isApprover)
    throw refused(of, 'approve', 'a function, suspendApproval() or "elicit"');
  if (structured !== undefined && typeof structured !== 'boolean' && typeof structured !== 'function')
    throw refused(of, 'structured', 'true, false or a function');
}

/** @throws {PromptValidationError} for an option of the wrong kind or out of its range. */
export function checkSessionsOptions(
  of: string,
  options: { readonly [Name in keyof McpHttpSessionLimits]: McpHttpSessionLimits[Name] | undefined },
): void {
  assertOptions(of, options, { sessionIdleTimeoutMs: 'number', maxSessions: 'number' });
  checkLeast(of, 'sessionIdleTimeoutMs', options.sessionIdleTimeoutMs);
  checkLeast(of, 'maxSessions', options.maxSessions);
}

/** NaN is not at least 1 either. */
function checkLeast(of: string, option: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 1)) throw refused(of, option, 'at least 1');
}

const refused = (of: string, option: string, expected: string): PromptValidationError =>
  new PromptValidationError(`${of}: ${option} must be ${expected}.`, { details: { option, expected } });
