import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  type PromptTemplate,
  promptTemplate,
  readBeforeWritePolicy,
  reducers,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { inputSchema, instructions, outputSchema, toolDescription, toolName } from '../systems/count-tool.ts';
import { reportAfterCounting, reportTool } from '../systems/report-tool.ts';

/** How many items the agent's own slice keeps: what is measured is what the library holds. */
const keptCounts = 100;

const Counted = defineEvent({ name: 'counted', schema: outputSchema });
const Counts = defineSlice({
  name: 'counts',
  schema: outputSchema,
  policy: 'log',
  retain: keptCounts,
  reducers: (on) => [on(Counted, reducers.append())],
});

/**
 * An agent with everything switched on: strict schemas in and out, two policies, an event and a slice of the session, a
 * memory filesystem.
 *
 * @param counted told of every call that its tool makes
 */
export function countingAgent(counted: () => void): PromptTemplate<object, undefined> {
  const count = tool({
    name: toolName,
    description: toolDescription,
    effects: 'state',
    inputSchema,
    outputSchema,
    render: ({ total }) => `total ${total}`,
    execute: ({ id, count: before }, { session }) => {
      const output = { id, total: before + 1 };
      session.dispatch(Counted, output);
      counted();
      return ToolResult.ok(output, 'Counted.');
    },
  });
  return promptTemplate({
    ns: 'bench',
    key: 'scale',
    sections: [
      section({
        title: 'Counting',
        key: 'counting',
        template: instructions,
        tools: [count, reportTool],
        slices: [Counts],
        policies: [readBeforeWritePolicy(), reportAfterCounting],
        resources: [binding(Filesystem, { create: () => new MemoryFilesystem() })],
      }),
    ],
  });
}
