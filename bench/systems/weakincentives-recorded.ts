import { runRecorder } from 'weakincentives/record';
import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';

/** With a record of each run, whose lines go nowhere. */
await runSystem((stage) =>
  countingAgent(stage, async () => {
    const recorder = runRecorder({ write: () => undefined });
    return { observers: [recorder], end: () => recorder.flush() };
  }),
);
