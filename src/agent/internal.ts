export { type BoundParams, bindParams } from './bind-params.ts';
export { evaluateAgent } from './evaluate-agent.ts';
