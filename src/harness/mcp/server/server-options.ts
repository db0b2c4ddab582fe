import type { Readable, Writable } from 'node:stream';
import {
  assertOptions,
  integer,
  matching,
  type OptionsOf,
  PromptValidationError,
  rule,
} from '../../../core/error/index.ts';
import { type ToolRuntimeOptions, toolRuntimeChecks } from '../../../core/evaluation/index.ts';
import { type Approver, isSuspension } from '../../../core/runtime/index.ts';
import type { Session } from '../../../core/session/index.ts';

/** Whether results carry the value of a success as `structuredContent`, for all tools or for some. */
export type StructuredResults = boolean | ((toolName: string) => boolean);

/** What one session of a server has of its own, over the options of the server. */
export interface McpSessionOptions
  extends Pick<ToolRuntimeOptions, 'session' | 'journal' | 'runId' | 'observers'> {
  /** Is disposed with the session of the server. Default: a new one. */
  readonly session?: Session;
}

/** How the tools of a prompt are served. What it shares with a tool runtime means the same. */
export interface McpServerOptions extends Omit<ToolRuntimeOptions, 'approve' | 'name'> {
  /** The name that clients show, such as `review`. */
  readonly name: string;
  /** The version that clients show, such as `1.0.0`. */
  readonly version: string;
  /** What the client gets as the instructions of the server. Default: the rendered prompt. */
  readonly instructions?: string;
  /**
   * Whether a success carries its value as `structuredContent`, under an `outputSchema`: for all tools, or for those for which a function returns true; it must
   * not throw. Only for tools with an output schema of type `object`. Default: false, because several clients give the model that value in the place of the text that
   * the tool renders.
   */
  readonly structured?: StructuredResults;
  /**
   * Decides the requests for approval of policies: a function of the server's program; `suspendApproval()`, with a journal, which keeps them for an answer from outside, such as that of
   * `wink approvals`; or `'elicit'`, which asks the client. A client may answer by itself instead of asking a person, so with `'elicit'` a policy is as strict as the client. A question that is not
   * answered within ten minutes counts as a no. Default: all are denied.
   */
  readonly approve?: Approver | 'elicit';
  /**
   * Asks the user for a handler that calls `context.askUser()`. Default: the client that made the call is asked, when it shows forms (elicitation), whatever `approve` is. It may
   * answer by itself instead of asking a person. A question that is not answered within ten minutes has no answer.
   */
  readonly askUser?: NonNullable<ToolRuntimeOptions['askUser']>;
  /**
   * Whether the files that the tools work on are offered as resources, `workspace:///` and their path. A read is a call of `read_file`, a page of the list one of `glob`: under their policies, and only where the
   * prompt has these tools. Default: false.
   */
  readonly resources?: boolean;
  /** Whether the sections with params are offered as prompts, which people choose in their client and fill in. Default: false. */
  readonly prompts?: boolean;
  /**
   * Called when a session is opened, for what it has of its own: a prepared session, a name in the journal. May throw or reject: the session is
   * not opened, and the client gets the message of a `WinkError`. Default: nothing.
   */
  readonly openSession?: () => McpSessionOptions | Promise<McpSessionOptions>;
}

/** Options of a server that several sessions are opened for. */
export interface McpHttpSessionLimits {
  /** Sessions that there may be at a time, from 1; further clients are refused. Default 64. */
  readonly maxSessions?: number;
}

/** The server is the child of its client, which writes requests to its standard input. */
export interface McpStdioTransport {
  readonly kind: 'stdio';
  /** Default: the standard input of the process. */
  readonly input?: Readable;
  /** Default: the standard output of the process. Nothing else may be written to it. */
  readonly output?: Writable;
}

/** How a server is reached over HTTP: on 127.0.0.1 only. */
export interface McpHttpTransport {
  readonly kind: 'http';
  /** From 0 to 65535; 0 takes a free one. Default 0. */
  readonly port?: number;
  /**
   * What clients have to send, as `Authorization: Bearer TOKEN` or at the end of the address. Of clients of the revision 2026-07-28, which have no sessions of
   * their own, those with the same token share one session. Each has at least 16 characters of `A-Za-z0-9_-`, and differs from the others. Default: one of 256 random bits.
   */
  readonly token?: string | readonly string[];
  /** Default `/mcp`. */
  readonly path?: string;
}

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
  resources: 'boolean',
  prompts: 'boolean',
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
  token: rule(areTokens, 'at least 16 characters of A-Za-z0-9_-, or a list of such texts, each of them once'),
  path: matching(/^\/[A-Za-z0-9_/-]*[A-Za-z0-9_-]$/, 'a path such as "/mcp"'),
};

function areTokens(given: unknown): boolean {
  const tokens: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isToken = (token: unknown): boolean =>
    typeof token === 'string' && /^[A-Za-z0-9_-]{16,}$/.test(token);
  return tokens.length > 0 && tokens.every(isToken) && new Set(tokens).size === tokens.length;
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
