import { dynamicTool, generateText, streamText, type ToolSet, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expectTypeOf, it } from 'vitest';
import type { AnyTool, Tool, ToolRuntime } from 'weakincentives';
import { type AiSdkRuntimeTools, fromAiSdkTool, fromAiSdkUsage, toAiSdkTools } from 'weakincentives/ai-sdk';
import { z } from 'zod';

declare const runtime: ToolRuntime<{ answer: number }>;

describe('the tools of a runtime', () => {
  it('are a tool set of the AI SDK', () => {
    expectTypeOf(toAiSdkTools).parameter(0).toExtend<Pick<ToolRuntime, 'tools' | 'call'>>();
    expectTypeOf<AiSdkRuntimeTools>().toExtend<ToolSet>();
    const model = new MockLanguageModelV4();
    const tools = toAiSdkTools(runtime);
    void (() => generateText({ model, prompt: '', tools }));
    void (() =>
      streamText({ model, prompt: '', tools, onStepEnd: ({ usage }) => void runtime.countUsage(usage) }));
    void (() =>
      streamText({
        model,
        prompt: '',
        tools,
        onStepEnd: ({ usage }) => void runtime.countUsage(fromAiSdkUsage(usage)),
      }));
    // Beside tools of the loop's own.
    const own = tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a });
    void (() => generateText({ model, prompt: '', tools: { ...tools, own } }));
  });

  it('answer in the type of the prompt', () => {
    expectTypeOf(runtime.parseOutput).returns.resolves.toEqualTypeOf<{ answer: number }>();
    expectTypeOf(runtime).toExtend<ToolRuntime>();
    // @ts-expect-error A call names its tool.
    void (() => runtime.runCalls([{ callId: 'a', arguments: '' }]));
  });
});

describe('a tool of the AI SDK', () => {
  it('keeps the types of params and value', () => {
    const weather = tool({
      description: 'Looks at the sky.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => ({ city, degrees: 21 }),
    });
    const made = fromAiSdkTool(weather, { name: 'weather' });
    expectTypeOf(made).toEqualTypeOf<Tool<{ city: string }, { city: string; degrees: number }>>();
    expectTypeOf(made).toExtend<AnyTool>();
  });

  it('may yield, have a context, or not say what it takes', () => {
    const counts = tool({
      description: 'Counts.',
      inputSchema: z.object({ to: z.number() }),
      contextSchema: z.object({ step: z.number() }),
      execute: async function* ({ to }, { context }) {
        for (let number = 0; number < to; number += context.step) yield number;
      },
    });
    expectTypeOf(
      fromAiSdkTool(counts, { name: 'counts', contextFor: () => ({ step: 2 }) }),
    ).toExtend<AnyTool>();
    const dynamic = dynamicTool({ description: 'Any.', inputSchema: z.object({}), execute: async () => 1 });
    expectTypeOf(fromAiSdkTool(dynamic, { name: 'dynamic' })).toExtend<AnyTool>();
    // @ts-expect-error No tool at all.
    void (() => fromAiSdkTool({ description: 'None.', execute: 1 }, { name: 'none' }));
  });
});
