import { describe, expectTypeOf, it } from 'vitest';
import { type Agent, type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const task = section({
  title: 'Task',
  key: 'task',
  params: z.object({ topic: z.string(), words: z.number().default(100) }),
  template: (p) => `${p.topic} in ${p.words} words`,
});
const template = promptTemplate({
  ns: 'a',
  key: 'b',
  sections: [task],
  output: z.object({ text: z.string() }),
});
const plain = promptTemplate({ ns: 'a', key: 'c', sections: [] });

describe('defineAgent', () => {
  it('infers params and answer from the template', () => {
    const agent = defineAgent({ template });
    expectTypeOf(agent).toExtend<Agent<{ topic: string; words?: number | undefined }, { text: string }>>();
  });

  it('types params as an object and as a function, each in part', () => {
    defineAgent({ template, params: { topic: 'x' } });
    defineAgent({ template, params: { words: 3 } });
    defineAgent({ template, params: ({ workspaceName }) => ({ topic: workspaceName }) });
    // @ts-expect-error a topic is a text
    defineAgent({ template, params: { topic: 1 } });
    // @ts-expect-error no section knows it
    defineAgent({ template, params: { topic: 'x', colour: 'red' } });
    // @ts-expect-error a topic is a text
    defineAgent({ template, params: () => ({ topic: 1 }) });
    // @ts-expect-error the template has no params
    defineAgent({ template: plain, params: { topic: 'x' } });
  });

  it('gives the function of a model the params of the run', () => {
    defineAgent({
      template,
      adapter: ({ params, workspaceName }) => {
        expectTypeOf(params.topic).toEqualTypeOf<string>();
        expectTypeOf(workspaceName).toEqualTypeOf<string>();
        return scriptedAdapter([]);
      },
    });
    // @ts-expect-error no adapter
    defineAgent({ template, adapter: () => 'gpt' });
  });

  it('refuses options of a wrong kind', () => {
    // @ts-expect-error the template is required
    defineAgent({});
    // @ts-expect-error true is not a choice
    defineAgent({ template, workspace: true });
    // @ts-expect-error the folder is chosen for each run
    defineAgent({ template, workspace: { hostPath: '.' } });
  });

  it('makes what runs anywhere', () => {
    expectTypeOf(defineAgent({ template, params: { topic: 'x' } })).toExtend<AnyAgent>();
    expectTypeOf(defineAgent({ template: plain })).toExtend<AnyAgent>();
  });
});
