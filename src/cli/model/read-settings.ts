import type { EvaluateOptions } from '../../evaluation/index.ts';
import type { ModelSettings, ReasoningEffort } from '../../tool/index.ts';
import { UsageError } from '../usage-error.ts';

/** What happens when the conversation has outgrown the model. */
export type ContextOverflow = NonNullable<EvaluateOptions['contextOverflow']>;

const efforts = {
  none: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
} satisfies Readonly<Record<ReasoningEffort, true>>;

/** What the command line says about how the model answers. */
export function readSettings(values: {
  readonly maxOutputTokens: number | undefined;
  readonly effort: string | undefined;
}): ModelSettings {
  const { maxOutputTokens, effort } = values;
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(effort === undefined ? {} : { reasoningEffort: readEffort(effort) }),
  };
}

function readEffort(text: string): ReasoningEffort {
  if (isEffort(text)) return text;
  throw new UsageError(`--effort is "${text}"; it must be one of ${Object.keys(efforts).join(', ')}.`);
}

function isEffort(text: string): text is ReasoningEffort {
  return Object.hasOwn(efforts, text);
}

/** @throws {UsageError} for another word. */
export function readContextOverflow(text: string | undefined): ContextOverflow | undefined {
  if (text === undefined || text === 'error' || text === 'drop-tool-results') return text;
  throw new UsageError(`--context-overflow is "${text}"; it must be error or drop-tool-results.`);
}
