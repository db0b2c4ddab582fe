import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation of LangChain, Models, "Server-side tool use": definitions of a provider's tools are passed to bindTools() as the provider has them.
await cell(() =>
  noSuchThing(
    'Chat models are exchangeable; a web search is bound in the words of one provider, so the tools change with the model.',
  ),
);
