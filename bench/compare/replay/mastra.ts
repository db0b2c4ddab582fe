import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Time travel" of workflows, "Datasets" and "Experiments": steps run again, and items are given to an agent again.
await cell(() =>
  noSuchThing(
    'Time travel runs steps of a workflow again, and experiments give inputs to an agent again, both with the model.',
  ),
);
