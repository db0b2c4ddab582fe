import { describe, expectTypeOf, it } from 'vitest';
import {
  type EvaluateOptions,
  promptTemplate,
  type RunLimits,
  type RunObserver,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { z } from 'zod';

const lookup = tool({
  name: 'lookup_entity',
  description: 'Fetch structured information for a given entity id.',
  inputSchema: z.object({ entityId: z.string() }),
  effects: 'read',
  execute: ({ entityId }) => ToolResult.ok({ url: `https://example.com/${entityId}` }),
});
const template = promptTemplate({
  ns: 'examples',
  key: 'quick-start',
  output: z.object({ answer: z.string(), sources: z.array(z.string()) }),
  sections: [
    section({
      title: 'Task',
      key: 'task',
      params: z.object({ question: z.string() }),
      template: (p) => `Answer: ${p.question}`,
      tools: [lookup],
    }),
  ],
});
const prompt = template.bind({ question: 'Who is ada-1?' });

describe('a quick start', () => {
  it('has a typed answer', () => {
    void (async () => {
      const response = await openai({ model: 'gpt-5' }).evaluate(prompt, { limits: { maxTurns: 8 } });
      expectTypeOf(response.output.sources).toEqualTypeOf<string[]>();
      // @ts-expect-error The output has no such field.
      void response.output.links;
    });
  });

  it('refuses params that do not fit', () => {
    void (() => {
      // @ts-expect-error A placeholder that is no param.
      section({ title: 'T', key: 't', params: z.object({ a: z.string() }), template: (p) => `${p.b}` });
      // @ts-expect-error A required param is missing.
      template.bind();
      // @ts-expect-error It is a string.
      template.bind({ question: 1 });
    });
  });
});

describe('options', () => {
  it('have no wrong or old names', () => {
    const adapter = openai({ model: 'gpt-5' });
    void (() => [
      // @ts-expect-error Its name is `maxTurns`.
      adapter.evaluate(prompt, { limits: { turns: 8 } }),
      // @ts-expect-error It is `limits.maxTurns`.
      adapter.evaluate(prompt, { maxTurns: 8 }),
      // @ts-expect-error Observers take events.
      adapter.evaluate(prompt, { onEvent: () => undefined }),
      // @ts-expect-error An observer has no such member.
      adapter.evaluate(prompt, { observers: [{ onEvents: () => undefined }] }),
      // @ts-expect-error It is `retry`.
      adapter.stream(prompt, { throttle: false }),
    ]);
  });

  it('are plain groups', () => {
    expectTypeOf<EvaluateOptions['limits']>().toEqualTypeOf<RunLimits | undefined>();
    expectTypeOf<EvaluateOptions['observers']>().toEqualTypeOf<readonly RunObserver[] | undefined>();
  });
});
