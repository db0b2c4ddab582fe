import { type RunRecord, runCost } from '../../record/index.ts';
import { usageOf } from './overview.ts';
import { costOf, count, duration, money, percent } from './words.ts';

/** Something that a run has spent. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  /** What it is limited to, and what part of it cost less; empty when there is nothing to say. */
  readonly note: string;
  /** How much of the limit it is, in percent and not above 100; undefined without a limit. */
  readonly share: number | undefined;
}

/**
 * What a run has spent, each against its limit where the record says one: those that it began with.
 *
 * @param inAllMs from its start to its end.
 */
export function spentOf({ root, startedAtMs }: RunRecord, inAllMs: number): readonly Figure[] {
  const usage = usageOf(root);
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens } = usage;
  const { limits = {}, turns } = root;
  const { maxTotalTokens, maxCost, expiresAtMs } = limits;
  const figure = (
    name: string,
    value: number | undefined,
    maximum: number | undefined,
    write: (value: number) => string,
    more = '',
  ): Figure => ({
    name,
    value: value === undefined ? '–' : write(value),
    note: [more, maximum === undefined ? '' : `of ${write(maximum)}`]
      .filter((text) => text !== '')
      .join(', '),
    share: value === undefined || maximum === undefined ? undefined : Math.min(100, percent(value, maximum)),
  });
  const cached = cachedInputTokens === undefined ? '' : `${percent(cachedInputTokens, inputTokens)} % cached`;
  const cost = runCost(root, usage, costOf);
  return [
    figure('Tokens in', inputTokens, limits.maxInputTokens, count, cached),
    figure('Tokens out', outputTokens, limits.maxOutputTokens, count),
    ...(maxTotalTokens === undefined
      ? []
      : [figure('Tokens in all', inputTokens + outputTokens, maxTotalTokens, count)]),
    figure('Cost', cost, maxCost, money),
    figure('Turns', turns.length, limits.maxTurns, count),
    ...(expiresAtMs === undefined
      ? []
      : [figure('Time', inAllMs, Math.max(0, expiresAtMs - startedAtMs), duration)]),
  ];
}
