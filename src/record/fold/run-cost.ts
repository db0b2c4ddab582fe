import type { TokenPrices, TokenUsage } from '../../core/tool/index.ts';
import type { RecordedRun, RecordedTurn } from './run-record.ts';

/** What the model costs that answered in a turn: in a run that has several each has its own prices. Undefined: it is not known. */
export function turnPrices({ response, run }: RecordedTurn): TokenPrices | undefined {
  const { models, prices } = run;
  if (models === undefined) return prices;
  return models.find(({ name }) => name === response?.answeredBy)?.prices;
}

/**
 * What a run has cost, with the evaluations inside its calls; undefined where that is not known.
 *
 * @param usage of the run and of the evaluations inside its calls.
 * @param costOf what tokens cost.
 */
export function runCost(
  run: RecordedRun,
  usage: TokenUsage | undefined,
  costOf: (usage: TokenUsage, prices: TokenPrices) => number,
): number | undefined {
  const { models, prices } = run;
  if (models === undefined)
    return usage === undefined || prices === undefined ? undefined : costOf(usage, prices);
  let cost = 0;
  for (const turn of turnsWithin(run)) {
    const spent = turn.response?.usage;
    if (spent === undefined) continue;
    const known = turnPrices(turn);
    if (known === undefined) return undefined;
    cost += costOf(spent, known);
  }
  return cost;
}

function turnsWithin({ turns }: RecordedRun): readonly RecordedTurn[] {
  return turns.flatMap((turn) => [turn, ...turn.calls.flatMap(({ inner }) => inner.flatMap(turnsWithin))]);
}
