import { assertOptions, type OptionsOf, PromptValidationError } from '../../../core/error/index.ts';
import { toolRuntimeChecks } from '../../../core/evaluation/index.ts';
import { isSuspension } from '../../../core/runtime/index.ts';
import type { McpHttpSessionLimits, McpServerOptions } from './server-options.ts';
import type { McpHttpTransport, McpStdioTransport } from './transports.ts';

const serverChecks = {
  ...toolRuntimeChecks,
  approve: 'any',
  structured: 'any',
  name: 'string!',
  version: 'string!',
  instructions: 'string',
  approvalTimeoutMs: 'number',
  openSession: 'function',
} as const;

const openChecks = {
  ...serverChecks,
  sessionIdleTimeoutMs: 'number',
  maxSessions: 'number',
  transport: 'object!',
} satisfies OptionsOf<McpServerOptions & McpHttpSessionLimits & { readonly transport: object }>;

const stdioChecks: OptionsOf<McpStdioTransport> = { kind: 'string', input: 'object', output: 'object' };
const httpChecks: OptionsOf<McpHttpTransport> = {
  kind: 'string',
  port: 'number',
  token: 'any',
  path: 'string',
  maxRequestBytes: 'number',
};

/** @throws {PromptValidationError} for an option that does not exist, is of the wrong kind or out of its range. The limits of the runtime are checked when it is opened. */
export function checkServerOptions(of: string, options: McpServerOptions): void {
  assertOptions(of, options, serverChecks);
  checkValues(of, options);
}

/** @throws {PromptValidationError} as {@link checkServerOptions}, and for a transport that cannot be used. */
export function checkOpenOptions(
  options: McpServerOptions &
    McpHttpSessionLimits & { readonly transport: McpStdioTransport | McpHttpTransport },
): void {
  const of = 'openMcpServer()';
  assertOptions(of, options, openChecks);
  checkValues(of, options);
  checkLeast(of, 'sessionIdleTimeoutMs', options.sessionIdleTimeoutMs);
  checkLeast(of, 'maxSessions', options.maxSessions);
  const { transport } = options;
  const within = { path: 'transport' };
  switch (transport.kind) {
    case 'stdio':
      assertOptions(of, transport, stdioChecks, within);
      break;
    case 'http':
      assertOptions(of, transport, httpChecks, within);
      break;
    default:
      throw refused(of, 'transport.kind', '"stdio" or "http"');
  }
}

function checkValues(of: string, { approve, approvalTimeoutMs, structured }: McpServerOptions): void {
  checkLeast(of, 'approvalTimeoutMs', approvalTimeoutMs);
  const isApprover = typeof approve === 'function' || isSuspension(approve);
  if (approve !== undefined && approve !== 'elicit' && !isApprover)
    throw refused(of, 'approve', 'a function, suspendApproval() or "elicit"');
  if (structured !== undefined && typeof structured !== 'boolean' && typeof structured !== 'function')
    throw refused(of, 'structured', 'true, false or a function');
}

/** NaN is not at least 1 either. */
function checkLeast(of: string, option: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 1)) throw refused(of, option, 'at least 1');
}

const refused = (of: string, option: string, expected: string): PromptValidationError =>
  new PromptValidationError(`${of}: ${option} must be ${expected}.`, { details: { option, expected } });
