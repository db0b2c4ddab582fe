import { cell, noSuchThing } from '../harness/cell.ts';

// Documentation, "Workflows and agents": what checks a call is a node or an edge of the graph that makes it; a sub-graph has its own.
await cell(() =>
  noSuchThing(
    'Checks of calls are nodes and edges of one graph; a sub-graph has its own, and a graph has no rule over it.',
  ),
);
