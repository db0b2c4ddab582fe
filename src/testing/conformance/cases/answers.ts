import { ToolResult } from '../../../core/tool/index.ts';
import { each, expectEqual, expectTrue } from '../expect.ts';
import { note, noting } from '../fixture.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

const text = 'All is well, naïvely 🍐 put.\n\nGood night.';
const thought = 'Is it? It is.';
const pear = 'iVBORw0KGgo=';

/** Enough deltas that an adapter which does not await `onDelta` emits more of them than the buffer should hold. */
const longText = 'word '.repeat(400).trim();
/** More deltas than a buffer holds. An adapter that emits fewer for the whole answer passes without proof. */
const maxBuffered = 100;

/** A tool choice that is sent with the first request. */
function choosing(what: string, toolChoice: 'required' | { readonly tool: string }): CaseDefinition {
  return {
    name: `requires ${what} in the first request only`,
    needs: ['tool-choice'],
    script: [answer({ toolCalls: [call('c1', 'note', { text: 'pear' })] }), answer({ text })],
    play: async (stage) => {
      await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice });
      expectEqual('the tool choice of the first request', stage.request(1).toolChoice, toolChoice);
      expectEqual('the tool choice of the second request', stage.request(2).toolChoice ?? 'auto', 'auto');
    },
  };
}

/** Some models end with an empty turn after their calls; without calls it is an error. */
const rejectsEmptyAnswer: CaseDefinition['play'] = async (stage) => {
  const { error } = await stage.fail(stage.workshop.agent({ tools: [note] }));
  expectEqual('the error', [error.code, error.phase], ['evaluation-response-invalid', 'response']);
};

/** Cases of answers. */
export const answerCases: readonly CaseDefinition[] = [
  {
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
      const none = { tools: [], hostedTools: [], hasOutputSchema: false };
      expectEqual('tools', { tools, hostedTools, hasOutputSchema }, none);
      const pieces = events.filter(({ type }) => type === 'text-delta').length;
      expectTrue('only a streamed run has deltas', pieces > 0 === (stage.mode === 'streamed'), pieces);
    },
  },
  {
    name: 'waits for a consumer that is slower than the model',
    modes: ['streamed'],
    script: [answer({ text: longText })],
    play: async (stage) => {
      let emitted = 0;
      let emittedWhileHeld = 0;
      const onEvent = ({ type }: { readonly type: string }): void => {
        if (type === 'text-delta') emitted += 1;
      };
      for await (const event of stage.stream(stage.workshop.agent(), { observers: [{ onEvent }] })) {
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
  },
  {
    name: 'records reasoning before an answer',
    needs: ['reasoning'],
    script: [answer({ reasoning: thought, text })],
    play: async (stage) => {
      const { response, events } = await stage.finish(stage.workshop.agent());
      expectEqual('the text of the response', response.text, text);
      const item = response.conversation.at(-1);
      const parts = item?.type === 'assistant' ? item.content.filter(({ type }) => type === 'reasoning') : [];
      expectEqual('the reasoning in the conversation', parts, [{ type: 'reasoning', text: thought }]);
      const emitted = events.flatMap((event) => (event.type === 'reasoning-delta' ? event.text : []));
      const streamed = stage.mode === 'streamed' ? thought : '';
      expectEqual('the deltas of the reasoning', emitted.join(''), streamed);
    },
  },
  choosing('a given tool', { tool: 'note' }),
  choosing('any tool', 'required'),
  {
    name: 'forbids tool calls',
    needs: ['tool-choice'],
    script: [answer({ text })],
    play: async (stage) => {
      await stage.finish(stage.workshop.agent({ tools: [note] }), { toolChoice: 'none' });
      const { toolChoice, tools } = stage.request(1);
      const isForbidden = toolChoice === 'none' || tools.length === 0;
      expectTrue('the request forbids tool calls or has no tools', isForbidden, { toolChoice, tools });
    },
  },
  {
    name: 'sends the maximum number of output tokens',
    needs: ['max-output-tokens'],
    script: [answer({ text })],
    play: async (stage) => {
      await stage.finish(stage.workshop.agent(), { settings: { maxOutputTokens: 777 } });
      expectEqual('the maximum number of output tokens', stage.request(1).maxOutputTokens, 777);
    },
  },
  {
    name: 'sends an image from the user',
    needs: ['images'],
    script: [answer({ text })],
    play: async (stage) => {
      const question = { type: 'text', text: 'What is it?' } as const;
      const image = { mediaType: 'image/png', data: pear };
      await stage.finish(stage.workshop.agent(), { input: [question, { type: 'image', ...image }] });
      const sent = [
        { ...question, type: 'user' },
        { type: 'media', ...image },
      ];
      expectEqual('the conversation in the request', stage.request(1).conversation, sent);
    },
  },
  {
    name: 'sends an image from a tool result',
    needs: ['image-results'],
    script: [answer({ toolCalls: [call('c1', 'draw', { text: 'pear' })] }), answer({ text })],
    play: async (stage) => {
      const image = { mediaType: 'image/png', data: pear };
      const attachments = [{ type: 'image', ...image }] as const;
      const draw = noting('draw', () => ToolResult.ok(null, 'Drawn.', { attachments }));
      await stage.finish(stage.workshop.agent({ tools: [draw] }));
      const [result] = itemsOf(stage.request(2), 'result');
      expectEqual('the text of the result', result?.text, 'Drawn.');
      expectEqual('the image', itemsOf(stage.request(2), 'media'), [{ type: 'media', ...image }]);
    },
  },
  {
    name: 'continues an answer that the provider pauses',
    needs: ['paused'],
    script: [answer({ text: 'Half of it,', finishReason: 'paused' }), answer({ text: ' and the rest.' })],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent());
      expectEqual('the text of the response', response.text, 'Half of it, and the rest.');
      expectEqual('the finish reason', response.finishReason, 'stop');
      const paused = each(itemsOf(stage.request(2), 'assistant'), 'text').join('');
      expectEqual('the paused answer in the next request', paused, 'Half of it,');
      expectEqual('the messages of the user', each(itemsOf(stage.request(2), 'user'), 'text'), ['Go.']);
    },
  },
  {
    name: 'reports an error for an empty answer',
    script: [answer({})],
    play: rejectsEmptyAnswer,
  },
  {
    name: 'reports an error for an answer of reasoning only',
    needs: ['reasoning'],
    script: [answer({ reasoning: thought })],
    play: rejectsEmptyAnswer,
  },
  {
    name: 'accepts an empty answer after a successful call',
    script: [
      answer({ toolCalls: [call('c1', 'note', { text: 'pear' })] }),
      answer({ usage: { inputTokens: 90, outputTokens: 3 } }),
    ],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent({ tools: [note] }));
      expectEqual('the answer', [response.text, response.finishReason], ['', 'stop']);
      await stage.workshop.expectNotes(['pear']);
    },
  },
  ...(['length', 'context-window', 'content-filter', 'refusal'] as const).map(
    (finishReason): CaseDefinition => ({
      name: `returns an answer that ends with ${finishReason}`,
      needs: [finishReason],
      script: [answer({ text: 'No more', finishReason })],
      play: async (stage) => {
        const { response } = await stage.finish(stage.workshop.agent());
        expectEqual('the finish reason', response.finishReason, finishReason);
        expectEqual('the text of the response', response.text, 'No more');
      },
    }),
  ),
];
