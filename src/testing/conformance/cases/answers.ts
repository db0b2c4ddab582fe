import { ToolResult } from '../../../tool/index.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { note, noting } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

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

/** Enough pieces that a run which is not waited for tells more of them than may wait. */
const longText = 'word '.repeat(400).trim();
/** More pieces than this wait for nobody: an adapter that tells an answer in fewer shows nothing here. */
const maxUnheard = 100;

const slow: CaseDefinition = {
  name: 'a stream whose listener is slower than the model',
  modes: ['streamed'],
  script: [answer({ text: longText })],
  play: async (stage) => {
    let emitted = 0;
    let emittedWhileHeld = 0;
    const stream = stage.stream(stage.workshop.agent(), {
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'text-delta') emitted += 1;
          },
        },
      ],
    });
    for await (const event of stream) {
      if (event.type !== 'text-delta' || emittedWhileHeld > 0) continue;
      await stage.turns(200);
      emittedWhileHeld = emitted;
    }
    expectTrue(
      'the adapter waits for onDelta before it tells on: pieces told while the listener held the first of them',
      emittedWhileHeld <= maxUnheard || emitted <= maxUnheard,
      { emittedWhileHeld, emitted },
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
    const emitted = events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.text] : []));
    expectEqual(
      'the pieces of the reasoning',
      emitted.join(''),
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

const required: CaseDefinition = {
  name: 'some tool that the model must call, once',
  needs: ['tool-choice'],
  script: choice.script,
  play: async (stage) => {
    await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice: 'required' });
    expectEqual('the tool choice of the first request', stage.request(1).toolChoice, 'required');
    expectEqual('the tool choice of the second request', stage.request(2).toolChoice ?? 'auto', 'auto');
  },
};

const forbidden: CaseDefinition = {
  name: 'tools that the model must not call',
  needs: ['tool-choice'],
  script: [answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice: 'none' });
    const { toolChoice, tools } = stage.request(1);
    expectTrue('the model is told so, or of no tools', toolChoice === 'none' || tools.length === 0, {
      toolChoice,
      tools,
    });
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

const limited: CaseDefinition = {
  name: 'an answer that may have so many tokens',
  needs: ['max-output-tokens'],
  script: [answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent(), { settings: { maxOutputTokens: 777 } });
    expectEqual('the tokens that the answer may have', stage.request(1).maxOutputTokens, 777);
  },
};

const pear = 'iVBORw0KGgo=';
const looked: CaseDefinition = {
  name: 'an image of the user',
  needs: ['images'],
  script: [answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent(), {
      input: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', mediaType: 'image/png', data: pear },
      ],
    });
    expectEqual('what the provider was told', stage.request(1).conversation, [
      { type: 'user', text: 'What is it?' },
      { type: 'media', mediaType: 'image/png', data: pear },
    ]);
  },
};

const brought: CaseDefinition = {
  name: 'an image that a tool brings',
  needs: ['image-results'],
  script: [answer({ toolCalls: [call('c1', 'draw', { text: 'pear' })] }), answer({ text })],
  play: async (stage) => {
    const attachments = [{ type: 'image', mediaType: 'image/png', data: pear }] as const;
    const draw = noting('draw', () => ToolResult.ok(null, 'Drawn.', { attachments }));
    await stage.finish(stage.workshop.agent({ tools: [draw] }));
    const [result] = itemsOf(stage.request(2), 'result');
    expectEqual('the text of the result', result?.text, 'Drawn.');
    expectEqual('the image', itemsOf(stage.request(2), 'media'), [
      { type: 'media', mediaType: 'image/png', data: pear },
    ]);
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

/** Some models end their turn without a word when their calls are done; without calls it is no answer. */
const silent: CaseDefinition = {
  name: 'an answer without a word',
  script: [answer({})],
  play: async (stage) => {
    const { error } = await stage.fail(stage.workshop.agent({ tools: [note] }));
    expectEqual('the error', [error.code, error.phase], ['evaluation-response-invalid', 'response']);
  },
};

const thinking: CaseDefinition = {
  name: 'an answer that is reasoning alone',
  needs: ['reasoning'],
  script: [answer({ reasoning: 'Is it? It is.' })],
  play: silent.play,
};

const silentBehindCall: CaseDefinition = {
  name: 'an answer without a word, behind a call that succeeded',
  script: [
    answer({ toolCalls: [call('c1', 'note', { text: 'pear' })] }),
    answer({ usage: { inputTokens: 90, outputTokens: 3 } }),
  ],
  play: async (stage) => {
    const { response } = await stage.finish(stage.workshop.agent({ tools: [note] }));
    expectEqual('the answer', [response.text, response.finishReason], ['', 'stop']);
    expectEqual('what is kept', (await stage.workshop.content()).notes, ['pear']);
  },
};

/** What models say. */
export const answerCases: readonly CaseDefinition[] = [
  plain,
  slow,
  reasoning,
  choice,
  required,
  forbidden,
  limited,
  looked,
  brought,
  pause,
  silent,
  thinking,
  silentBehindCall,
  endingFor('length'),
  endingFor('context-window'),
  endingFor('content-filter'),
  endingFor('refusal'),
];
