import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';

await runSystem((stage) => countingAgent(stage, undefined, []));
