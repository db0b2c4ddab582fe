// Tools of a prompt in the loop of the AI SDK, with state that rolls back.
import assert from 'node:assert/strict';
import { tool as aiTool, generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import {
  defineEvent,
  defineSlice,
  openToolRuntime,
  promptTemplate,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { fromAiSdkTool, fromAiSdkUsage, toAiSdkTools } from 'weakincentives/ai-sdk';
import { z } from 'zod';

// The loop stays AI SDK's. It gets its tools from a prompt: one that it had before, and one that changes state. The model
// books three seats in one step, of which two are left: the call that requests too many leaves no trace.
const seats = z.object({ left: z.number() });
const Booked = defineEvent({ name: 'booked', schema: z.object({ seats: z.number() }) });
const Seats = defineSlice({
  name: 'seats',
  schema: seats,
  reducers: (on) => [
    on(Booked, (items, booked) => items.replace([{ left: (items.latest()?.left ?? 3) - booked.seats }])),
  ],
});
const book = tool({
  name: 'book_seats',
  description: 'Books seats on the train.',
  inputSchema: z.object({ seats: z.number().int().min(1) }),
  effects: 'state',
  execute: async (params, { session }) => {
    session.dispatch(Booked, params);
    const { left } = session.slice(Seats).latest() ?? { left: 0 };
    return left < 0
      ? ToolResult.error(`There are ${-left} seats too few.`)
      : ToolResult.ok({ left }, `Booked ${params.seats}.`);
  },
});
const timetable = aiTool({
  description: 'When the next train goes.',
  inputSchema: z.object({ to: z.string() }),
  execute: async ({ to }) => `The next train to ${to} goes at 10:05.`,
});
const prompt = promptTemplate({
  ns: 'examples',
  key: 'your-own-loop',
  sections: [
    section({
      title: 'Travel',
      key: 'travel',
      template: 'Book what the user asks for.',
      slices: [Seats],
      tools: [book, fromAiSdkTool(timetable, { name: 'timetable', effects: 'read' })],
    }),
  ],
}).bind();

// A script replaces the provider's model.
type Answer = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
const rest = {
  usage: {
    inputTokens: { total: 120, noCache: 120, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 30, text: 30, reasoning: 0 },
  },
  warnings: [],
} satisfies Partial<Answer>;
const call = (toolCallId: string, toolName: string, input: object) =>
  ({ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }) as const;
const model = new MockLanguageModelV4({
  doGenerate: [
    {
      content: [
        call('c1', 'timetable', { to: 'Oslo' }),
        call('c2', 'book_seats', { seats: 1 }),
        call('c3', 'book_seats', { seats: 3 }),
        call('c4', 'book_seats', { seats: 2 }),
      ],
      finishReason: { unified: 'tool-calls', raw: undefined },
      ...rest,
    },
    {
      content: [{ type: 'text', text: 'Three seats, 10:05.' }],
      finishReason: { unified: 'stop', raw: undefined },
      ...rest,
    },
  ],
});

await using runtime = await openToolRuntime(prompt);
const { text, steps } = await generateText({
  model,
  instructions: runtime.instructions,
  prompt: 'Seats to Oslo for the three of us.',
  tools: toAiSdkTools(runtime),
  abortSignal: runtime.signal,
  stopWhen: isStepCount(10),
  onStepEnd: ({ usage }) => {
    runtime.countUsage(fromAiSdkUsage(usage));
  },
});

const texts = steps[0]?.content.flatMap((part): string[] => {
  if (part.type === 'tool-result') return [String(part.output)];
  return part.type === 'tool-error' ? [String(part.error)] : [];
});
const records = runtime.session.slice(ToolCallLog).all();
assert.equal(text, 'Three seats, 10:05.');
assert.deepEqual(texts, [
  'The next train to Oslo goes at 10:05.',
  'Booked 1.\n\n{"left":2}',
  'There are 1 seats too few.',
  'Booked 2.\n\n{"left":0}',
]);
assert.deepEqual(
  records.map(({ callId, outcome }) => `${callId} ${outcome}`),
  ['c1 committed', 'c2 committed', 'c3 rolled-back', 'c4 committed'],
);
assert.deepEqual(runtime.session.slice(Seats).all(), [{ left: 0 }]);
assert.equal(runtime.usage.inputTokens, 240);
for (const { toolName, outcome, modelText } of records) {
  console.log(`${toolName}: ${outcome}: ${modelText.split('\n')[0]}`);
}
