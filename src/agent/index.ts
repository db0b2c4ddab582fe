export type { AgentRun, RunAgentOptions } from './agent-run.ts';
export { type BoundParams, bindParams } from './bind-params.ts';
export { evaluateAgent, prepareSession } from './evaluate-agent.ts';
export { runAgent, streamAgent } from './run-agent.ts';
