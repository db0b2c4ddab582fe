import { assertOptions, PromptValidationError } from '../../error/index.ts';
import type { McpServerOptions } from './server-options.ts';

/** @throws {PromptValidationError} for an option of the wrong kind. The options of the runtime are checked when it is opened. */
export function checkServerOptions(of: string, options: McpServerOptions): void {
  assertOptions(of, options, {
    name: 'string!',
    version: 'string!',
    instructions: 'string',
    approvalTimeoutMs: 'number',
    openSession: 'function',
  });
  const { approve, structured } = options;
  if (approve !== undefined && approve !== 'elicit' && typeof approve !== 'function')
    throw refused(of, 'approve', 'a function or "elicit"');
  if (structured !== undefined && typeof structured !== 'boolean' && typeof structured !== 'function')
    throw refused(of, 'structured', 'true, false or a function');
}

const refused = (of: string, option: string, expected: string): PromptValidationError =>
  new PromptValidationError(`${of}: ${option} must be ${expected}.`, { details: { option, expected } });
