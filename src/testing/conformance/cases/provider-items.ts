import type { TokenUsage } from '../../../core/tool/index.ts';
import { each, expectEqual, expectTrue } from '../expect.ts';
import { note } from '../fixture.ts';
import type { CaseDefinition, Stage } from '../stage.ts';
import { answer, call, itemsOf } from '../turn.ts';

const summary = 'Before this, pears were counted.';

/** Checks the summaries in a request: all of them, each as the provider sent it. */
function expectCompactions(stage: Stage, number: number, count: number): void {
  const sent = each(itemsOf(stage.request(number), 'compaction'), 'isIntact');
  expectEqual(
    `the intact summaries in request ${number}`,
    sent,
    Array.from({ length: count }, () => true),
  );
}

const usage: TokenUsage = { inputTokens: 20, outputTokens: 6 };
const summaryUsage: TokenUsage = { inputTokens: 150_000, outputTokens: 2_500, cachedInputTokens: 30_000 };

/** Cases of what providers send beside text, reasoning, calls and hosted tools. */
export const providerItemCases: readonly CaseDefinition[] = [
  {
    name: 'sends summaries of the provider back and keeps them out of the answer',
    needs: ['compaction'],
    script: [
      answer({
        compaction: { text: summary },
        text: 'I note it.',
        toolCalls: [call('c1', 'note', { text: 'a' })],
      }),
      answer({
        compaction: { text: `${summary} Once more.` },
        toolCalls: [call('c2', 'note', { text: 'b' })],
      }),
      answer({ text: 'Noted.' }),
    ],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent({ tools: [note] }));
      expectCompactions(stage, 2, 1);
      expectCompactions(stage, 3, 2);
      expectEqual('the text of the response', response.text, 'Noted.');
      const content = response.conversation.map((item) => (item.type === 'assistant' ? item.content : []));
      expectTrue('no content of a turn has the summary', !JSON.stringify(content).includes(summary), content);
    },
  },
  {
    name: 'sends a summary of the provider that failed back',
    needs: ['compaction', 'failed-compaction'],
    script: [
      answer({ compaction: { text: null }, toolCalls: [call('c1', 'note', { text: 'a' })] }),
      answer({ text: 'Noted.' }),
    ],
    play: async (stage) => {
      await stage.finish(stage.workshop.agent({ tools: [note] }));
      expectCompactions(stage, 2, 1);
    },
  },
  {
    name: 'continues a turn that the provider paused for a summary',
    needs: ['compaction', 'compaction-pause'],
    script: [answer({ compaction: { text: summary }, finishReason: 'paused' }), answer({ text: 'Done.' })],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent());
      expectCompactions(stage, 2, 1);
      expectEqual('the text of the response', response.text, 'Done.');
      expectEqual('the messages of the user', each(itemsOf(stage.request(2), 'user'), 'text'), ['Go.']);
    },
  },
  {
    name: 'counts the tokens of a summary that are counted apart',
    needs: ['usage', 'cached-tokens', 'compaction', 'compaction-usage'],
    script: [answer({ compaction: { text: summary, usage: summaryUsage }, text: 'Done.', usage })],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent());
      const { inputTokens, outputTokens, cachedInputTokens } = response.usage;
      const counted = { inputTokens, outputTokens, cachedInputTokens };
      expectEqual('the usage of the response', counted, {
        inputTokens: 150_020,
        outputTokens: 2_506,
        cachedInputTokens: 30_000,
      });
    },
  },
  {
    name: 'lets a budget allow the smaller turn after a summary',
    needs: ['usage', 'compaction'],
    script: [
      answer({
        compaction: { text: summary },
        toolCalls: [call('c1', 'note', { text: 'a' })],
        usage: { inputTokens: 90_000, outputTokens: 10 },
      }),
      answer({ text: 'Noted.', usage }),
    ],
    play: async (stage) => {
      const { response } = await stage.finish(stage.workshop.agent({ tools: [note] }), {
        limits: { budget: { maxTotalTokens: 150_000 } },
      });
      expectEqual('the text of the response', response.text, 'Noted.');
    },
  },
  {
    name: 'names the program of the provider that made a call with its result',
    needs: ['program-calls'],
    script: [
      answer({
        toolCalls: [
          { ...call('c1', 'note', { text: 'a' }), program: 'program-1' },
          call('c2', 'note', { text: 'b' }),
        ],
      }),
      answer({ text: 'Noted.' }),
    ],
    play: async (stage) => {
      await stage.finish(stage.workshop.agent({ tools: [note] }));
      const results = itemsOf(stage.request(2), 'result').map(({ callId, program }) => [
        callId,
        program ?? null,
      ]);
      expectEqual('the programs in the results', results, [
        ['c1', 'program-1'],
        ['c2', null],
      ]);
    },
  },
  ...[false, true].map(
    (isBeside): CaseDefinition => ({
      name: `refuses an item that asks the client for what no tool gives${isBeside ? ', beside a call' : ''}`,
      needs: ['client-items'],
      script: [answer({ asksClient: true, toolCalls: isBeside ? [call('c1', 'note', { text: 'a' })] : [] })],
      play: async (stage) => {
        const { error, calls } = await stage.fail(stage.workshop.agent({ tools: [note] }));
        expectEqual('the error', [error.code, error.phase], ['evaluation-response-invalid', 'response']);
        expectTrue(
          'the message says that no tool answers the item',
          error.message.includes('which no tool of the prompt answers'),
          error.message,
        );
        expectEqual('the tool calls', calls, []);
        await stage.workshop.expectNotes([]);
      },
    }),
  ),
];
