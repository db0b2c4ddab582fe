import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Tools" (provider-defined tools), and the pages of the providers: a web search is a tool of the provider's package.
await cell(() =>
  noSuchThing(
    'Models are exchangeable; a web search is a tool of one provider, so the tools of the agent change with the model.',
  ),
);
