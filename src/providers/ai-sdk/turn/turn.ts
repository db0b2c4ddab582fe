import { ModelResponseError } from '../../../core/error/index.ts';
import { isRecord, none, present } from '../../../core/internal/index.ts';
import {
  type AssistantPart,
  addTokenUsage,
  type FinishReason,
  type ModelRequest,
  type ModelTurn,
  type TokenUsage,
} from '../../../core/runtime/index.ts';
import { parsedArguments } from '../../../core/tool/index.ts';
import {
  assertAnswerable,
  countFields,
  DistinctCallIds,
  fieldsIn,
  type HostedToolRegistry,
  type HostedTurn,
  longMessageWrites,
  longResponseWrites,
  messagesUsage,
  objectsIn,
  readCacheDiagnosis,
  stringFields,
  toBrokenStreamError,
  typedCallParts,
  type WireFields,
} from '../../kit/index.ts';
import type { PreparedAiSdkRequest } from '../request/request.ts';
import { asksFor } from '../typed/codecs.ts';
import { isCompaction, isOwnCall, type KeptPart, keepParts, withoutBrokenCalls } from '../wire/kept-part.ts';
import { providerMetadataOf } from '../wire/provider-metadata.ts';
import type { Answer } from './stream.ts';

/** The context in which an answer is read. */
export interface TurnContext {
  readonly request: Pick<ModelRequest, 'hostedTools' | 'turn' | 'conversation'>;
  readonly prepared: PreparedAiSdkRequest;
  /** Name that identifies the model's own answers. */
  readonly provider: string;
  /** The first part of the model's own provider name. */
  readonly family: string;
  readonly registry: HostedToolRegistry;
}

/** Providers whose packages report a refusal as filtered content without a reason. */
const refusalsAsFiltered = ['openai', 'azure'];

/**
 * The turn of an answer, the same with and without a stream. Every part, known or not, is kept to be sent back in the next
 * request.
 *
 * @throws {ModelResponseError} when it is not an answer, or reports a failure.
 */
export function readTurn(answer: unknown, context: TurnContext): ModelTurn {
  const { request, prepared, provider, family, registry } = context;
  if (!isAnswer(answer)) throw invalid('The model returned no answer with content.');
  const response = fieldsIn(answer.response);
  // The items as OpenAI sent them: packages turn items of other kinds into function calls.
  const typedTools = prepared.typed?.tools ?? none;
  assertAnswerable(objectsIn(answer.items ?? fieldsIn(response['body'])['output']), (item) =>
    asksFor(typedTools, item),
  );
  const callIds = new DistinctCallIds(request);
  const kept = keepParts(contentOf(answer, prepared), callIds);
  const finishReason = readFinishReason(answer.finishReason, {
    hasCalls: kept.some(isOwnCall),
    reportsRefusalsAsFiltered: refusalsAsFiltered.includes(family),
  });
  // A model that reached the length limit continues, with an error result for the truncated call. Other reasons end the run.
  const isFinal = !['stop', 'tool-calls', 'length', 'paused'].includes(finishReason);
  const withLast = finishReason === 'other';
  const items = isFinal ? withoutBrokenCalls(kept, { withLast }) : kept;
  const spoken = readParts(items, prepared, callIds, isFinal && !withLast);
  const content = withStructuredText(spoken.content, answer.structuredOutputText, prepared);
  const usage = readUsage(answer.usage);
  if (items.length === 0 && usage === undefined && finishReason === 'stop') {
    throw invalid('The answer is empty, without even token counts.');
  }
  const finish = { type: 'finish', providerMetadata: answer.providerMetadata };
  const hosted = registry.read(request.hostedTools, toHostedTurn([...items, finish], content, spoken.places));
  return {
    content,
    finishReason,
    ...present({ usage }),
    raw: {
      provider,
      items,
      ...(prepared.keepsResponseId === true ? stringFields({ responseId: response['id'] }) : undefined),
    },
    ...stringFields({
      responseId: response['id'],
      responseModel: response['modelId'],
      serviceTier: providerMetadataOf(finish)['serviceTier'],
    }),
    ...present({
      hasFiles: items.some(({ type }) => type === 'file') ? true : undefined,
      isCompacted: items.some(isShortening) || hasClearedParts(finish) ? true : undefined,
      cache: readCacheDiagnosis(providerMetadataOf(finish)['promptCacheDiagnostics']),
      hosted: hosted.length === 0 ? undefined : hosted,
    }),
  };
}

/** Whether a part is what the provider put in the place of the conversation before it. */
function isShortening(part: KeptPart): boolean {
  return isCompaction(part) ? part['text'] !== '' : part['kind'] === 'openai.compaction';
}

/** Whether the provider cleared parts of the conversation. */
function hasClearedParts(finish: WireFields): boolean {
  const { appliedEdits } = fieldsIn(providerMetadataOf(finish)['contextManagement']);
  return objectsIn(appliedEdits).length > 0;
}

/** The content, with the calls of tools of the prompt that were truncated by the length limit. */
function contentOf(
  { content, finishReason, unfinishedCalls = [] }: Answer,
  { toolSchemas, typed }: PreparedAiSdkRequest,
): readonly unknown[] {
  if (unfinishedCalls.length === 0 || !isRecord(finishReason) || finishReason['unified'] !== 'length')
    return content;
  const own = unfinishedCalls.filter(
    (call) =>
      isOwnCall(call) && (toolSchemas.has(String(call['toolName'])) || typed?.readCalls(call) !== undefined),
  );
  return [...content, ...own];
}

function isAnswer(answer: unknown): answer is Answer {
  return isRecord(answer) && Array.isArray(answer['content']);
}

/** The parts of a turn, and the offset in its text of each text part. */
interface SpokenParts {
  readonly content: readonly AssistantPart[];
  readonly places: ReadonlyMap<unknown, number>;
}

/** @param areWhole whether the truncated last call is excluded, so that all calls are complete. */
function readParts(
  items: readonly KeptPart[],
  prepared: PreparedAiSdkRequest,
  callIds: DistinctCallIds,
  areWhole: boolean,
): SpokenParts {
  const places = new Map<unknown, number>();
  const isCommentary = commentaryIn(items);
  let length = 0;
  const content = items.flatMap((part): readonly AssistantPart[] => {
    const text = typeof part['text'] === 'string' ? part['text'] : '';
    switch (part.type) {
      case 'text': {
        if (isCompaction(part)) return [];
        // Commentary before an answer is not part of it.
        if (isCommentary(part)) return text === '' ? [] : [{ type: 'reasoning', text }];
        places.set(part, length);
        length += text.length;
        return text === '' ? [] : [{ type: 'text', text }];
      }
      case 'reasoning':
        return text === '' ? [] : [{ type: 'reasoning', text }];
      case 'tool-call':
        return isOwnCall(part) ? toCalls(part, prepared, callIds, areWhole) : [];
      case 'tool-approval-request':
        return [toApprovalRequest(part, items, prepared)];
      default:
        return [];
    }
  });
  return { content, places };
}

/** Some models mark commentary before their answer, and then also mark the answer. */
function commentaryIn(items: readonly KeptPart[]): (part: KeptPart) => boolean {
  const hasFinalAnswer = items.some((part) => phaseOf(part) === 'final_answer');
  return (part) => hasFinalAnswer && phaseOf(part) === 'commentary';
}

function phaseOf({ type, providerMetadata }: KeptPart): unknown {
  if (type !== 'text' || !isRecord(providerMetadata)) return undefined;
  return Object.values(providerMetadata)
    .filter(isRecord)
    .map(({ phase }) => phase)
    .find((phase) => phase !== undefined);
}

function toCalls(
  part: KeptPart,
  { toolSchemas, typed }: PreparedAiSdkRequest,
  callIds: DistinctCallIds,
  isWhole: boolean,
): readonly AssistantPart[] {
  const { toolCallId, toolName, input } = part;
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string' || typeof input !== 'string') {
    throw invalid('The answer has a tool call without toolName or input.');
  }
  const asked = typed?.readCalls(part);
  // Empty arguments do not show whether the call is complete.
  const isComplete = isWhole && input !== '' ? true : undefined;
  if (asked !== undefined) return typedCallParts(asked, toolCallId, callIds, isComplete);
  const call = {
    type: 'tool-call',
    callId: toolCallId,
    name: toolName,
    // Some packages pass the text of the provider on, and others write one from what they have parsed.
    ...parsedArguments(toolSchemas.get(toolName)?.unwrap(input) ?? input),
  } as const;
  return [isComplete === undefined ? call : { ...call, isComplete }];
}

/** The call that needs approval is another part of the answer. */
function toApprovalRequest(
  { approvalId, toolCallId }: KeptPart,
  items: readonly KeptPart[],
  { hostedNames }: PreparedAiSdkRequest,
): AssistantPart {
  const call = items.find((part) => part.type === 'tool-call' && part['toolCallId'] === toolCallId);
  const toolName = call?.['toolName'];
  const input = call?.['input'];
  if (typeof approvalId !== 'string' || typeof toolName !== 'string') {
    throw invalid('The answer requests approval of a call that it does not contain.');
  }
  const own = hostedNames.get(toolName);
  // Tools of a remote server are named `mcp.` and their name, without the server; with one server it is unambiguous.
  const name = toolName.replace(/^mcp\./, '');
  const servers = [...hostedNames.values()].filter(({ kind }) => kind === 'mcp');
  const server = name !== toolName && servers.length === 1 ? servers[0] : undefined;
  return {
    type: 'approval-request',
    approvalId,
    toolName: (own ?? server)?.name ?? toolName,
    name,
    arguments: typeof input === 'string' ? input : '',
  };
}

/**
 * The parts with the structured answer in its original shape. It may be split over several parts, which are joined; commentary
 * that the model marks as such is not part of the answer.
 */
function withStructuredText(
  content: readonly AssistantPart[],
  structuredText: unknown,
  { answerSchema }: PreparedAiSdkRequest,
): readonly AssistantPart[] {
  if (answerSchema === undefined || content.some(({ type }) => type === 'tool-call')) return content;
  const fullText = textOf(content);
  const written = typeof structuredText === 'string' ? structuredText : fullText;
  const text = answerSchema.unwrap(written);
  if (text === fullText) return content;
  const rest = content.flatMap((part): readonly AssistantPart[] => {
    if (part.type !== 'text') return [part];
    return written === fullText ? [] : [{ type: 'reasoning', text: part.text }];
  });
  return text === '' ? rest : [...rest, { type: 'text', text }];
}

function toHostedTurn(
  items: readonly unknown[],
  content: readonly AssistantPart[],
  places: ReadonlyMap<unknown, number>,
): HostedTurn {
  const text = textOf(content);
  return {
    items,
    text,
    startOf: (part) => {
      const place = places.get(part);
      // Restored text has other offsets.
      return place !== undefined && isRecord(part) && text.startsWith(String(part['text']), place)
        ? place
        : undefined;
    },
  };
}

function textOf(content: readonly AssistantPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Finish reasons of providers that the AI SDK has no value for. */
const rawReasons = new Map<unknown, FinishReason>([
  ['pause_turn', 'paused'],
  ['compaction', 'paused'],
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
function readFinishReason(
  finishReason: unknown,
  facts: { readonly hasCalls: boolean; readonly reportsRefusalsAsFiltered: boolean },
): FinishReason {
  const { unified, raw } = fieldsIn(finishReason);
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

/** The tokens of an answer; the input includes tokens read from and written to a cache. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const input = fieldsIn(usage['inputTokens']);
  const output = fieldsIn(usage['outputTokens']);
  const raw = fieldsIn(usage['raw']);
  const counts = countFields({
    inputTokens: input['total'],
    outputTokens: output['total'],
    cachedInputTokens: input['cacheRead'],
    cacheWriteInputTokens: input['cacheWrite'],
    longCacheWriteInputTokens: longResponseWrites(raw) ?? longMessageWrites(raw),
    reasoningTokens: output['reasoning'],
  });
  if (Object.keys(counts).length === 0) return undefined;
  return uncountedOf(raw).reduce<TokenUsage>(addTokenUsage, counts);
}

/** What Anthropic's package leaves out of the counts of summaries: what was cached of them, or, where another model stepped in, all of it. */
function uncountedOf(raw: WireFields): readonly TokenUsage[] {
  const iterations = objectsIn(raw['iterations']);
  const isLeftOut = iterations.some(({ type }) => type === 'fallback_message');
  return iterations
    .filter(({ type }) => type === 'compaction')
    .flatMap(
      (summary) =>
        messagesUsage(isLeftOut ? summary : { ...summary, input_tokens: 0, output_tokens: 0 }) ?? [],
    );
}

function invalid(message: string): ModelResponseError {
  return new ModelResponseError('model-response-invalid', message);
}
