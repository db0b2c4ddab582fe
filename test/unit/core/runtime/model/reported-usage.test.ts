import { describe, expect, it } from 'vitest';
import type { TokenUsage } from 'weakincentives';
import type { ModelTurn } from 'weakincentives/provider';
import { reportedUsage } from '../../../../../src/core/runtime/model/reported-usage.ts';

const saying = (text: string): ModelTurn => ({ content: [{ type: 'text', text }], finishReason: 'stop' });
const calling: ModelTurn = {
  content: [{ type: 'tool-call', callId: 'a', name: 'a', arguments: '{}' }],
  finishReason: 'tool-calls',
};
const both = { inputTokens: 5, outputTokens: 1, cachedInputTokens: 0 };
const noOutput = { inputTokens: 5, outputTokens: 0 };

describe('reportedUsage', () => {
  it.each<[string, TokenUsage, ModelTurn, TokenUsage | undefined]>([
    ['all zeros', { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }, saying('a'), undefined],
    ['nothing', {}, saying('a'), undefined],
    ['no input', { inputTokens: 0, cachedInputTokens: 3, outputTokens: 2 }, saying('a'), { outputTokens: 2 }],
    ['no output beside a text', { ...noOutput, reasoningTokens: 0 }, saying('a'), { inputTokens: 5 }],
    ['no output without a text', noOutput, calling, noOutput],
    ['no output beside an empty text', noOutput, saying(''), noOutput],
    ['counts of both', both, saying('a'), both],
  ])('takes a report of %s', (_what, usage, turn, expected) => {
    expect(reportedUsage(usage, turn)).toEqual(expected);
  });

  it('makes no report where there is none', () => {
    expect(reportedUsage(undefined, calling)).toBeUndefined();
  });
});
