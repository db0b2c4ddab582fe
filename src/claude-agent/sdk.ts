import { MissingPeerError } from '../error/index.ts';
import type { ClaudeSpawnedProcess, ClaudeSpawnRequest } from './spawn.ts';

/** A message to the model. */
export interface ClaudeUserMessage {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: readonly object[] };
  readonly parent_tool_use_id: null;
}

/** What a permission is asked for. */
export interface ClaudePermissionContext {
  /** A path outside of the working directory, which made it ask. */
  readonly blockedPath?: string;
}

/** The answer to a question for permission. */
export type ClaudePermission =
  | { readonly behavior: 'allow'; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: 'deny'; readonly message: string };

/** What a run of Claude Code is begun with: the options of the SDK that are used. */
export interface ClaudeQueryOptions {
  readonly abortController: AbortController;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly effort?: string;
  readonly systemPrompt: string;
  /** Built-in tools; none when it is empty. */
  readonly tools: readonly string[];
  readonly allowedTools: readonly string[];
  readonly canUseTool?: (
    toolName: string,
    input: Readonly<Record<string, unknown>>,
    context: ClaudePermissionContext,
  ) => Promise<ClaudePermission>;
  readonly permissionMode: 'default';
  readonly settingSources: readonly never[];
  readonly strictMcpConfig: true;
  /** `instance` is a server of `@modelcontextprotocol/server`. */
  readonly mcpServers: Readonly<
    Record<string, { readonly type: 'sdk'; readonly name: string; readonly instance: unknown }>
  >;
  readonly includePartialMessages: true;
  readonly persistSession: false;
  readonly outputFormat?: { readonly type: 'json_schema'; readonly schema: object };
  readonly pathToClaudeCodeExecutable?: string;
  readonly spawnClaudeCodeProcess: (request: ClaudeSpawnRequest) => ClaudeSpawnedProcess;
}

/**
 * The part of the package `@anthropic-ai/claude-agent-sdk` that the adapter uses. The package fits, and so does an object of your own, for example for a test. The
 * messages are those of the SDK; what is unknown in them is passed over.
 */
export interface ClaudeAgentSdk {
  query(request: {
    readonly prompt: AsyncIterable<ClaudeUserMessage>;
    readonly options: ClaudeQueryOptions;
  }): AsyncIterable<unknown>;
}

/** The range of versions of the package. */
const range = '^0.3';

/**
 * Loads the package `@anthropic-ai/claude-agent-sdk`.
 *
 * @throws {MissingPeerError} when it cannot be loaded; the reason is the cause.
 */
export async function loadClaudeAgentSdk(
  load: () => Promise<unknown> = () => import(packageName),
): Promise<ClaudeAgentSdk> {
  const loaded = await load().catch((cause: unknown) => {
    throw missing('could not be loaded', cause);
  });
  if (!isSdk(loaded)) throw missing('has no function query', undefined);
  return loaded;
}

/** Its types are not needed to compile this package, which may be installed without it. */
const packageName: string = '@anthropic-ai/claude-agent-sdk';

function isSdk(loaded: unknown): loaded is ClaudeAgentSdk {
  return (
    typeof loaded === 'object' && loaded !== null && 'query' in loaded && typeof loaded.query === 'function'
  );
}

function missing(what: string, cause: unknown): MissingPeerError {
  return new MissingPeerError(
    `The package "${packageName}" ${what}. Install it with "npm install ${packageName}" (version ${range}), or pass the option sdk.`,
    { cause, details: { package: packageName, range } },
  );
}
