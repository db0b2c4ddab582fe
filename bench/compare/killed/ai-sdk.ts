import { cell, notRun } from '../harness/cell.ts';

// Documentation, "WorkflowAgent": agents of `ai` are in memory; those that survive are of @ai-sdk/workflow, compiled for and run by a
// workflow runtime.
await cell(() =>
  notRun(
    'Agents of the package are in memory; WorkflowAgent, of another package, survives in the runtime of a workflow service.',
  ),
);
