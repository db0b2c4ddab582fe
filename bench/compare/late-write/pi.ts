import { cell, noSuchThing } from '../harness/cell.ts';

// README of the package, "Tools" and "Control": a tool gets a signal, which abort() of the agent sets; nothing sets it after a time.
await cell(() =>
  noSuchThing(
    'Calls have no time limit; a tool gets the signal of the run, and what it does with it is up to it.',
  ),
);
