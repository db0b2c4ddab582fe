import { ModelResponseError } from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';
import type { FinishReason } from '../../../core/runtime/index.ts';
import { toBrokenStreamError } from '../../kit/index.ts';

/** Finish reasons of providers that the AI SDK has no value for. */
const rawReasons = new Map<unknown, FinishReason>([
  ['pause_turn', 'paused'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context-window'],
]);

/**
 * Why the model ended its answer.
 *
 * @param facts.hasCalls whether the answer has calls that are run here.
 * @param facts.reportsRefusalsAsFiltered whether the provider's package reports refusals as filtered content without a reason.
 * @throws {ModelResponseError} `model-response-failed` when it ended in an error, such as a call that could not be parsed.
 * @throws {ThrottleError} `server-error` when it was interrupted.
 */
export function readFinishReason(
  finishReason: unknown,
  facts: { readonly hasCalls: boolean; readonly reportsRefusalsAsFiltered: boolean },
): FinishReason {
  const { unified, raw } = isRecord(finishReason) ? finishReason : { unified: undefined, raw: undefined };
  const known = rawReasons.get(raw);
  if (known !== undefined) return known;
  switch (unified) {
    case 'stop':
    case 'tool-calls':
      return facts.hasCalls ? 'tool-calls' : 'stop';
    case 'length':
      return 'length';
    case 'content-filter':
      return raw === undefined && facts.reportsRefusalsAsFiltered ? 'refusal' : 'content-filter';
    case 'interrupted':
      throw toBrokenStreamError();
    case 'error': {
      const why = typeof raw === 'string' ? `: ${raw}` : '';
      throw new ModelResponseError('model-response-failed', `The model ended its answer in an error${why}.`);
    }
    default:
      return 'other';
  }
}
