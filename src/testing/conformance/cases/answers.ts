import type { CaseDefinition } from '../case-definition.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { answer, call, itemsOf } from '../script.ts';
import { note } from '../workshop.ts';

const text = 'All is well, naïvely 🍐 said.\n\nGood night.';

const plain: CaseDefinition = {
  name: 'an answer of text',
  script: [answer({ text })],
  play: async (stage) => {
    const { response, events } = await stage.finish(stage.workshop.agent());
    expectEqual('the text of the response', response.text, text);
    expectEqual('the finish reason', response.finishReason, 'stop');
    const { instructions, conversation, tools, hostedTools, hasOutputSchema } = stage.request(1);
    expectTrue(
      'the instructions are those of the prompt',
      instructions.includes('Do as you are told, naïvely 🍐.'),
      instructions,
    );
    expectEqual('what the provider was told', conversation, [{ type: 'user', text: 'Go.' }]);
    expectEqual(
      'tools',
      { tools, hostedTools, hasOutputSchema },
      { tools: [], hostedTools: [], hasOutputSchema: false },
    );
    const pieces = events.filter(({ type }) => type === 'text-delta').length;
    expectTrue(
      'a stream has pieces, and nothing else has',
      pieces > 0 === (stage.mode === 'streamed'),
      pieces,
    );
  },
};

const reasoning: CaseDefinition = {
  name: 'reasoning before an answer',
  needs: ['reasoning'],
  script: [answer({ reasoning: 'Is it? It is.', text })],
  play: async (stage) => {
    const { response, events } = await stage.finish(stage.workshop.agent());
    expectEqual('the text of the response', response.text, text);
    const item = response.conversation.at(-1);
    const thought =
      item?.type === 'assistant' ? item.content.filter((part) => part.type === 'reasoning') : [];
    expectEqual('the reasoning in the conversation', thought, [{ type: 'reasoning', text: 'Is it? It is.' }]);
    const told = events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.text] : []));
    expectEqual(
      'the pieces of the reasoning',
      told.join(''),
      stage.mode === 'streamed' ? 'Is it? It is.' : '',
    );
  },
};

const choice: CaseDefinition = {
  name: 'a tool that the model must call, once',
  needs: ['tool-choice'],
  script: [answer({ toolCalls: [call('c1', 'note', { text: 'pear' })] }), answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice: { tool: 'note' } });
    expectEqual('the tool choice of the first request', stage.request(1).toolChoice, { tool: 'note' });
    expectEqual('the tool choice of the second request', stage.request(2).toolChoice ?? 'auto', 'auto');
  },
};

const pause: CaseDefinition = {
  name: 'an answer that the provider pauses',
  needs: ['paused'],
  script: [answer({ text: 'Half of it,', finishReason: 'paused' }), answer({ text: ' and the rest.' })],
  play: async (stage) => {
    const { response } = await stage.finish(stage.workshop.agent());
    expectEqual('the text of the response', response.text, 'Half of it, and the rest.');
    expectEqual('the finish reason', response.finishReason, 'stop');
    const said = itemsOf(stage.request(2), 'assistant').map((item) => item.text);
    expectEqual('what the provider has back of the paused answer', said.join(''), 'Half of it,');
    expectEqual('what the user said', itemsOf(stage.request(2), 'user'), [{ type: 'user', text: 'Go.' }]);
  },
};

function endingFor(finishReason: 'length' | 'context-window' | 'content-filter' | 'refusal'): CaseDefinition {
  return {
    name: `an answer that ends with ${finishReason}`,
    needs: [finishReason],
    script: [answer({ text: 'No more', finishReason })],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent());
      expectEqual('the finish reason', response.finishReason, finishReason);
      expectEqual('the text of the response', response.text, 'No more');
    },
  };
}

/** What models say. */
export const answerCases: readonly CaseDefinition[] = [
  plain,
  reasoning,
  choice,
  pause,
  endingFor('length'),
  endingFor('context-window'),
  endingFor('content-filter'),
  endingFor('refusal'),
];
