import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  type RunObserver,
  readBeforeWritePolicy,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import {
  answerSchema,
  answerText,
  inputSchema,
  instructions,
  outputSchema,
  toolDescription,
  toolName,
} from './count-tool.ts';
import { reportAfterCounting, reportTool } from './report-tool.ts';
import type { Stage } from './stage.ts';

/** Above any number of turns that is measured. */
const maxTurns = 1_000_000;
/** So that all calls of a turn run at the same time, as they do with most of the others. */
const concurrency = 100;

const Counted = defineEvent({ name: 'counted', schema: outputSchema });
const Counts = defineSlice({
  name: 'counts',
  schema: outputSchema,
  reducers: (on) => [on(Counted, (items, payload) => items.append(payload))],
});

/** Observers of one conversation, and what is to be done after it. */
export interface Observing {
  readonly observers: readonly RunObserver[];
  end?(): Promise<void>;
}

/**
 * The library as its users run it, with all of this switched on: a transaction around every call, strict schemas in and
 * out, two policies, an event and a slice of the session, a memory filesystem, and an answer that is checked.
 *
 * @param observe is called for each conversation.
 */
export function countingAgent(
  stage: Stage,
  observe: () => Promise<Observing> = async () => ({ observers: [] }),
  policies: readonly ToolPolicy[] = [readBeforeWritePolicy(), reportAfterCounting],
): () => Promise<string> {
  const count = tool({
    name: toolName,
    description: toolDescription,
    effects: 'state',
    inputSchema,
    outputSchema,
    render: (output) => JSON.stringify(output),
    execute: async (input, context) => {
      const output = stage.count(input);
      context.session.dispatch(Counted, output);
      await stage.finish();
      return ToolResult.ok(output, 'Counted.');
    },
  });
  const template = promptTemplate({
    ns: 'bench',
    key: 'loop',
    output: answerSchema,
    sections: [
      section({
        title: 'Counting',
        key: 'counting',
        template: instructions,
        tools: [count, reportTool],
        slices: [Counts],
        policies,
        resources: [binding(Filesystem, { create: () => new MemoryFilesystem() })],
      }),
    ],
  });
  const adapter = scriptedAdapter((conversation) => {
    const calls = stage.ask();
    if (calls.length > 0) {
      return {
        toolCalls: calls.map(({ id, text }) => ({ callId: id, name: toolName, arguments: text })),
      };
    }
    const results = conversation.filter((item) => item.type === 'tool-result');
    stage.see({ results: results.length, failures: results.filter(({ isError }) => isError).length });
    return { text: answerText };
  });
  return async () => {
    const { observers, end } = await observe();
    const { text, output } = await adapter.evaluate(template.bind(), {
      observers,
      limits: { maxTurns, maxConcurrentCalls: concurrency },
    });
    await end?.();
    if (output.state !== 'done') throw new Error(`The answer was ${JSON.stringify(output)}.`);
    return text;
  };
}
