import type { TokenUsage } from '../../../core/tool/index.ts';
import { expectEqual } from '../expect.ts';
import { note } from '../fixture.ts';
import type { ConformanceFeature } from '../peer.ts';
import type { CaseDefinition } from '../stage.ts';
import { answer, call } from '../turn.ts';

/** Two answers with counts, and the counts that their sum must have. */
function counted(
  name: string,
  needs: readonly ConformanceFeature[],
  [first, second]: readonly [TokenUsage, TokenUsage],
  counts: readonly (keyof TokenUsage)[],
): CaseDefinition {
  return {
    name,
    needs: ['usage', ...needs],
    script: [
      answer({ toolCalls: [call('c1', 'note', { text: 'a' })], usage: first }),
      answer({ text: 'Noted.', usage: second }),
    ],
    play: async (stage) => {
      const { response, events } = await stage.finish(stage.workshop.agent({ tools: [note] }));
      const emitted = events.flatMap((event) => (event.type === 'usage-counted' ? [event] : []));
      const last = emitted.at(-1);
      for (const count of counts) {
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
  counted(
    'counts tokens of several answers',
    [],
    [
      { inputTokens: 100, outputTokens: 10 },
      { inputTokens: 120, outputTokens: 7 },
    ],
    ['inputTokens', 'outputTokens'],
  ),
  counted(
    'counts tokens read from a cache',
    ['cached-tokens'],
    [
      { inputTokens: 100, outputTokens: 10, cachedInputTokens: 60 },
      { inputTokens: 120, outputTokens: 7, cachedInputTokens: 90 },
    ],
    ['inputTokens', 'cachedInputTokens'],
  ),
  counted(
    'counts tokens written to a cache',
    ['cache-write-tokens'],
    [
      { inputTokens: 100, outputTokens: 10, cacheWriteInputTokens: 40 },
      { inputTokens: 120, outputTokens: 7, cacheWriteInputTokens: 20 },
    ],
    ['inputTokens', 'cacheWriteInputTokens'],
  ),
  counted(
    'counts reasoning tokens',
    ['reasoning-tokens'],
    [
      { inputTokens: 100, outputTokens: 10, reasoningTokens: 6 },
      { inputTokens: 120, outputTokens: 7, reasoningTokens: 3 },
    ],
    ['outputTokens', 'reasoningTokens'],
  ),
];
