import { present } from '../../core/internal/index.ts';
import type { TokenPrices } from '../../core/tool/index.ts';
import type { ModelChoice } from '../model/model-choice.ts';
import { type ValueOption, valueOption } from './make-option.ts';
import { readAmount, readCost, readDuration, readPrices } from './option-values.ts';
import type { RunTask } from './run-task.ts';

// What a run may take.

export const maxTurns = (): ValueOption<'--max-turns <N>', number> =>
  valueOption('--max-turns <N>', 'Calls of the model (default: 100)', readAmount);

export const maxRepeatedFailures = (): ValueOption<'--max-repeated-failures <N>', number> =>
  valueOption(
    '--max-repeated-failures <N>',
    'Turns in which one call may fail alike (default: 5)',
    readAmount,
  );

export const maxTokens = (): ValueOption<'--max-tokens <N>', number> =>
  valueOption('--max-tokens <N>', 'Tokens of the run, input and output', readAmount);

export const maxCost = (): ValueOption<'--max-cost <AMOUNT>', number> =>
  valueOption('--max-cost <AMOUNT>', 'Cost of the run, in the currency of the prices', readCost);

export const prices = (): ValueOption<'--prices <IN/CACHED/OUT>', TokenPrices> =>
  valueOption('--prices <IN/CACHED/OUT>', 'Per million tokens: 1.25/0.125/10, or IN/OUT', readPrices);

export const deadline = (): ValueOption<'--deadline <TIME>', number> =>
  valueOption('--deadline <TIME>', '30s, 10m, 1h', readDuration);

export const timeout = (): ValueOption<'--timeout <TIME>', number> =>
  valueOption('--timeout <TIME>', 'No sign of an answer for so long: ask again (default: 10m)', readDuration);

export const idleTimeout = (): ValueOption<'--idle-timeout <TIME>', number> =>
  valueOption('--idle-timeout <TIME>', 'No activity for so long: the run fails', readDuration);

/** The values of options that choose a model and limits; undefined for one that was not given. */
export interface LimitValues {
  readonly model?: ModelChoice | undefined;
  readonly baseUrl?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxRepeatedFailures?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxCost?: number | undefined;
  readonly prices?: TokenPrices | undefined;
  readonly deadline?: number | undefined;
  readonly timeout?: number | undefined;
  readonly idleTimeout?: number | undefined;
}

/** The model and limits of a run, which it may be given anew when it continues. */
export type ModelAndLimits = Pick<
  RunTask,
  | 'model'
  | 'baseUrl'
  | 'maxTurns'
  | 'maxRepeatedFailures'
  | 'budget'
  | 'deadlineMs'
  | 'timeoutMs'
  | 'idleTimeoutMs'
>;

/** The model and limits that the options ask for. */
export function limitsOf(values: LimitValues): ModelAndLimits {
  return {
    model: values.model,
    baseUrl: values.baseUrl,
    maxTurns: values.maxTurns,
    maxRepeatedFailures: values.maxRepeatedFailures,
    budget: present({
      maxTotalTokens: values.maxTokens,
      maxCost: values.maxCost,
      prices: values.prices,
    }),
    deadlineMs: values.deadline,
    timeoutMs: values.timeout,
    idleTimeoutMs: values.idleTimeout,
  };
}
