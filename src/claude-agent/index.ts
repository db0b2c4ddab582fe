export { type ClaudeAgentOptions, claudeAgent } from './claude-agent.ts';
export type {
  ClaudeAgentSdk,
  ClaudePermission,
  ClaudePermissionContext,
  ClaudeQueryOptions,
  ClaudeUserMessage,
} from './sdk.ts';
export type { ClaudeSpawnedProcess, ClaudeSpawnRequest } from './spawn.ts';
