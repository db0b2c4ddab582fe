import { missingPeer, type PeerPackage } from '../../core/error/index.ts';
import type { ClaudeSpawnedProcess, ClaudeSpawnRequest } from './spawn.ts';

/** A message to the model. */
export interface ClaudeUserMessage {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: readonly object[] };
  readonly parent_tool_use_id: null;
}

/** What a hook before a call of a tool answers; empty: it has nothing to say. */
export interface ClaudeHookAnswer {
  readonly hookSpecificOutput?: {
    readonly hookEventName: 'PreToolUse';
    readonly permissionDecision: 'allow' | 'deny';
    readonly permissionDecisionReason: string;
  };
}

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
  readonly hooks: {
    readonly PreToolUse: readonly [
      {
        /** Is asked before each call of a tool. */
        readonly hooks: readonly [
          (call: {
            readonly tool_name: string;
            readonly tool_input: unknown;
          }) => Promise<{ [Name in keyof ClaudeHookAnswer]: ClaudeHookAnswer[Name] }>,
        ];
      },
    ];
  };
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
  /** Starts the program of Claude Code. */
  readonly spawnClaudeCodeProcess: (
    request: { [Name in keyof ClaudeSpawnRequest]: ClaudeSpawnRequest[Name] },
  ) => { [Name in keyof ClaudeSpawnedProcess]: ClaudeSpawnedProcess[Name] };
}

/** Is asked before each call of a tool. */
export type ClaudeToolHook = ClaudeQueryOptions['hooks']['PreToolUse'][0]['hooks'][0];

/**
 * The part of the package `@anthropic-ai/claude-agent-sdk` that the adapter uses. The package fits, and so does an object of your own, for example for a test. The
 * messages are those of the SDK; what is unknown in them is passed over.
 */
export interface ClaudeAgentSdk {
  /** Begins a run; its messages arrive while it continues. */
  query(request: {
    readonly prompt: AsyncIterable<{ [Name in keyof ClaudeUserMessage]: ClaudeUserMessage[Name] }>;
    readonly options: { [Name in keyof ClaudeQueryOptions]: ClaudeQueryOptions[Name] };
  }): AsyncIterable<unknown>;
}

/** What is installed for it. Its types are not needed to compile this package, which may be installed without it. */
const peer: PeerPackage = {
  name: '@anthropic-ai/claude-agent-sdk',
  versions: '^0.3',
  range: '^0.3',
  orElse: 'pass the option sdk',
};

/**
 * Loads the package `@anthropic-ai/claude-agent-sdk`.
 *
 * @throws {MissingPeerError} when it cannot be loaded; the reason is the cause.
 */
export async function loadClaudeAgentSdk(
  load: () => Promise<unknown> = () => import(peer.name),
): Promise<ClaudeAgentSdk> {
  const loaded = await load().catch((cause: unknown) => {
    throw missingPeer(peer, cause);
  });
  if (!isSdk(loaded)) throw missingPeer(peer, undefined, 'has no function query');
  return loaded;
}

function isSdk(loaded: unknown): loaded is ClaudeAgentSdk {
  return (
    typeof loaded === 'object' && loaded !== null && 'query' in loaded && typeof loaded.query === 'function'
  );
}
