import { type AnyTool, sequentialDependencyPolicy, type ToolPolicy, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { toolName } from './count-tool.ts';

/** Not called by any model: it gives the policy below a rule to keep. */
export const reportTool: AnyTool = tool({
  name: 'report',
  description: 'Reports the counts.',
  inputSchema: z.strictObject({}),
  outputSchema: z.null(),
  execute: () => ToolResult.ok(null, 'Reported.'),
});

/** Looks at every call, and takes down every success. */
export const reportAfterCounting: ToolPolicy = sequentialDependencyPolicy({
  dependencies: { [reportTool.name]: [toolName] },
});
