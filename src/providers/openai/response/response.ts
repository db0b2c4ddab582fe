import { isRecord, present } from '../../../core/internal/index.ts';
import type { FinishReason, ModelTurn } from '../../../core/runtime/index.ts';
import type { TokenUsage } from '../../../core/tool/index.ts';
import {
  assertAnswerable,
  countFields,
  DistinctCallIds,
  fieldsIn,
  type HostedToolRegistry,
  longResponseWrites,
  objectsIn,
  readCacheDiagnosis,
  stringFields,
  type WireFields,
} from '../../kit/index.ts';
import type { PreparedOpenAIRequest } from '../request/request.ts';
import { toFailure } from './provider-error.ts';
import {
  invalidResponse,
  isRefusal,
  readContent,
  toReturnedItems,
  withWholeArguments,
} from './turn-content.ts';

/** The context in which a response is read, beside the request. */
export interface ResponseOptions {
  /** Name that identifies the adapter's own items. */
  readonly provider: string;
  readonly registry: HostedToolRegistry;
}

/**
 * Reads the turn from a response. Calls, approval requests and reasoning become parts of it; every item, known or not, is
 * kept unchanged to be sent back in the next request.
 *
 * @throws {ThrottleError} for a temporary failure of the provider.
 * @throws {ModelResponseError} for any other failure, and when it is not a finished response.
 */
export function readResponse(
  response: unknown,
  prepared: Omit<PreparedOpenAIRequest, 'body' | 'headers'>,
  { provider, registry }: ResponseOptions,
): ModelTurn {
  if (!isRecord(response)) throw invalidResponse('it is not an object');
  const { status = 'completed' } = response;
  if (status === 'failed') throw failureOf(response['error']);
  if (status !== 'completed' && status !== 'incomplete')
    throw invalidResponse(`its status is ${String(status)}`);
  if (!Array.isArray(response['output'])) throw invalidResponse('it has no output');
  const came = objectsIn(response['output']);
  const isTyped = (item: WireFields): boolean => prepared.typed?.readCalls(item) !== undefined;
  assertAnswerable(came, isTyped);
  const isCut = status === 'incomplete';
  const goesOn = !isCut || cutReason(response) === 'length';
  const callIds = new DistinctCallIds(prepared.asked);
  const items = toReturnedItems(came, { callIds, isTyped, isCut, goesOn });
  const { content, text, startOf } = readContent(items, { ...prepared, callIds }, isCut);
  const hosted = registry.read(prepared.hostedTools, { items: came, text, startOf });
  const usage = readUsage(response['usage']);
  return {
    content,
    finishReason: finishReasonOf(response, items, content),
    ...present({
      usage,
      hosted: hosted.length === 0 ? undefined : hosted,
      isCompacted: came.some(({ type }) => type === 'compaction') ? true : undefined,
      cache: readCacheDiagnosis(response['prompt_cache_diagnostics']),
    }),
    raw: {
      provider,
      items: items.map(withWholeArguments),
      ...(prepared.keepsResponseId === true ? stringFields({ responseId: response['id'] }) : undefined),
    },
    ...stringFields({
      responseId: response['id'],
      responseModel: response['model'],
      serviceTier: response['service_tier'],
    }),
  };
}

function failureOf(error: unknown): Error {
  const { code, message } = fieldsIn(error);
  const text =
    typeof message === 'string' && message !== '' ? message : 'The provider failed without a reason.';
  return toFailure(typeof code === 'string' ? code : undefined, text);
}

function finishReasonOf(
  response: WireFields,
  items: readonly WireFields[],
  content: ModelTurn['content'],
): FinishReason {
  if (response['status'] === 'incomplete') return cutReason(response);
  if (content.some(({ type }) => type === 'tool-call')) return 'tool-calls';
  if (items.some(({ type }) => type === 'mcp_approval_request')) return 'paused';
  return items.some(isRefusal) ? 'refusal' : 'stop';
}

/** Why an answer is truncated. */
function cutReason(response: WireFields): FinishReason {
  const { reason } = fieldsIn(response['incomplete_details']);
  if (reason === 'max_output_tokens') return 'length';
  return reason === 'content_filter' ? 'content-filter' : 'other';
}

/** The usage that a response reports; undefined without one. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const input = fieldsIn(usage['input_tokens_details']);
  return countFields({
    inputTokens: usage['input_tokens'],
    outputTokens: usage['output_tokens'],
    cachedInputTokens: input['cached_tokens'],
    cacheWriteInputTokens: input['cache_write_tokens'],
    longCacheWriteInputTokens: longResponseWrites(usage),
    reasoningTokens: fieldsIn(usage['output_tokens_details'])['reasoning_tokens'],
  });
}
