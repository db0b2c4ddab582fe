import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';

const observer = { onEvent: () => undefined };

/** With an observer that does nothing with the events of each run. */
await runSystem((stage) => countingAgent(stage, async () => ({ observers: [observer] })));
