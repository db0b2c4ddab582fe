import type { TokenUsage } from '../../../core/tool/index.ts';
import { expectEqual } from '../expect.ts';
import { note } from '../fixture.ts';
import type { ConformanceFeature } from '../peer.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call } from '../turn.ts';

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
];
