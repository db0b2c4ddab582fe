export { durableConformance } from './durable-conformance.ts';
export type { JournalModule, JournalPlace } from './journal-place.ts';
export type { JournalOpening } from './life.ts';
export type { DurableConformanceOptions } from './options.ts';
export type { DurableFiles, DurableOutcome } from './outcome.ts';
