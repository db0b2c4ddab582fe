export { type ClaudeAgentOptions, claudeAgent } from './claude-agent.ts';
export type { ClaudeAgentSdk } from './sdk.ts';
