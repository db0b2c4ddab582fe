import { ModelResponseError } from '../error/index.ts';
import type { AssistantPart, FinishReason, ModelTurn, TokenUsage } from '../runtime/index.ts';
import { restoreText, type SchemaProjection } from '../schema/index.ts';
import { toFailure } from './provider-error.ts';
import type { PreparedRequest } from './request.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The turn that a response holds. Calls and reasoning become parts of it, and every item is kept as it came, known to
 * this adapter or not, to be sent back in the next request.
 *
 * @throws {ThrottleError} when the response says that the provider failed in a way that may pass.
 * @throws {ModelResponseError} when it failed otherwise, or when it is no finished response.
 */
export function readResponse(
  response: unknown,
  provider: string,
  { toolSchemas, answerSchema }: PreparedRequest,
): ModelTurn {
  if (!isFields(response)) throw invalid('it is no object');
  const { status = 'completed' } = response;
  if (status === 'failed') throw failureOf(response['error']);
  if (status !== 'completed' && status !== 'incomplete') throw invalid(`its status is ${String(status)}`);
  if (!Array.isArray(response['output'])) throw invalid('it has no output');
  const items = withoutBrokenCalls(response['output'].filter(isFields));
  const isFinal = !items.some(({ type }) => type === 'function_call');
  const hasFinalAnswer = items.some(({ phase }) => phase === 'final_answer');
  const content = items.flatMap((item): readonly AssistantPart[] => {
    switch (item['type']) {
      case 'message': {
        const text = textOf(item['content']);
        if (text === '') return [];
        // What is said on the way to an answer is no part of it.
        if (hasFinalAnswer && item['phase'] === 'commentary') return [{ type: 'reasoning', text }];
        return [{ type: 'text', text: isFinal ? restoreText(text, answerSchema) : text }];
      }
      case 'reasoning': {
        const text = [textOf(item['summary']), textOf(item['content'])].filter((it) => it !== '').join('\n');
        return text === '' ? [] : [{ type: 'reasoning', text }];
      }
      case 'function_call':
        return [toCall(item, toolSchemas)];
      default:
        return [];
    }
  });
  const usage = usageOf(response['usage']);
  return {
    content,
    finishReason: finishReasonOf(response, items),
    ...(usage === undefined ? {} : { usage }),
    raw: { provider, items },
  };
}

function failureOf(error: unknown): Error {
  const { code, message } = isFields(error) ? error : {};
  const text =
    typeof message === 'string' && message !== '' ? message : 'The provider failed without a reason.';
  return toFailure(typeof code === 'string' ? code : undefined, text);
}

/**
 * The items without the calls that were cut off: nobody can answer them, and the provider refuses a conversation with
 * an unanswered call. The reasoning that led to such a call goes with it.
 */
function withoutBrokenCalls(items: readonly Fields[]): readonly Fields[] {
  const kept: Fields[] = [];
  for (const item of items) {
    if (item['type'] !== 'function_call' || item['status'] !== 'incomplete') kept.push(item);
    else while (kept.at(-1)?.['type'] === 'reasoning') kept.pop();
  }
  return kept;
}

function toCall(item: Fields, schemas: ReadonlyMap<string, SchemaProjection>): AssistantPart {
  const { call_id: callId, name, arguments: text } = item;
  if (typeof callId !== 'string' || typeof name !== 'string' || typeof text !== 'string') {
    throw invalid('it has a function call without call_id, name or arguments');
  }
  return { type: 'tool-call', callId, name, arguments: restoreText(text, schemas.get(name)) };
}

/** The texts of all parts, a refusal included. */
function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return parts
    .filter(isFields)
    .map(({ text, refusal }) => text ?? refusal)
    .filter((text) => typeof text === 'string')
    .join('');
}

function finishReasonOf(response: Fields, items: readonly Fields[]): FinishReason {
  if (response['status'] === 'incomplete') {
    const details = response['incomplete_details'];
    const reason = isFields(details) ? details['reason'] : undefined;
    if (reason === 'max_output_tokens') return 'length';
    return reason === 'content_filter' ? 'content-filter' : 'other';
  }
  if (items.some(({ type }) => type === 'function_call')) return 'tool-calls';
  return items.some(hasRefusal) ? 'refusal' : 'stop';
}

function hasRefusal({ content }: Fields): boolean {
  return Array.isArray(content) && content.some((part) => isFields(part) && part['type'] === 'refusal');
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isFields(usage)) return undefined;
  const { input_tokens: input, output_tokens: output, input_tokens_details: details } = usage;
  const cached = isFields(details) ? details['cached_tokens'] : undefined;
  return {
    ...(typeof input === 'number' ? { inputTokens: input } : {}),
    ...(typeof output === 'number' ? { outputTokens: output } : {}),
    ...(typeof cached === 'number' ? { cachedInputTokens: cached } : {}),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(why: string): ModelResponseError {
  return new ModelResponseError('model-response-invalid', `It is no finished response: ${why}.`);
}
