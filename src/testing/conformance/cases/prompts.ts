import { section } from '../../../prompt/index.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { add, note } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

const structured: CaseDefinition = {
  name: 'a structured answer, behind a call',
  script: [answer({ toolCalls: [call('c1', 'note', { text: 'a' })] }), answer({ text: '{"count":3}' })],
  play: async (stage) => {
    const { response } = await stage.finish(stage.workshop.counter({ tools: [note] }));
    expectEqual('the output', response.output, { count: 3 });
    for (const [index, { hasOutputSchema, instructions }] of stage.requests.entries()) {
      expectTrue(
        `the model is told of the schema in request ${index + 1}`,
        hasOutputSchema || instructions.includes('"count"'),
        instructions,
      );
    }
  },
};

const heldTo: CaseDefinition = {
  name: 'a provider that holds the model to a schema is given it in every request',
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
  name: 'a structured answer that has to be repaired',
  script: [answer({ text: '{"count":"many"}' }), answer({ text: '{"count":4}' })],
  play: async (stage) => {
    const { response, events } = await stage.finish(stage.workshop.counter());
    expectEqual('the output', response.output, { count: 4 });
    expectEqual('the text of the response', response.text, '{"count":4}');
    expectEqual('repairs', events.filter(({ type }) => type === 'output-rejected').length, 1);
    const said = stage
      .request(2)
      .conversation.map((item) => item.type)
      .filter((type) => type !== 'reasoning');
    expectEqual('who said something before the second answer', said, ['user', 'assistant', 'user']);
    const [, problem] = itemsOf(stage.request(2), 'user');
    expectTrue('the model is told what is wrong', problem?.text.includes('count') === true, problem);
  },
};

const unrepaired: CaseDefinition = {
  name: 'a structured answer that stays wrong',
  script: [answer({ text: 'Three.' }), answer({ text: 'Four.' })],
  play: async (stage) => {
    const { error } = await stage.fail(stage.workshop.counter(), { limits: { maxOutputRepairs: 1 } });
    expectEqual('the error', [error.code, error.phase], ['evaluation-output-invalid', 'parse']);
  },
};

const opened: CaseDefinition = {
  name: 'a section that is opened brings its tools',
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
    expectTrue('the tool is not there before', !before.includes('add'), before);
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
      'what became of the calls',
      run.calls.map(({ outcome }) => outcome),
      ['committed', 'committed'],
    );
  },
};

/** What is up to the prompt: the shape of the answer, and what is shown. */
export const promptCases: readonly CaseDefinition[] = [structured, heldTo, repaired, unrepaired, opened];
