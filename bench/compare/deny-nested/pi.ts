import { cell, noSuchThing } from '../harness/cell.ts';

// README of the package: beforeToolCall is an option of an agent, and a sub-agent is not something that the package has.
await cell(() =>
  noSuchThing(
    'The package has no sub-agents; an agent in a tool of your own has the beforeToolCall that you give it.',
  ),
);
