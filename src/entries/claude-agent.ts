/**
 * An adapter for Claude Code.
 *
 * Runs in Node; needs `@anthropic-ai/claude-agent-sdk` and `@modelcontextprotocol/server`.
 *
 * @module weakincentives/claude-agent
 */

export { type ClaudeAgentOptions, claudeAgent } from '../harness/claude-agent/claude-agent.ts';
export type { ClaudeAgentSdk } from '../harness/claude-agent/sdk.ts';
