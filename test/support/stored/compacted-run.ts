import {
  defineSlice,
  type EvaluateOptions,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** What the stored run that was compacted is asked with. */
export const compactedContext: NonNullable<EvaluateOptions['context']> = {
  compact: { atInputTokens: 1_200, toInputTokens: 700 },
  results: { maxCharacters: 1_000 },
};

const turns = 14;

/** Its prompt: steps that its state counts, and a long result. */
export function compactedPrompt(): Prompt {
  const Step = z.object({ number: z.number() });
  const step = tool({
    name: 'step',
    description: 'Makes a step.',
    effects: 'state',
    inputSchema: Step,
    outputSchema: Step,
    execute: (params) => ToolResult.ok(params, 'It took a while. '.repeat(16)),
  });
  const look = tool({
    name: 'look',
    description: 'Looks at all of it.',
    effects: 'read',
    execute: () => ToolResult.ok(null, Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n')),
  });
  const Steps = defineSlice({
    name: 'steps',
    schema: z.number(),
    reducers: (on) => [on(step.succeeded, (items, { value }) => items.append(value.number))],
    digest: (items) => `Done so far: ${items.join(' ')}`,
  });
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Work.',
    tools: [step, look],
    slices: [Steps],
  });
  return promptTemplate({ ns: 'stored', key: 'worker', sections: [task] }).bind();
}

/** Its model. @param asked gets the turns that it is asked for. */
export function compactedAdapter(asked: number[] = []): ProviderAdapter {
  return scriptedAdapter((_conversation, { turn }) => {
    asked.push(turn);
    if (turn > turns) return { text: 'Done.' };
    const call = turn === 2 ? { name: 'look', arguments: {} } : { name: 'step', arguments: { number: turn } };
    return { toolCalls: [call] };
  });
}
