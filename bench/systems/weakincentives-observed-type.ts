import type { RunObserver } from 'weakincentives';
import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';

const observer: RunObserver = { onEvent: () => undefined, eventTypes: ['tool-call-end'] };

/** With an observer of one type of event, which it does nothing with. */
await runSystem((stage) => countingAgent(stage, async () => ({ observers: [observer] })));
