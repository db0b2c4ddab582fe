export type { AgentRun, RunAgentOptions } from './agent-run.ts';
export { runAgent, streamAgent } from './on-demand.ts';
