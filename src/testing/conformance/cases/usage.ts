import type { TokenUsage } from '../../../core/tool/index.ts';
import { expectEqual } from '../expect.ts';
import { note } from '../fixture.ts';
import type { ConformanceFeature } from '../peer.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, type ConformanceAnswer, call } from '../turn.ts';

type Counts = { readonly [Name in keyof TokenUsage]?: readonly [first: number, second: number] };

/** Two answers, each with its input and output tokens and these other counts; the counts of `checked` must add up. */
function counted(
  what: string,
  needs: readonly ConformanceFeature[],
  counts: Counts,
  checked: readonly (keyof TokenUsage)[],
): CaseDefinition {
  const all: Counts = { inputTokens: [100, 120], outputTokens: [10, 7], ...counts };
  const usageOf = (index: 0 | 1): TokenUsage =>
    Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values[index]]));
  const [first, second] = [usageOf(0), usageOf(1)];
  return {
    name: `counts ${what}`,
    needs: ['usage', ...needs],
    script: [
      answer({ toolCalls: [call('c1', 'note', { text: 'a' })], usage: first }),
      answer({ text: 'Noted.', usage: second }),
    ],
    play: async (stage) => {
      const { response, events } = await stage.finish(stage.workshop.agent({ tools: [note] }));
      const emitted = events.flatMap((event) => (event.type === 'usage-counted' ? [event] : []));
      const last = emitted.at(-1);
      for (const count of checked) {
        expectEqual(`${count} of the first answer`, emitted[0]?.usage[count], first[count]);
        expectEqual(`${count} of the second answer`, last?.usage[count], second[count]);
        const sum = (first[count] ?? 0) + (second[count] ?? 0);
        expectEqual(`${count} of the run so far`, last?.total[count], sum);
        expectEqual(`${count} of the response`, response.usage[count], sum);
      }
    },
  };
}

/** About 400 tokens, and a limit that neither the first answer of a case reaches nor one that counts as 0. */
const longText = 'word '.repeat(400).trim();
const maxOutputTokens = 100;

/** Two answers whose report counts nothing, which is not a report. */
function uncounted(
  report: NonNullable<ConformanceAnswer['uncounted']>,
  feature: ConformanceFeature,
): CaseDefinition {
  return {
    name: `estimates what an answer took whose usage is ${report === 'total' ? 'a total alone' : `all ${report}`}`,
    needs: ['usage', feature],
    script: [
      answer({ text: 'I note it.', toolCalls: [call('c1', 'note', { text: 'a' })], uncounted: report }),
      answer({ text: longText, uncounted: report }),
    ],
    play: async (stage) => {
      let warnings = 0;
      const warn = (message: string): void => {
        if (message.startsWith('A model did not report what a turn took')) warnings += 1;
      };
      const ignore = (): void => undefined;
      const { response, events } = await stage.finish(stage.workshop.agent({ tools: [note] }), {
        limits: { budget: { maxOutputTokens } },
        logger: { debug: ignore, info: ignore, warn, error: ignore },
      });
      const counts = events.flatMap((event) => (event.type === 'usage-counted' ? [event.usage] : []));
      expectEqual('the usage of the two answers', counts, [{}, {}]);
      expectEqual('the usage of the response', response.usage, {});
      expectEqual('the limit that an estimate has passed', response.budgetExceeded?.limit, 'maxOutputTokens');
      expectEqual('how often it is said that nothing is reported', warnings, 1);
    },
  };
}

/** Cases of token usage. */
export const usageCases: readonly CaseDefinition[] = [
  counted('tokens of several answers', [], {}, ['inputTokens', 'outputTokens']),
  counted('tokens read from a cache', ['cached-tokens'], { cachedInputTokens: [60, 90] }, [
    'inputTokens',
    'cachedInputTokens',
  ]),
  counted('tokens written to a cache', ['cache-write-tokens'], { cacheWriteInputTokens: [40, 20] }, [
    'inputTokens',
    'cacheWriteInputTokens',
  ]),
  counted('reasoning tokens', ['reasoning-tokens'], { reasoningTokens: [6, 3] }, [
    'outputTokens',
    'reasoningTokens',
  ]),
  uncounted('zeros', 'zero-usage'),
  uncounted('nulls', 'null-usage'),
  uncounted('total', 'total-usage'),
];
