export { type AgentToolOptions, agentTool } from './agent-tool.ts';
