export { type ClaudeAgentOptions, claudeAgent } from '../harness/claude-agent/claude-agent.ts';
export type { ClaudeAgentSdk } from '../harness/claude-agent/sdk.ts';
