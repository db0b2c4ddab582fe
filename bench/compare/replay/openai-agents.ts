import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Sessions", "Tracing" and "Running agents": what is kept of a run, and how it continues.

await cell(() =>
  noSuchThing('Traces and sessions are kept for reading and continuing; a run is not run again from them.'),
);
