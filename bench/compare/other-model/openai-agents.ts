import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Tools" and "AI SDK Integration": webSearchTool() is a tool of OpenAI's Responses API.
await cell(() =>
  noSuchThing(
    'Other models run by the interface Model; webSearchTool() is hosted by OpenAI, and other providers have no tool here.',
  ),
);
