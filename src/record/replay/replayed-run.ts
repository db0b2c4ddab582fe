import { describeError } from '../../core/error/index.ts';
import type { EarlierRun } from '../../core/evaluation/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import type {
  ApprovalHandler,
  AttemptName,
  EvaluationPlace,
  MadeCompaction,
  ModelRequest,
  ModelTurn,
  RecordedHandler,
  Redactor,
  RunInput,
  Step,
  StepFunction,
  StepKinds,
  TakenInput,
} from '../../core/runtime/index.ts';
import { canonicalJson, type JsonValue } from '../../core/schema/index.ts';
import type { AnyTool, UserItem } from '../../core/tool/index.ts';
import { recordedTurn } from '../fold/requests.ts';
import type { RecordedCall, RecordedEvent, RecordedTurn, RunRecord } from '../fold/run-record.ts';
import { pathOf, type RecordIndex } from './record-index.ts';
import { hasHandlerRun, lacksResult, recordedHandler, unrecordedHandler } from './recorded-handler.ts';
import { RefusedResources } from './refused-resources.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { ReplayedCall } from './replay-report.ts';
import { ReplayedSlices } from './replayed-slices.ts';
import { type RequestDifference, requestDifferences } from './request-difference.ts';
import { isLeftOut, type StartFiles } from './start-files.ts';

/** Whether a call runs its handler or is answered from the record. */
export type ReplayTools = 'recorded' | 'live' | Readonly<Record<string, 'recorded' | 'live'>>;

/** What a {@link ReplayedRun} works with. */
export interface ReplayedRunOptions {
  readonly record: RunRecord;
  readonly index: RecordIndex;
  readonly files: StartFiles;
  readonly clock: ReplayClock;
  readonly onDrift: 'stop' | 'force' | 'continue';
  readonly tools: ReplayTools | undefined;
  /** What calls get of resources other than files. */
  readonly resources: 'refuse' | 'live';
  /** What redacts requests before they are compared; undefined: nothing. */
  readonly redactor: Redactor | undefined;
  /** Ends the run. */
  readonly stop: (reason: Error) => void;
}

/** A request that was made, and how it differs from the recorded one. */
export interface MadeRequest {
  readonly path: readonly string[];
  readonly turn: number;
  /** Undefined: the record has none. */
  readonly differences: readonly RequestDifference[] | undefined;
}

/** Answers a run from its record, and finds out where it leaves it. */
export class ReplayedRun implements EarlierRun {
  readonly requests: MadeRequest[] = [];
  readonly slices: ReplayedSlices = new ReplayedSlices();
  /** Undefined: calls get all resources. */
  readonly refusal: RefusedResources | undefined;
  readonly #options: ReplayedRunOptions;
  readonly #sources = new Map<RecordedCall, ReplayedCall['source']>();
  readonly #paths = new Map<string, readonly string[]>();
  readonly #answered = new Map<RecordedCall, number>();
  /** Answers to requests of the provider that were given again. */
  readonly #answeredRemote = new Set<RecordedEvent>();
  /** Calls whose handlers would run now, and did not in the record. */
  readonly #unrecorded = new Set<RecordedCall>();
  /** Recorded calls that a call with another id has taken. */
  readonly #taken = new Set<RecordedCall>();
  /** The turn of the root run that was reached. */
  #rootTurn = 0;
  #isLive = false;
  #isStopped = false;

  constructor(options: ReplayedRunOptions) {
    this.#options = options;
    this.refusal = options.resources === 'live' ? undefined : new RefusedResources();
  }

  /** What people said to the run, before the turns before which they did. */
  readonly input: RunInput = {
    hasFor: (turn) => this.#saidBefore(turn) !== undefined,
    takeFor: (turn) => this.#saidBefore(turn),
  };

  /** True once a live model has taken over. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** True when it was ended at a difference. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  sourceOf(call: RecordedCall): ReplayedCall['source'] {
    return this.#sources.get(call) ?? 'none';
  }

  /** Why a call of the replay does not show what it would do; undefined when it does. */
  unknownOf(call: RecordedCall, now: RecordedCall): string | undefined {
    if (now.error?.code === 'resource-refused') return now.error.message;
    if (this.#unrecorded.has(call)) return 'What its handler would do now is not in the record.';
    const isAnswered = this.sourceOf(call) === 'recorded';
    if (isAnswered && lacksResult(call) && now.outcome === 'committed')
      return 'Its changes are allowed now, and what it returned is not in the record.';
    const { files } = this.#options;
    if (hasHandlerRun(call) || !hasHandlerRun(now) || files.explain(now)) return undefined;
    return 'Its handler runs now, on files that are not in the record.';
  }

  /** What the record does not have of the replay. */
  get notes(): readonly string[] {
    return [
      ...this.slices.missing.map(
        (name) =>
          `What calls wrote to the slice "${name}" is left out: no section of the prompt has such a slice.`,
      ),
      ...[...(this.refusal?.names ?? [])].map(
        (name) =>
          `The resource "${name}" was asked for and is not part of the replay: resources: 'live' gives it.`,
      ),
    ];
  }

  onPrompt(prompt: Prompt): void {
    this.slices.add(prompt);
  }

  atStart(slice: string): readonly JsonValue[] | undefined {
    return this.#options.record
      .stateAt(0)
      .find(({ name }) => name === slice)
      ?.items.map(({ value }) => value);
  }

  evaluationId(place: EvaluationPlace): string | undefined {
    const run = this.#options.index.runAt(place);
    if (run === undefined) return undefined;
    this.#paths.set(run.evaluationId, place.path);
    return run.evaluationId;
  }

  modelOf(evaluationId: string, turn: number): string | undefined {
    return this.#isLive ? undefined : this.#options.index.modelOf(evaluationId, turn);
  }

  stepsOf(evaluationId: string): StepFunction {
    const answer = async <Kind extends keyof StepKinds>(
      step: Step<Kind>,
      live: () => Promise<StepKinds[Kind]['result']>,
    ): Promise<StepKinds[Kind]['result']> => {
      const { kind, input }: Step = step;
      // The input and the result of these kinds of steps.
      if (kind === 'model-call')
        return this.#modelTurn(evaluationId, input as ModelRequest, live as () => Promise<ModelTurn>);
      if (kind !== 'remote-approval') return live();
      return this.#remoteApproval(evaluationId, input as StepKinds['remote-approval']['input']);
    };
    return answer;
  }

  /** What was compacted is compacted again: the conversation of a replay is that of the record until it leaves it. */
  compactionBefore(evaluationId: string, turn: number): MadeCompaction | 'none' | undefined {
    if (this.#isLive) return undefined;
    for (const { event } of this.#options.index.turn(evaluationId, turn)?.events ?? none)
      if (event.type === 'context-compacted') return event;
    return 'none';
  }

  handlerFor(
    evaluationId: string,
    { turn, callId, toolName, path }: AttemptName,
    tool: AnyTool,
    params: unknown,
  ): RecordedHandler | undefined {
    // What opens sections for a call runs under the id of that call.
    if (tool.name !== toolName) return undefined;
    const placed = this.#options.index.call(evaluationId, turn, callId);
    // A live model gives ids as it likes.
    const isSameCall =
      placed?.toolName === toolName && (!this.#isLive || textOf(placed.params) === textOf(params));
    const call = isSameCall ? placed : this.#alike(toolName, params, path);
    const isLive = this.#modeOf(tool) === 'live';
    if (call === undefined) {
      const message = `The record has no such call of "${toolName}", and this replay does not run the tool.`;
      return isLive ? undefined : unrecordedHandler(message);
    }
    // A record that ends in the middle of a call does not have all that the call found.
    const hasEnded = call.outcome !== undefined;
    if (hasEnded && !hasHandlerRun(call)) {
      // What is evaluated inside needs the answers of the record.
      if (isLive && !tool.reenters) return this.#live(call);
      this.#unrecorded.add(call);
      return unrecordedHandler(
        `The call of "${toolName}" was ${call.outcome} before its handler ran: what it would do is not in the record.`,
      );
    }
    if (isLive && hasEnded && this.#holds(call, tool)) return this.#live(call);
    this.#sources.set(call, 'recorded');
    const { slices } = this;
    return recordedHandler({ call, tool, slices, now: () => this.#options.clock.now() });
  }

  /** The handler runs. */
  #live(call: RecordedCall): undefined {
    this.#sources.set(call, 'live');
  }

  /** Whether a handler would find what it found. Of one that does all by calls inside, each of those is judged. */
  #holds(call: RecordedCall, { reenters }: AnyTool): boolean {
    if (reenters) return !call.isRedacted;
    return !isIncomplete(call) && this.#options.files.hold(call);
  }

  /** Answers calls as the record does. */
  readonly approve: ApprovalHandler = ({ callId, path, policy, changes }) => {
    const about = changes === undefined ? 'call' : 'changes';
    const calls = this.#options.index.callsAt([...path.map((call) => call.callId), callId]);
    for (const call of [...calls, ...calls.flatMap(innerCallsOf)]) {
      const answers = call.approvals.filter(
        (approval) => approval.policy === policy && approval.about === about,
      );
      const answered = this.#answered.get(call) ?? 0;
      const answer = answers[Math.min(answered, answers.length - 1)];
      if (answer === undefined) continue;
      this.#answered.set(call, answered + 1);
      return answer.approved ? true : { approved: false, ...present({ reason: answer.answer }) };
    }
    return { approved: false, reason: 'the record has no answer to this.' };
  };

  /** Answers a request of the provider: those of a turn come one after the other, and what they were answered is in its events. */
  #remoteApproval(
    evaluationId: string,
    { turn, toolName, name }: StepKinds['remote-approval']['input'],
  ): StepKinds['remote-approval']['result'] {
    for (const recorded of this.#options.index.turn(evaluationId, turn)?.events ?? []) {
      const { event } = recorded;
      if (event.type !== 'hosted-approval-answered' || this.#answeredRemote.has(recorded)) continue;
      // A live model asks as it likes.
      if (this.#isLive && (event.toolName !== toolName || event.name !== name)) continue;
      this.#answeredRemote.add(recorded);
      const { approved, reason } = event;
      return { approved, ...present({ reason }) };
    }
    return { approved: false, reason: 'the record has no answer to this.' };
  }

  /** What was said before a turn: it is the end of its conversation, of which the first one is what the replay begins with. */
  #saidBefore(turn: number): TakenInput | undefined {
    const { index, record } = this.#options;
    const recorded = index.turn(record.root.evaluationId, turn);
    const said = (recorded?.events ?? []).flatMap(({ event }) =>
      event.type === 'input-taken' ? [event] : [],
    );
    const count = said.reduce((sum, { ids }) => sum + ids.length, 0);
    if (count === 0 || turn === record.root.turns[0]?.number) return undefined;
    // What is said is messages of the user.
    const items = (recorded?.request?.conversation ?? []).slice(-count) as readonly UserItem[];
    return { items, messages: said.map(({ ids, by, text }) => ({ ids, ...present({ by }), text })) };
  }

  async #modelTurn(
    evaluationId: string,
    request: ModelRequest,
    live: () => Promise<ModelTurn>,
  ): Promise<ModelTurn> {
    if (this.#isLive) return live();
    const { index, onDrift, record, clock } = this.#options;
    const run = index.run(evaluationId);
    const turn = index.turn(evaluationId, request.turn);
    const differences =
      turn?.request === undefined ? undefined : requestDifferences(turn.request, this.#shown(request));
    if (run === record.root) this.#rootTurn = request.turn;
    const isPastEnd =
      run === undefined
        ? this.#isInLastTurn()
        : turn?.response === undefined && (isCutShort(run, record) || this.#isInLastTurn());
    if (!isPastEnd || differences !== undefined) {
      const path = run === undefined ? [] : (this.#paths.get(evaluationId) ?? pathOf(run));
      this.requests.push({ path, turn: request.turn, differences });
    }
    const hasDrifted = differences === undefined ? !isPastEnd : differences.length > 0;
    if (hasDrifted && onDrift === 'continue') {
      this.#isLive = true;
      return live();
    }
    if (hasDrifted && onDrift === 'stop')
      throw this.#end('The replay stopped at the first difference.', true);
    if (turn?.response === undefined)
      throw this.#end('The record has no answer of the model here.', hasDrifted);
    clock.reach(turn.response.atMs);
    return recordedTurn(turn.response);
  }

  /** A request as a record would have it. */
  #shown(request: ModelRequest): ModelRequest {
    const { redactor } = this.#options;
    // The copy of an object has its shape.
    return redactor === undefined ? request : (redactor.data(request) as ModelRequest);
  }

  /** Whether the record ends in the turn that is being replayed, so that it need not have the evaluations inside its calls. */
  #isInLastTurn(): boolean {
    const { record } = this.#options;
    return !record.isComplete && this.#rootTurn === (record.root.turns.at(-1)?.number ?? 0);
  }

  #end(message: string, isDrift: boolean): Error {
    const error = new Error(message);
    error.name = 'ReplayEnd';
    if (isDrift) this.#isStopped = true;
    this.#options.stop(error);
    return error;
  }

  #modeOf({ name, pure, reenters }: AnyTool): 'recorded' | 'live' {
    const { tools } = this.#options;
    if (tools === 'live' || tools === 'recorded') return tools;
    const own = tools !== undefined && Object.hasOwn(tools, name) ? tools[name] : undefined;
    return own ?? (pure || reenters ? 'live' : 'recorded');
  }

  /** After a difference: the first call of the tool with the same arguments that no other one has taken. */
  #alike(toolName: string, params: unknown, path: readonly string[]): RecordedCall | undefined {
    const wanted = textOf(params);
    const found = this.#options.record.calls.find(
      (call) =>
        call.toolName === toolName &&
        !this.#taken.has(call) &&
        !this.#sources.has(call) &&
        pathOf(call.run).length === path.length &&
        textOf(call.params) === wanted,
    );
    if (found !== undefined) this.#taken.add(found);
    return found;
  }
}

/** Whether the record of a run ends before an answer of the model: it was stopped, or is not complete. */
function isCutShort(run: RecordedTurn['run'], record: RunRecord): boolean {
  return run.outcome !== 'finished' || !record.isComplete;
}

/** Whether the record lacks part of a call: arguments, results or files were redacted, or contents were not kept. */
export function isIncomplete(call: RecordedCall): boolean {
  return call.isRedacted || call.attempts.some(({ reads }) => reads.some(isLeftOut));
}

/** What a call that is answered for would have been asked inside, it is asked itself: an approval inside counts for the call around. */
function innerCallsOf({ inner }: RecordedCall): readonly RecordedCall[] {
  return inner.flatMap(({ turns }) =>
    turns.flatMap(({ calls }) => calls.flatMap((call) => [call, ...innerCallsOf(call)])),
  );
}

function textOf(params: unknown): string | undefined {
  try {
    // Arguments are parsed JSON.
    return params === undefined ? undefined : canonicalJson(params as JsonValue);
  } catch (error) {
    return describeError(error);
  }
}
