import { ToolResult } from '../../../core/tool/index.ts';
import { expectEqual, expectTrue } from '../expect.ts';
import { note, noting } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

const text = 'All is well, naïvely 🍐 put.\n\nGood night.';

const plain: CaseDefinition = {
  name: 'returns an answer of text',
  script: [answer({ text })],
  play: async (stage) => {
    const { response, events } = await stage.finish(stage.workshop.agent());
    expectEqual('the text of the response', response.text, text);
    expectEqual('the finish reason', response.finishReason, 'stop');
    const { instructions, conversation, tools, hostedTools, hasOutputSchema } = stage.request(1);
    expectTrue(
      'the instructions are those of the prompt',
      instructions.includes('Follow the instructions, naïvely 🍐.'),
      instructions,
    );
    expectEqual('the conversation in the request', conversation, [{ type: 'user', text: 'Go.' }]);
    expectEqual(
      'tools',
      { tools, hostedTools, hasOutputSchema },
      { tools: [], hostedTools: [], hasOutputSchema: false },
    );
    const pieces = events.filter(({ type }) => type === 'text-delta').length;
    expectTrue('only a streamed run has deltas', pieces > 0 === (stage.mode === 'streamed'), pieces);
  },
};

/** Enough deltas that an adapter which does not await `onDelta` emits more of them than the buffer should hold. */
const longText = 'word '.repeat(400).trim();
/** More deltas than a buffer holds. An adapter that emits fewer for the whole answer passes without proof. */
const maxBuffered = 100;

const slow: CaseDefinition = {
  name: 'waits for a consumer that is slower than the model',
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
      'the adapter awaits onDelta before it emits more; number of deltas emitted while the consumer held the first one',
      emittedWhileHeld <= maxBuffered || emitted <= maxBuffered,
      { emittedWhileHeld, emitted },
    );
  },
};

const reasoning: CaseDefinition = {
  name: 'records reasoning before an answer',
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
      'the deltas of the reasoning',
      emitted.join(''),
      stage.mode === 'streamed' ? 'Is it? It is.' : '',
    );
  },
};

const choice: CaseDefinition = {
  name: 'requires a given tool in the first request only',
  needs: ['tool-choice'],
  script: [answer({ toolCalls: [call('c1', 'note', { text: 'pear' })] }), answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice: { tool: 'note' } });
    expectEqual('the tool choice of the first request', stage.request(1).toolChoice, { tool: 'note' });
    expectEqual('the tool choice of the second request', stage.request(2).toolChoice ?? 'auto', 'auto');
  },
};

const required: CaseDefinition = {
  name: 'requires any tool in the first request only',
  needs: ['tool-choice'],
  script: choice.script,
  play: async (stage) => {
    await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice: 'required' });
    expectEqual('the tool choice of the first request', stage.request(1).toolChoice, 'required');
    expectEqual('the tool choice of the second request', stage.request(2).toolChoice ?? 'auto', 'auto');
  },
};

const forbidden: CaseDefinition = {
  name: 'forbids tool calls',
  needs: ['tool-choice'],
  script: [answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice: 'none' });
    const { toolChoice, tools } = stage.request(1);
    expectTrue(
      'the request forbids tool calls or has no tools',
      toolChoice === 'none' || tools.length === 0,
      {
        toolChoice,
        tools,
      },
    );
  },
};

const pause: CaseDefinition = {
  name: 'continues an answer that the provider pauses',
  needs: ['paused'],
  script: [answer({ text: 'Half of it,', finishReason: 'paused' }), answer({ text: ' and the rest.' })],
  play: async (stage) => {
    const { response } = await stage.finish(stage.workshop.agent());
    expectEqual('the text of the response', response.text, 'Half of it, and the rest.');
    expectEqual('the finish reason', response.finishReason, 'stop');
    const paused = itemsOf(stage.request(2), 'assistant').map((item) => item.text);
    expectEqual('the paused answer in the next request', paused.join(''), 'Half of it,');
    expectEqual('the messages of the user', itemsOf(stage.request(2), 'user'), [
      { type: 'user', text: 'Go.' },
    ]);
  },
};

const limited: CaseDefinition = {
  name: 'sends the maximum number of output tokens',
  needs: ['max-output-tokens'],
  script: [answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent(), { settings: { maxOutputTokens: 777 } });
    expectEqual('the maximum number of output tokens', stage.request(1).maxOutputTokens, 777);
  },
};

const pear = 'iVBORw0KGgo=';
const looked: CaseDefinition = {
  name: 'sends an image from the user',
  needs: ['images'],
  script: [answer({ text })],
  play: async (stage) => {
    await stage.finish(stage.workshop.agent(), {
      input: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', mediaType: 'image/png', data: pear },
      ],
    });
    expectEqual('the conversation in the request', stage.request(1).conversation, [
      { type: 'user', text: 'What is it?' },
      { type: 'media', mediaType: 'image/png', data: pear },
    ]);
  },
};

const brought: CaseDefinition = {
  name: 'sends an image from a tool result',
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
    name: `returns an answer that ends with ${finishReason}`,
    needs: [finishReason],
    script: [answer({ text: 'No more', finishReason })],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent());
      expectEqual('the finish reason', response.finishReason, finishReason);
      expectEqual('the text of the response', response.text, 'No more');
    },
  };
}

/** Some models end with an empty turn after their calls; without calls it is an error. */
const silent: CaseDefinition = {
  name: 'reports an error for an empty answer',
  script: [answer({})],
  play: async (stage) => {
    const { error } = await stage.fail(stage.workshop.agent({ tools: [note] }));
    expectEqual('the error', [error.code, error.phase], ['evaluation-response-invalid', 'response']);
  },
};

const thinking: CaseDefinition = {
  name: 'reports an error for an answer of reasoning only',
  needs: ['reasoning'],
  script: [answer({ reasoning: 'Is it? It is.' })],
  play: silent.play,
};

const silentBehindCall: CaseDefinition = {
  name: 'accepts an empty answer after a successful call',
  script: [
    answer({ toolCalls: [call('c1', 'note', { text: 'pear' })] }),
    answer({ usage: { inputTokens: 90, outputTokens: 3 } }),
  ],
  play: async (stage) => {
    const { response } = await stage.finish(stage.workshop.agent({ tools: [note] }));
    expectEqual('the answer', [response.text, response.finishReason], ['', 'stop']);
    expectEqual('the notes and files', (await stage.workshop.content()).notes, ['pear']);
  },
};

/** Cases of answers. */
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
