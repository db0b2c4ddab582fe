import { section } from '../../../core/prompt/index.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { add, note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

const structured: CaseDefinition = {
  name: 'returns a structured answer after a call',
  script: [answer({ toolCalls: [call('c1', 'note', { text: 'a' })] }), answer({ text: '{"count":3}' })],
  play: async (stage) => {
    const { response } = await stage.finish(stage.workshop.counter({ tools: [note] }));
    expectEqual('the output', response.output, { count: 3 });
    for (const [index, { hasOutputSchema, instructions }] of stage.requests.entries()) {
      expectTrue(
        `the model gets the schema in request ${index + 1}`,
        hasOutputSchema || instructions.includes('"count"'),
        instructions,
      );
    }
  },
};

const heldTo: CaseDefinition = {
  name: 'sends the output schema in every request',
  needs: ['output-schema'],
  script: [
    answer({ toolCalls: [call('c1', 'note', { text: 'a' })] }),
    answer({ text: '{"count":"many"}' }),
    answer({ text: '{"count":3}' }),
  ],
  play: async (stage) => {
    await stage.finish(stage.workshop.counter({ tools: [note] }));
    expectEqual(
      'whether each request has the schema',
      stage.requests.map(({ hasOutputSchema }) => hasOutputSchema),
      [true, true, true],
    );
  },
};

const repaired: CaseDefinition = {
  name: 'repairs an invalid structured answer',
  script: [answer({ text: '{"count":"many"}' }), answer({ text: '{"count":4}' })],
  play: async (stage) => {
    const { response, events } = await stage.finish(stage.workshop.counter());
    expectEqual('the output', response.output, { count: 4 });
    expectEqual('the text of the response', response.text, '{"count":4}');
    expectEqual('repairs', events.filter(({ type }) => type === 'output-rejected').length, 1);
    const items = stage
      .request(2)
      .conversation.map((item) => item.type)
      .filter((type) => type !== 'reasoning');
    expectEqual('the items of the conversation before the second answer', items, [
      'user',
      'assistant',
      'user',
    ]);
    const [, problem] = itemsOf(stage.request(2), 'user');
    expectTrue('the model reads the problem', problem?.text.includes('count') === true, problem);
  },
};

const unrepaired: CaseDefinition = {
  name: 'reports an error when a structured answer stays invalid',
  script: [answer({ text: 'Three.' }), answer({ text: 'Four.' })],
  play: async (stage) => {
    const { error } = await stage.fail(stage.workshop.counter(), { limits: { maxOutputRepairs: 1 } });
    expectEqual('the error', [error.code, error.phase], ['evaluation-output-invalid', 'parse']);
  },
};

const opened: CaseDefinition = {
  name: 'adds the tools of an opened section',
  script: [
    answer({ toolCalls: [call('c1', 'open_sections', { section_keys: ['sums'], reason: 'I must add.' })] }),
    answer({ toolCalls: [call('c2', 'add', { left: 1, right: 1 })] }),
    answer({ text: 'It is 2.' }),
  ],
  play: async (stage) => {
    const sums = section({
      title: 'Sums',
      key: 'sums',
      summary: 'How to add.',
      template: 'Add with the tool.',
      visibility: 'summary',
      tools: [add],
    });
    const run = await stage.finish(stage.workshop.agent({ tools: [note], sections: [sums] }));
    const before = stage.request(1).tools;
    expectTrue('the tool is absent before the section is opened', !before.includes('add'), before);
    for (const number of [2, 3]) {
      expectEqual(`the tools of request ${number}`, stage.request(number).tools, [...before, 'add']);
      expectEqual(
        `the instructions of request ${number}`,
        stage.request(number).instructions,
        stage.request(1).instructions,
      );
    }
    const [result] = itemsOf(stage.request(2), 'result');
    expectTrue('the model reads the section', result?.text.includes('Add with the tool.') === true, result);
    expectEqual(
      'the outcomes of the calls',
      run.calls.map(({ outcome }) => outcome),
      ['committed', 'committed'],
    );
  },
};

/** Cases of features of prompts: structured answers, and sections. */
export const promptCases: readonly CaseDefinition[] = [structured, heldTo, repaired, unrepaired, opened];
