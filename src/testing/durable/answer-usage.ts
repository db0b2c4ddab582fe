import type { TokenUsage } from '../../core/tool/index.ts';

/** What each answer of the model of the cases costs. */
export const answerUsage: TokenUsage = { inputTokens: 10, outputTokens: 2 };
