import { otelObserver } from 'weakincentives/otel';
import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';
import { tracer } from './span-tracer.ts';

const observer = otelObserver({ tracer });

/** With a span for each run, turn, model call and tool call. */
await runSystem((stage) => countingAgent(stage, async () => ({ observers: [observer] })));
