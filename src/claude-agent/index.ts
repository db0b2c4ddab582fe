export { type ClaudeAgentOptions, claudeAgent } from './claude-agent.ts';
export type {
  ClaudeAgentSdk,
  ClaudeHookAnswer,
  ClaudeQueryOptions,
  ClaudeToolHook,
  ClaudeUserMessage,
} from './sdk.ts';
export type { ClaudeSpawnedProcess, ClaudeSpawnRequest } from './spawn.ts';
