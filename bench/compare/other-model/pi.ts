import { cell, noSuchThing } from '../harness/cell.ts';

// README of pi-ai, "Tools": tools are functions of the program.
await cell(() =>
  noSuchThing(
    'Models are exchangeable; tools that a provider hosts, such as a web search, are not part of the package.',
  ),
);
