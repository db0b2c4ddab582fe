import {
  assertOptions,
  integer,
  matching,
  type OptionsOf,
  PromptValidationError,
  rule,
} from '../../../core/error/index.ts';
import { toolRuntimeChecks } from '../../../core/evaluation/index.ts';
import { isSuspension } from '../../../core/runtime/index.ts';
import type {
  McpHttpSessionLimits,
  McpHttpTransport,
  McpServerOptions,
  McpStdioTransport,
} from './server-options.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';

const serverChecks = {
  ...toolRuntimeChecks,
  approve: rule(
    (approve) => isFunction(approve) || approve === 'elicit' || isSuspension(approve),
    'a function, suspendApproval() or "elicit"',
  ),
  structured: rule(
    (structured) => isFunction(structured) || typeof structured === 'boolean',
    'true, false or a function',
  ),
  name: 'string!',
  version: 'string!',
  instructions: 'string',
  openSession: 'function',
} as const;

const openChecks = {
  ...serverChecks,
  maxSessions: integer({ min: 1, orInfinity: true }),
  transport: 'object!',
} satisfies OptionsOf<McpServerOptions & McpHttpSessionLimits & { readonly transport: object }>;

const stdioChecks: OptionsOf<McpStdioTransport> = { kind: 'string', input: 'object', output: 'object' };
const httpChecks: OptionsOf<McpHttpTransport> = {
  kind: 'string',
  port: integer({ min: 0, max: 65_535 }),
  token: rule(areTokens, 'at least 16 characters of A-Za-z0-9_-, or a list of such texts'),
  path: matching(/^\/[A-Za-z0-9_/-]*[A-Za-z0-9_-]$/, 'a path such as "/mcp"'),
};

function areTokens(given: unknown): boolean {
  const tokens: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isToken = (token: unknown): boolean =>
    typeof token === 'string' && /^[A-Za-z0-9_-]{16,}$/.test(token);
  return tokens.length > 0 && tokens.every(isToken);
}

/** @throws {PromptValidationError} for an option that does not exist, is of the wrong kind or out of its range. The limits of the runtime are checked when it is opened. */
export function checkServerOptions(of: string, options: McpServerOptions): void {
  assertOptions(of, options, serverChecks);
}

/** @throws {PromptValidationError} as {@link checkServerOptions}, and for a transport that cannot be used. */
export function checkOpenOptions(
  options: McpServerOptions &
    McpHttpSessionLimits & { readonly transport: McpStdioTransport | McpHttpTransport },
): void {
  const of = 'openMcpServer()';
  assertOptions(of, options, openChecks);
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
      throw new PromptValidationError(`${of}: transport.kind must be "stdio" or "http".`, {
        details: { option: 'transport.kind' },
      });
  }
}
