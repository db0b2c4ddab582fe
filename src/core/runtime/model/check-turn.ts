import { ModelResponseError } from '../../error/index.ts';
import { isRecord, startOf } from '../../internal/index.ts';
import type { ConversationItem, FinishReason, TokenUsage, ToolCallPart } from '../../tool/index.ts';
import { type ModelTurn, tokenCounts } from './model.ts';
import { reportedUsage } from './reported-usage.ts';

const finishReasons: readonly unknown[] = [
  'stop',
  'tool-calls',
  'length',
  'context-window',
  'content-filter',
  'refusal',
  'paused',
  'other',
] satisfies readonly FinishReason[];

/**
 * What is wrong with an answer that should be a turn, as the end of a sentence; undefined for a good one. Providers are
 * third-party code: no part of an answer is used before it is checked here.
 */
export function findTurnFault(turn: ModelTurn): string | undefined {
  const answer: unknown = turn;
  if (!isRecord(answer)) return `is ${describe(answer)} instead of a turn`;
  const { content, finishReason, usage, hosted } = answer;
  if (!Array.isArray(content)) return 'has no list of content';
  const partFault = createPartCheck();
  // By index: a sparse list has holes, which are not parts.
  for (let index = 0; index < content.length; index += 1) {
    const fault = partFault(content[index]);
    if (fault !== undefined) return fault;
  }
  if (!finishReasons.includes(finishReason)) return `has ${describe(finishReason)} as its finish reason`;
  if (hosted !== undefined && !isListOfReadings(hosted))
    return 'has something else than outputs of hosted tools';
  return usage === undefined ? undefined : findUsageFault(usage);
}

/**
 * Checks the parts of one answer, one after the other: each is compared with those before it that were good. Returns what
 * is wrong with a part, as {@link findTurnFault} does; a part with a fault is not counted.
 */
export function createPartCheck(): (part: unknown) => string | undefined {
  const callIds = new Set<unknown>();
  let count = 0;
  return (part) => {
    const fault = findPartFault(part, callIds);
    if (fault !== undefined) return `has ${fault.what} in part ${count + 1} of its content${fault.why ?? ''}`;
    count += 1;
    if (isRecord(part) && part['type'] === 'tool-call') callIds.add(part['callId']);
    return undefined;
  };
}

/** What a turn says it took, also when nothing else of it can be used; undefined when it does not say. */
export function readUsage(turn: ModelTurn): TokenUsage | undefined {
  const answer: unknown = turn;
  if (!isRecord(answer) || answer['usage'] === undefined) return undefined;
  return findUsageFault(answer['usage']) === undefined ? reportedUsage(turn.usage, turn) : undefined;
}

/** Name of the model that answered, in a run that has several, also when nothing else of the turn can be used. */
export function answererOf(turn: ModelTurn): string | undefined {
  const answer: unknown = turn;
  return isRecord(answer) ? turn.answeredBy : undefined;
}

/** What is wrong with one part, and why that matters. */
function findPartFault(
  part: unknown,
  callIds: ReadonlySet<unknown>,
): { readonly what: string; readonly why?: string } | undefined {
  if (!isRecord(part)) return { what: describe(part) };
  switch (part['type']) {
    case 'text':
    case 'reasoning':
      return typeof part['text'] === 'string' ? undefined : { what: 'no text' };
    case 'tool-call': {
      const { callId, name } = part;
      if (typeof callId !== 'string' || callId === '') return { what: 'a call without a call id' };
      if (!callId.isWellFormed()) return { what: 'a call id with half of a surrogate pair' };
      if (callIds.has(callId)) {
        return { what: `a repeated call id "${callId}"`, why: '; results could not be matched to calls' };
      }
      if (typeof name !== 'string') return { what: 'a call without a name' };
      if (typeof part['arguments'] !== 'string') return { what: 'a call whose arguments are not a string' };
      const wrong = ['isComplete', 'wasParsed'].find(
        (key) => part[key] !== undefined && typeof part[key] !== 'boolean',
      );
      const text = ['providerKind', 'problem'].find(
        (key) => part[key] !== undefined && typeof part[key] !== 'string',
      );
      const bad = wrong ?? text;
      return bad === undefined ? undefined : { what: `${describe(part[bad])} as ${bad}` };
    }
    case 'approval-request': {
      const missing = ['approvalId', 'toolName', 'name', 'arguments'].find(
        (key) => typeof part[key] !== 'string',
      );
      return missing === undefined ? undefined : { what: `a request for approval without ${missing}` };
    }
    default:
      return { what: `something of the unknown type ${describe(part['type'])}` };
  }
}

function isListOfReadings(hosted: unknown): boolean {
  return (
    Array.isArray(hosted) &&
    hosted.every(
      (reading) =>
        isRecord(reading) &&
        typeof reading['toolName'] === 'string' &&
        Array.isArray(reading['invocations']) &&
        Array.isArray(reading['citations']) &&
        [...reading['invocations'], ...reading['citations']].every(isRecord),
    )
  );
}

function findUsageFault(usage: unknown): string | undefined {
  if (!isRecord(usage)) return `has ${describe(usage)} as its usage`;
  for (const name of tokenCounts) {
    const count = usage[name];
    if (count !== undefined && !(Number.isFinite(count) && Number(count) >= 0)) {
      return `has ${describe(count)} as its ${name}`;
    }
  }
  return undefined;
}

function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value);
  return typeof value === 'string' ? `"${startOf(value, 40)}"` : `a value of type ${typeof value}`;
}

const unclaimed: readonly FinishReason[] = ['length', 'context-window', 'refusal', 'content-filter'];

/** False for an answer that was cut off or refused: it claims no result, so a correction would not help. */
export function isClaimed(finishReason: FinishReason): boolean {
  return !unclaimed.includes(finishReason);
}

/**
 * Whether a call of a turn may have been cut off within its arguments, so that it must not be run. What the provider says of the call decides.
 * Where it is absent, and the turn was not complete, these count as cut off: the last call, because the model writes one
 * after the other, and any call whose arguments are empty or not JSON. Arguments that look whole prove nothing: providers put `{}` in
 * the place of what did not come.
 */
export function isCutOff(part: ToolCallPart, { content, finishReason }: ModelTurn): boolean {
  if (part.isComplete !== undefined) return !part.isComplete;
  if (isClaimed(finishReason)) return false;
  return content.findLast(({ type }) => type === 'tool-call') === part || !isJson(part.arguments);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The last answer of a run, as far as it matters whether it is one. */
interface FinalAnswer {
  /** Its text, with that of the turns before it that the provider paused. */
  readonly text: string;
  readonly finishReason: FinishReason;
  /** Whether it holds anything else: outputs of hosted tools, or files that the model made. */
  readonly hasOutputs: boolean;
}

/**
 * What is wrong with an answer that says nothing; undefined for an answer. Nothing may be said where the provider names a refusal or a filter, and by a model
 * that ends its turn right after a call of it has succeeded: what it was to do is done, and some models leave it at that.
 *
 * @param conversation with the answer as its last item.
 */
export function findNoAnswer(
  { text, finishReason, hasOutputs }: FinalAnswer,
  conversation: readonly ConversationItem[],
): ModelResponseError | undefined {
  if (hasOutputs || text.trim() !== '') return undefined;
  if (finishReason === 'refusal' || finishReason === 'content-filter') return undefined;
  if (finishReason === 'stop' && followsSuccess(conversation)) return undefined;
  return noAnswer(conversation, finishReason);
}

/** The error of a run whose last answer says nothing. */
export function noAnswer(
  conversation: readonly ConversationItem[],
  finishReason: FinishReason,
): ModelResponseError {
  const answer = conversation.at(-1);
  const hasThought = answer?.type === 'assistant' && answer.content.some(({ type }) => type === 'reasoning');
  const what = hasThought ? 'reasoning and no text' : 'neither text nor calls';
  const why =
    finishReason === 'length'
      ? ' It was cut off by the limit on its length: raise maxOutputTokens, or have the model think less.'
      : '';
  return new ModelResponseError(
    'model-response-empty',
    `It holds ${what} (finish reason ${finishReason}).${why}`,
    { details: { finishReason } },
  );
}

/** Whether a call succeeded that the last item of the model answers to. */
function followsSuccess(conversation: readonly ConversationItem[]): boolean {
  for (let index = conversation.length - 2; index >= 0; index -= 1) {
    const item = conversation[index];
    if (item?.type !== 'tool-result') return false;
    if (!item.isError) return true;
  }
  return false;
}
