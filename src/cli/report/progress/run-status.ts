import { cutAtWord, cutLine } from '../../../core/internal/index.ts';
import type { RunEvent } from '../../../core/runtime/index.ts';
import { failureLine, failureWord } from '../../../record/index.ts';
import type { Plan } from '../../../suite/planning/index.ts';
import { printable } from '../../process/plain-text.ts';
import type { Call } from '../calls/call.ts';
import type { CallLog, LocatedEvent } from '../calls/call-log.ts';
import type { Spending } from '../text/spending.ts';

/** Maximum characters of a tool with its arguments. */
const maxSubject = 100;
/** Maximum characters of the reason of a failure. */
const maxReason = 100;

/** What is known of a run before it begins, and what it has spent since. */
export interface ProgressRun {
  /** Name of the agent, and of its folder. */
  readonly title: string;
  readonly modelName: string;
  /** Maximum number of turns; undefined: none was named. */
  readonly maxTurns: number | undefined;
  /** What it may cost; undefined: none was named. */
  readonly maxCost: number | undefined;
  readonly spending: () => Spending;
}

/** What a running call, or the wait for a model, is shown as. Safe to print. */
export interface RunningWork {
  /** Name of the tool, after those of the outer calls. */
  readonly toolName: string;
  readonly args: string;
  readonly sinceMs: number;
  /** What it reports; empty: nothing. */
  readonly report: string;
}

/** A call that was not committed. Safe to print. */
export interface FailedCall {
  readonly turn: number;
  /** Its tool and arguments. */
  readonly subject: string;
  /** `denied`, `rolled back`. */
  readonly word: string;
  /** ` by careful: No.`: how the word continues. */
  readonly rest: string;
  /** The same without the reason, where that says enough. */
  readonly shortRest: string;
}

/** The wait of an evaluation for its model. */
type ModelWait =
  | { readonly kind: 'asking' | 'thinking' | 'writing'; readonly sinceMs: number }
  | {
      readonly kind: 'retrying';
      readonly sinceMs: number;
      readonly untilMs: number;
      readonly reason: string;
    };

/** The key of the run itself; an inner evaluation is keyed by its call. */
const root = Symbol('run');

/** What a run is doing, by its events: always the latest state. */
export class RunStatus {
  readonly #calls: CallLog;
  readonly #run: ProgressRun;
  readonly #now: () => number;
  readonly #clean: (text: string) => string;
  readonly #waits = new Map<Call | typeof root, ModelWait>();
  /** Policies that wait for an answer. */
  readonly #questions = new Map<Call, string>();
  readonly #begunAtMs: number;
  /** The model that the run is with, once it has left the one that it began with. */
  #model: string | undefined;
  #failed: FailedCall | undefined;
  #plan: Plan | undefined;
  #turn = 0;
  #committed = 0;
  readonly #others = new Map<string, number>();

  /**
   * @param calls of the run; gets every event that is observed.
   * @param now milliseconds; only differences are meaningful.
   * @param clean removes what must not be shown from a text.
   */
  constructor(calls: CallLog, run: ProgressRun, now: () => number, clean: (text: string) => string) {
    this.#calls = calls;
    this.#run = run;
    this.#now = now;
    this.#clean = clean;
    this.#begunAtMs = now();
  }

  /** To be called with every event of the run, in order. */
  observe(event: RunEvent, plan?: Plan): LocatedEvent {
    const sighting = this.#calls.observe(event);
    this.#turn = sighting.turn;
    this.#plan = plan;
    this.#follow(sighting);
    return sighting;
  }

  get run(): ProgressRun {
    return this.#run;
  }

  /** Number of the turn; 0 before the first. */
  get turn(): number {
    return this.#turn;
  }

  get elapsedMs(): number {
    return this.#now() - this.#begunAtMs;
  }

  /** The last call that was not committed, until the same one is. */
  get failed(): FailedCall | undefined {
    return this.#failed;
  }

  /** Outcomes of the run's own calls, the committed ones first: `31 committed, 1 denied`; empty before the first. */
  get outcomes(): string {
    const parts = [...this.#others].map(([word, count]) => `${count} ${word}`);
    return [...(this.#committed > 0 ? [`${this.#committed} committed`] : []), ...parts].join(', ');
  }

  /** The first step of the plan that is begun, or else not done; undefined without one. Safe to print. */
  get step(): { readonly number: number; readonly of: number; readonly title: string } | undefined {
    const { steps } = this.#plan ?? { steps: [] };
    const begun = steps.findIndex(({ status }) => status === 'in_progress');
    const index = begun >= 0 ? begun : steps.findIndex(({ status }) => status !== 'done');
    const step = steps[index];
    return step === undefined
      ? undefined
      : { number: index + 1, of: steps.length, title: printable(step.title) };
  }

  /** The calls that run and wait for no call inside them, longest first. */
  get running(): readonly RunningWork[] {
    const calls = this.#calls.running;
    return calls
      .filter((call) => !calls.some(({ outerCalls }) => outerCalls.includes(call)))
      .sort((left, right) => left.startedAtMs - right.startedAtMs)
      .map((call) => ({
        toolName: [...call.outerCalls, call].map(({ toolName }) => printable(toolName)).join(' > '),
        args: printable(call.subject),
        sinceMs: call.startedAtMs,
        report: this.#reportOf(call),
      }));
  }

  /** What the model is doing, when no call runs: `asking openai:gpt-5, 8.2 s`; undefined when it is not asked. Safe to print. */
  get asking(): string | undefined {
    const wait = this.#waits.get(root);
    return wait === undefined ? undefined : this.#describeWait(wait);
  }

  #reportOf(call: Call): string {
    const wait = this.#waits.get(call);
    return (
      this.#questions.get(call) ??
      (wait === undefined ? printable((call.progress ?? '').trim()) : this.#describeWait(wait, 'its model'))
    );
  }

  #describeWait(wait: ModelWait, model = printable(this.#model ?? this.#run.modelName)): string {
    const nowMs = this.#now();
    const seconds = secondsText(nowMs - wait.sinceMs);
    switch (wait.kind) {
      case 'asking':
        return `asking ${model}, ${seconds}`;
      case 'retrying':
        return nowMs < wait.untilMs
          ? `asking again in ${Math.ceil((wait.untilMs - nowMs) / 1_000)} s: ${wait.reason}`
          : `asking ${model} again, ${secondsText(nowMs - wait.untilMs)}`;
      default:
        return `${model} is ${wait.kind}, ${seconds}`;
    }
  }

  #follow({ event, outerCalls, call, turn }: LocatedEvent): void {
    const evaluation = outerCalls.at(-1) ?? root;
    const sinceMs = this.#now();
    switch (event.type) {
      case 'model-call-start':
        this.#waits.set(evaluation, { kind: 'asking', sinceMs });
        return;
      case 'text-delta':
      case 'reasoning-delta': {
        const kind = event.type === 'text-delta' ? 'writing' : 'thinking';
        const known = this.#waits.get(evaluation);
        if (known?.kind !== kind) {
          this.#waits.set(evaluation, { kind, sinceMs: known?.sinceMs ?? sinceMs });
        }
        return;
      }
      case 'model-call-retry': {
        const reason = event.reason.replaceAll('-', ' ');
        this.#waits.set(evaluation, { kind: 'retrying', sinceMs, untilMs: sinceMs + event.delayMs, reason });
        return;
      }
      case 'model-changed':
        if (evaluation === root) this.#model = event.to;
        this.#waits.set(evaluation, { kind: 'asking', sinceMs });
        return;
      case 'run-resumed':
        this.#model = event.model ?? this.#model;
        return;
      case 'model-call-end':
        this.#waits.delete(evaluation);
        return;
      case 'approval-start':
        if (call !== undefined) this.#questions.set(call, `${printable(event.policy)} asks for approval`);
        return;
      case 'approval-end':
        if (call !== undefined) this.#questions.delete(call);
        return;
      case 'tool-call-retry':
        if (call !== undefined) this.#forget(call);
        return;
      case 'tool-call-end':
        if (call === undefined) return;
        this.#forget(call);
        this.#count(call, turn, outerCalls.length === 0);
        return;
      default:
    }
  }

  /** Removes the waits of an attempt that has ended, and of everything inside it. */
  #forget(call: Call): void {
    this.#questions.delete(call);
    this.#waits.delete(call);
    const isOver = (key: Call | typeof root): boolean => key !== root && !this.#calls.isRunning(key);
    for (const key of this.#waits.keys()) if (isOver(key)) this.#waits.delete(key);
    for (const key of this.#questions.keys()) if (isOver(key)) this.#questions.delete(key);
  }

  #count(call: Call, turn: number, isOwn: boolean): void {
    const failed = failedCall(call, turn, this.#clean);
    if (failed === undefined) {
      if (isOwn) this.#committed += 1;
      if (this.#failed?.subject === subjectOf(call)) this.#failed = undefined;
      return;
    }
    this.#failed = failed;
    if (isOwn) this.#others.set(failed.word, (this.#others.get(failed.word) ?? 0) + 1);
  }
}

/** The tool of a call with its arguments. Safe to print. */
export function subjectOf({ toolName, subject }: Pick<Call, 'toolName' | 'subject'>): string {
  return printable(cutLine(`${toolName} ${subject}`.trimEnd(), maxSubject));
}

/** A call that has ended and was not committed; undefined for others. */
export function failedCall(
  call: Call,
  turn: number,
  clean: (text: string) => string,
): FailedCall | undefined {
  const words = failureWord(call);
  if (words === undefined) return undefined;
  const isDenied = call.outcome === 'denied';
  const by = isDenied ? ` by ${printable(clean(call.policy ?? 'a policy'))}` : '';
  const reason = printable(cutAtWord(failureLine(call), maxReason));
  const rest = reason === '' ? by : `${by}: ${reason}`;
  return {
    turn,
    subject: subjectOf(call),
    word: isDenied ? 'denied' : words,
    rest,
    shortRest: isDenied ? by : rest,
  };
}

/** `8.2 s`, `2 min 5 s`. */
export function secondsText(milliseconds: number): string {
  return milliseconds < 60_000
    ? `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`
    : wholeSecondsText(milliseconds);
}

/** `8 s`, `2 min 5 s`. */
export function wholeSecondsText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
