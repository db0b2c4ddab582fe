import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Time travel": from a checkpoint on, nodes run again, and with them model and tools.
await cell(() =>
  noSuchThing(
    'Time travel runs a thread from a checkpoint on again, with model and tools; it does not compare with what was.',
  ),
);
