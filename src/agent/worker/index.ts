export { type RunWorker, type RunWorkerOptions, runWorker } from './run-worker.ts';
export type { WorkedAgent, WorkedRunOptions } from './worked-agent.ts';
