import { none, present, spliceAll } from '../../core/internal/index.ts';
import {
  type BareEvent,
  type EventType,
  everyEventType,
  type ObservedRequest,
  type ObservedResponse,
  type ObservedState,
  type RunEvent,
  type RunPathStep,
} from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { ConversationItem, RawItems } from '../../core/tool/index.ts';
import { type RunHeader, runHeader } from '../format/header-row.ts';
import { rowMembers, rowOf } from '../format/references.ts';
import {
  hostedToolPart,
  type RawPart,
  type RecordedWrite,
  type RowEdit,
  type RowLog,
  type RunPart,
} from '../format/row-parts.ts';
import type { DeliveredRow, RequestRow, RequestTokens, ResponseRow, StateRow } from '../format/rows.ts';

type Place = Pick<RunPart, 'run' | 't'>;

/** What is said of an evaluation when it begins. */
export function describeRun(event: Extract<RunEvent, { readonly type: 'run-start' }>): RunHeader {
  const idempotent = new Set(event.idempotent);
  return rowMembers(runHeader, {
    ...event,
    settings: plain(event.settings),
    tools: event.tools.map((name) => ({
      name,
      effects: event.effects[name] ?? 'external',
      ...present({ idempotent: idempotent.has(name) ? (true as const) : undefined }),
    })),
    bound: event.params,
  });
}

/** @param place where the state belongs. */
export function stateRow({ kind, writes, log, isRedacted }: ObservedState, place: Place): StateRow {
  return {
    type: 'state',
    ...place,
    ...mark(isRedacted),
    kind,
    // Slices hold plain JSON only.
    writes: writes as readonly RecordedWrite[],
    log: log as readonly RowLog[],
  };
}

/** @param estimate of the requests of the same evaluation. */
export function requestRow(request: ObservedRequest, estimate: RequestEstimate, place: Place): RequestRow {
  const { turn, instructions, hostedTools, toolChoice, settings, outputSchema, edits } = request;
  const tokens = estimate.next(request);
  return rowOf<RequestRow>({
    type: 'request',
    run: place.run,
    t: place.t,
    redacted: request.isRedacted ? true : undefined,
    turn,
    instructions,
    tools: estimate.toolsJson,
    hostedTools:
      hostedTools.length === 0 ? undefined : hostedTools.map((tool) => plain(hostedToolPart(tool))),
    toolChoice: typeof toolChoice === 'string' ? toolChoice : plain(toolChoice),
    settings: plain(settings),
    outputSchema: outputSchema === undefined ? undefined : JSON.stringify(outputSchema),
    edits: edits as unknown as readonly RowEdit[],
    length: request.length,
    tokens,
  });
}

export function responseRow(response: ObservedResponse, place: Place): ResponseRow {
  const answer = response.outcome === 'answered' ? response : undefined;
  const raw = answer?.raw;
  const hosted = answer?.hosted ?? none;
  return rowOf<ResponseRow>({
    type: 'response',
    run: place.run,
    t: place.t,
    redacted: response.isRedacted ? true : undefined,
    turn: response.turn,
    durationMs: response.durationMs,
    timeToFirstPieceMs: response.timeToFirstPieceMs,
    content: answer?.content as readonly JsonObject[] | undefined,
    raw: raw === undefined ? undefined : plainRaw(raw),
    hosted: hosted.length === 0 ? undefined : hosted.map((reading) => plain(reading)),
    hasFiles: answer?.hasFiles,
    isCompacted: answer?.isCompacted,
    cache: answer?.cache,
    answeredBy: answer?.answeredBy,
    finishReason: answer?.finishReason,
    usage: answer?.usage,
    responseId: answer?.responseId,
    responseModel: answer?.responseModel,
    serviceTier: answer?.serviceTier,
    error: response.outcome === 'failed' ? response.error : undefined,
  });
}

function plainRaw({ provider, items, responseId }: RawItems): RawPart {
  const kept = { provider, items: items.map(plain) };
  return responseId === undefined ? kept : { ...kept, responseId };
}

/** What was added to a call after its commit. @returns undefined when nothing was, and deliveries need no row. */
export function deliveredRow(
  { turn, callId, invocation }: Extract<RunEvent, { readonly type: 'tool-call-end' }>,
  place: Place,
  isNeeded: boolean,
): DeliveredRow | undefined {
  const { feedback, modelText, resultId } = invocation;
  const isChanged = feedback !== undefined || resultId !== undefined;
  if (!isChanged && !isNeeded) return undefined;
  const added = isChanged ? { modelText, ...present({ feedback, resultId }) } : {};
  return { type: 'delivered', ...place, turn, callId, ...added };
}

/** Events that other rows hold, or that no reader needs. */
export const heldElsewhere: ReadonlySet<EventType> = new Set<EventType>([
  'turn-start',
  'turn-end',
  'model-call-start',
  'model-call-end',
  'answer-restarted',
  'text-delta',
  'reasoning-delta',
  'usage-counted',
  'tool-call-retry',
  'tool-call-heartbeat',
  'feedback-recorded',
]);

/** The types of the others, and so those that a recorder observes. */
export const recordedEventTypes: readonly EventType[] = [...everyEventType].filter(
  (type) => !heldElsewhere.has(type),
);

/** An event as the record keeps it, where no other row holds it: its row says where it happened. */
export function eventOf({ evaluationId: _id, path: _path, ...event }: RunEvent): BareEvent {
  if (event.type === 'tool-call-start') {
    const { params: _params, ...start } = event;
    return start;
  }
  return event;
}

/** Marks a row in which something was redacted. */
export function mark(isRedacted: boolean): { readonly redacted?: true } {
  return isRedacted ? { redacted: true } : {};
}

/** What a provider or a tool of a provider made, which may hold anything: as JSON.stringify writes it. */
function plain(value: unknown): JsonObject {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as JsonObject;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // It is nested too deep, which a model can bring about; the row leaves out what is below.
    return value as JsonObject;
  }
}

const charactersPerToken = 4;

/** Estimates the tokens of the parts of each request of a run, by characters. Counts each item of the conversation once. */
export class RequestEstimate {
  readonly #items: number[];
  #conversation: number;
  #tools: { readonly list: ObservedRequest['tools'] | undefined; readonly json: string } = {
    list: undefined,
    json: '',
  };

  /** @param before the conversation that the edits of the next request are about. Default: there is none. */
  constructor(before: readonly ConversationItem[] = none) {
    this.#items = before.map(tokensOf);
    this.#conversation = sum(this.#items);
  }

  /** The tools of the last request, as JSON. */
  get toolsJson(): string {
    return this.#tools.json;
  }

  /** The tokens of the next request of the run. */
  next({ instructions, tools, edits }: ObservedRequest): RequestTokens {
    let added = 0;
    for (const { at, remove, insert } of edits) {
      const counts = insert.map(tokensOf);
      const removed = spliceAll(this.#items, at, remove, counts);
      added += sum(counts);
      this.#conversation += sum(counts) - sum(removed);
    }
    if (tools !== this.#tools.list) this.#tools = { list: tools, json: JSON.stringify(tools) };
    return {
      instructions: tokensIn(instructions),
      tools: tokensIn(this.#tools.json),
      conversation: this.#conversation,
      added,
    };
  }
}

function tokensOf(item: ConversationItem): number {
  return tokensIn(textOf(item));
}

/** An item as JSON; empty when it is nested too deep, as what a provider has parsed may be. */
function textOf(item: ConversationItem): string {
  try {
    return JSON.stringify(item);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

type RunPath = readonly RunPathStep[];

/** Numbers the evaluations of a run in the order in which they begin; the root run is 0. */
export class RunNumbers {
  readonly #byId = new Map<string, number>();
  /** By the path of an evaluation, as JSON: an event names the outer evaluations by their paths alone. */
  readonly #byPath = new Map<string, number>();
  #last = -1;

  /** The root run, or one inside a call, begins. */
  begin(evaluationId: string, path: RunPath): number {
    this.#last += 1;
    this.#byId.set(evaluationId, this.#last);
    this.#byPath.set(JSON.stringify(path), this.#last);
    return this.#last;
  }

  /** These evaluations have begun before. */
  continueWith(evaluations: ReadonlyMap<string, number>): void {
    for (const [evaluationId, run] of evaluations) this.#byId.set(evaluationId, run);
    this.#last += evaluations.size;
  }

  /** An evaluation that has begun before continues at a path. @returns false for one that has not. */
  beginAgain(evaluationId: string, path: RunPath): boolean {
    const run = this.#byId.get(evaluationId);
    if (run === undefined) return false;
    this.#byPath.set(JSON.stringify(path), run);
    return true;
  }

  /** Undefined for an evaluation that was not seen to begin. */
  of(evaluationId: string): number | undefined {
    return this.#byId.get(evaluationId);
  }

  /** The evaluation whose call the one at a path runs inside of; undefined when it was not seen to begin. */
  around(path: RunPath): number | undefined {
    return this.#byPath.get(JSON.stringify(path.slice(0, -1)));
  }
}
