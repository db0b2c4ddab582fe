import { ModelResponseError } from '../../error/index.ts';
import { isRecord } from '../../internal/index.ts';
import { DistinctCallIds, type HostedToolRegistry, type HostedTurn } from '../../provider/internal.ts';
import type { AssistantPart, ModelRequest, ModelTurn } from '../../runtime/index.ts';
import { restoreText } from '../../schema/index.ts';
import type { PreparedRequest } from '../request/request.ts';
import { isOwnCall, type KeptPart, keepParts, withoutBrokenCalls } from '../wire/kept-part.ts';
import { readFinishReason } from './finish-reason.ts';
import type { Answer } from './stream.ts';
import { readUsage } from './usage.ts';

/** What an answer is read with. */
export interface TurnContext {
  readonly request: Pick<ModelRequest, 'hostedTools' | 'turn' | 'conversation'>;
  readonly prepared: PreparedRequest;
  /** Name under which the model's own answers are known again. */
  readonly provider: string;
  /** The first part of the model's own provider name. */
  readonly family: string;
  readonly registry: HostedToolRegistry;
}

/** Providers whose packages tell a refusal as filtered content without a reason. */
const refusalsOnlySo = ['openai', 'azure'];

/**
 * The turn that an answer holds, the same whether it came whole or in pieces. Every piece is kept, known to this adapter or
 * not, to be given back in the next request.
 *
 * @throws {ModelResponseError} when the answer is none, or says that it failed.
 */
export function readTurn(answer: unknown, context: TurnContext): ModelTurn {
  const { request, prepared, provider, family, registry } = context;
  if (!isAnswer(answer))
    throw new ModelResponseError('model-response-invalid', 'The model gave no answer with content.');
  const kept = keepParts(contentOf(answer, prepared), new DistinctCallIds(request));
  const finishReason = readFinishReason(answer.finishReason, {
    hasCalls: kept.some(isOwnCall),
    saysRefusalsOnlySo: refusalsOnlySo.includes(family),
  });
  // A model that ran into the limit of an answer goes on, and is answered the call that was cut off. Others end there.
  const endsThere = !['stop', 'tool-calls', 'length', 'paused'].includes(finishReason);
  const withLast = finishReason === 'other';
  const items = endsThere ? withoutBrokenCalls(kept, { withLast }) : kept;
  const spoken = readParts(items, prepared, endsThere && !withLast);
  const content = withStructuredText(spoken.content, answer.structuredOutputText, prepared);
  const usage = readUsage(answer.usage);
  if (items.length === 0 && usage === undefined && finishReason === 'stop') {
    throw new ModelResponseError(
      'model-response-invalid',
      'The answer holds nothing, not even a count of tokens.',
    );
  }
  const finish = { type: 'finish', providerMetadata: answer.providerMetadata };
  const hosted = registry.read(request.hostedTools, toHostedTurn([...items, finish], content, spoken.places));
  return {
    content,
    finishReason,
    ...(usage === undefined ? {} : { usage }),
    raw: { provider, items },
    ...(items.some(({ type }) => type === 'file') ? { hasFiles: true } : {}),
    ...(hosted.length === 0 ? {} : { hosted }),
  };
}

/** The content, with the calls of tools of the prompt that the limit on the length of an answer cut off. */
function contentOf(
  { content, finishReason, unfinishedCalls = [] }: Answer,
  { toolSchemas }: PreparedRequest,
): readonly unknown[] {
  if (unfinishedCalls.length === 0 || !isRecord(finishReason) || finishReason['unified'] !== 'length')
    return content;
  const own = unfinishedCalls.filter((call) => isOwnCall(call) && toolSchemas.has(String(call['toolName'])));
  return [...content, ...own];
}

function isAnswer(answer: unknown): answer is Answer {
  return isRecord(answer) && Array.isArray(answer['content']);
}

/** The pieces as parts of a turn, and where in its text each piece of text begins. */
interface SpokenParts {
  readonly content: readonly AssistantPart[];
  readonly places: ReadonlyMap<unknown, number>;
}

/** @param areWhole whether the calls are those that another call followed: the one that was cut off is left out. */
function readParts(items: readonly KeptPart[], prepared: PreparedRequest, areWhole: boolean): SpokenParts {
  const places = new Map<unknown, number>();
  const isCommentary = commentaryIn(items);
  let length = 0;
  const content = items.flatMap((part): readonly AssistantPart[] => {
    const text = typeof part['text'] === 'string' ? part['text'] : '';
    switch (part.type) {
      case 'text': {
        // Commentary before an answer is not part of it.
        if (isCommentary(part)) return text === '' ? [] : [{ type: 'reasoning', text }];
        places.set(part, length);
        length += text.length;
        return text === '' ? [] : [{ type: 'text', text }];
      }
      case 'reasoning':
        return text === '' ? [] : [{ type: 'reasoning', text }];
      case 'tool-call':
        return isOwnCall(part) ? [toCall(part, prepared, areWhole)] : [];
      case 'tool-approval-request':
        return [toApprovalRequest(part, items, prepared)];
      default:
        return [];
    }
  });
  return { content, places };
}

/** Some models mark what they say before they come to their answer, when they also mark the answer. */
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

function toCall(part: KeptPart, { toolSchemas }: PreparedRequest, isWhole: boolean): AssistantPart {
  const { toolCallId, toolName, input } = part;
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string' || typeof input !== 'string') {
    throw new ModelResponseError(
      'model-response-invalid',
      'The answer has a tool call without toolName or input.',
    );
  }
  const call = {
    type: 'tool-call',
    callId: toolCallId,
    name: toolName,
    arguments: restoreText(input, toolSchemas.get(toolName)),
  } as const;
  // Of a call without arguments nothing shows that they came.
  return isWhole && input !== '' ? { ...call, isComplete: true } : call;
}

/** The call to be approved is beside the request. */
function toApprovalRequest(
  { approvalId, toolCallId }: KeptPart,
  items: readonly KeptPart[],
  { hostedNames }: PreparedRequest,
): AssistantPart {
  const call = items.find((part) => part.type === 'tool-call' && part['toolCallId'] === toolCallId);
  const toolName = call?.['toolName'];
  const input = call?.['input'];
  if (typeof approvalId !== 'string' || typeof toolName !== 'string') {
    throw new ModelResponseError(
      'model-response-invalid',
      'The answer asks for approval of a call that is not in it.',
    );
  }
  const own = hostedNames.get(toolName);
  // Tools of a remote server come as `mcp.` and their name, without the server; with one server it is clear which.
  const name = toolName.replace(/^mcp\./, '');
  const servers = [...hostedNames.values()].filter(({ hostedKind }) => hostedKind === 'mcp');
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
 * The parts with the structured answer in its original shape. It may be spread over several parts, so it becomes one; what
 * the model said beside it, where it marks that, is not part of the answer.
 */
function withStructuredText(
  content: readonly AssistantPart[],
  structuredText: unknown,
  { answerSchema }: PreparedRequest,
): readonly AssistantPart[] {
  if (answerSchema === undefined || content.some(({ type }) => type === 'tool-call')) return content;
  const said = textOf(content);
  const written = typeof structuredText === 'string' ? structuredText : said;
  const text = restoreText(written, answerSchema);
  if (text === said) return content;
  const rest = content.flatMap((part): readonly AssistantPart[] => {
    if (part.type !== 'text') return [part];
    return written === said ? [] : [{ type: 'reasoning', text: part.text }];
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
      // A text that was put into another shape has other places.
      return place !== undefined && isRecord(part) && text.startsWith(String(part['text']), place)
        ? place
        : undefined;
    },
  };
}

function textOf(content: readonly AssistantPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
