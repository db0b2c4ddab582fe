import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Guardrails": those of an agent look at its input and output; those of tools, and needsApproval, belong to a tool.
await cell(() =>
  noSuchThing(
    'Guardrails of an agent check its input and output, not the calls of its tools; a rule on calls belongs to a tool, and holds wherever the tool is used.',
  ),
);
