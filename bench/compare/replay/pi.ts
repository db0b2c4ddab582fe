import { cell, noSuchThing } from '../harness/cell.ts';

// README of the package: messages are the state of an agent.

await cell(() => noSuchThing('Messages can be kept and continued; a run is not run again from them.'));
