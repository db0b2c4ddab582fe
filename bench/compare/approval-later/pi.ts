import { cell, noSuchThing } from '../harness/cell.ts';

// README of the package: beforeToolCall may wait or block; messages are what an agent can be made from again, and none of them asks.
await cell(() =>
  noSuchThing(
    'A hook may wait in its process before a call or block it; a run does not end with a question.',
  ),
);
