import { section } from '../../../core/prompt/index.ts';
import { each, expectEqual, expectTrue } from '../expect.ts';
import { add, forget, note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';
import { expectRead } from './expectations.ts';

const noting = answer({ toolCalls: [call('c1', 'note', { text: 'a' })] });

const sums = section({
  title: 'Sums',
  key: 'sums',
  summary: 'How to add.',
  template: 'Add with the tool.',
  visibility: 'summary',
  tools: [add],
});

/** A vendor's shape for which no adapter has a codec: one of its tools is offered in that shape alone. */
const shapes = section({
  title: 'Shapes',
  key: 'shapes',
  template: 'Use the tools.',
  providerTools: [
    {
      type: 'provider-tool',
      kind: 'conformance.notes',
      config: {},
      uses: ['note', 'forget'],
      replaces: ['note'],
      typedOnly: ['forget'],
    },
  ],
});

/** Cases of features of prompts: structured answers, and sections. */
export const promptCases: readonly CaseDefinition[] = [
  {
    name: 'returns a structured answer after a call',
    script: [noting, answer({ text: '{"count":3}' })],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.counter({ tools: [note] }));
      expectEqual('the output', response.output, { count: 3 });
      for (const [index, { hasOutputSchema, instructions }] of stage.requests.entries()) {
        const isGiven = hasOutputSchema || instructions.includes('"count"');
        expectTrue(`the model gets the schema in request ${index + 1}`, isGiven, instructions);
      }
    },
  },
  {
    name: 'sends the output schema in every request',
    needs: ['output-schema'],
    script: [noting, answer({ text: '{"count":"many"}' }), answer({ text: '{"count":3}' })],
    play: async (stage) => {
      await stage.finish(stage.workshop.counter({ tools: [note] }));
      const sent = each(stage.requests, 'hasOutputSchema');
      expectEqual('whether each request has the schema', sent, [true, true, true]);
    },
  },
  {
    name: 'repairs an invalid structured answer',
    script: [answer({ text: '{"count":"many"}' }), answer({ text: '{"count":4}' })],
    play: async (stage) => {
      const { response, events } = await stage.finish(stage.workshop.counter());
      expectEqual('the output', response.output, { count: 4 });
      expectEqual('the text of the response', response.text, '{"count":4}');
      expectEqual('repairs', events.filter(({ type }) => type === 'output-rejected').length, 1);
      const types = each(stage.request(2).conversation, 'type').filter((type) => type !== 'reasoning');
      const what = 'the items of the conversation before the second answer';
      expectEqual(what, types, ['user', 'assistant', 'user']);
      const [, problem] = itemsOf(stage.request(2), 'user');
      expectTrue('the model reads the problem', problem?.text.includes('count') === true, problem);
    },
  },
  {
    name: 'reports an error when a structured answer stays invalid',
    script: [answer({ text: 'Three.' }), answer({ text: 'Four.' })],
    play: async (stage) => {
      const { error } = await stage.fail(stage.workshop.counter(), { limits: { maxOutputRepairs: 1 } });
      expectEqual('the error', [error.code, error.phase], ['evaluation-output-invalid', 'parse']);
    },
  },
  {
    name: 'offers the tools themselves where it does not know their shape',
    script: [answer({ toolCalls: [call('c1', 'note', { text: 'a' })] }), answer({ text: 'Noted.' })],
    play: async (stage) => {
      const parts = { tools: [note, forget, add], sections: [shapes] };
      const { response } = await stage.finish(stage.workshop.agent(parts));
      expectEqual('the text of the response', response.text, 'Noted.');
      const offered = each(stage.requests, 'tools');
      expectEqual('the tools that were offered', offered, Array(2).fill(['note', 'add']));
      await stage.workshop.expectNotes(['a']);
    },
  },
  {
    name: 'adds the tools of an opened section',
    script: [
      answer({ toolCalls: [call('c1', 'open_sections', { section_keys: ['sums'], reason: 'I must add.' })] }),
      answer({ toolCalls: [call('c2', 'add', { left: 1, right: 1 })] }),
      answer({ text: 'It is 2.' }),
    ],
    play: async (stage) => {
      const run = await stage.finish(stage.workshop.agent({ tools: [note], sections: [sums] }));
      const { tools: before, instructions } = stage.request(1);
      expectTrue('the tool is absent before the section is opened', !before.includes('add'), before);
      for (const number of [2, 3]) {
        const request = stage.request(number);
        expectEqual(`the tools of request ${number}`, request.tools, [...before, 'add']);
        expectEqual(`the instructions of request ${number}`, request.instructions, instructions);
      }
      expectRead(stage, 2, 0, 'the section', 'Add with the tool.');
      expectEqual('the outcomes of the calls', each(run.calls, 'outcome'), ['committed', 'committed']);
    },
  },
];
