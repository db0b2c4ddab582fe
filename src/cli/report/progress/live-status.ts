import { clip, counted } from '../../../core/internal/index.ts';
import type { RunEvent } from '../../../core/runtime/index.ts';
import { printable } from '../../process/plain-text.ts';
import type { Call } from '../calls/call.ts';
import type { CallLog, LocatedEvent } from '../calls/call-log.ts';
import { newsOf, newsText } from '../text/describe-call.ts';

/** How long a report replaces the current activity, unless something else happens first. */
const newsMs = 2_000;
/** How long nothing happens before the status says so. */
const idleMs = 1_000;
/** Maximum characters of a progress update beside its call. */
const maxProgress = 80;

/** An activity and its start. */
interface Activity {
  readonly doing: string;
  readonly sinceMs: number;
}

/** The key of the run itself; an inner evaluation is keyed by its call. */
const root = Symbol('run');

/** The current activity of a run in one line: always the latest state, even if earlier ones were never shown. */
export class LiveStatus {
  readonly #calls: CallLog;
  readonly #now: () => number;
  readonly #clean: (text: string) => string;
  /** Activities of evaluations that wait for a model. */
  readonly #phases = new Map<Call | typeof root, Activity>();
  /** Approvals that wait for an answer. */
  readonly #questions = new Map<Call, Activity>();
  #news: { readonly text: string; readonly untilMs: number } | undefined;
  #turn = 0;
  #eventAtMs = 0;
  #line = '';

  /**
   * @param calls of the run; gets every event that is observed.
   * @param now milliseconds; only differences are meaningful.
   * @param clean removes what must not be shown from a text.
   */
  constructor(calls: CallLog, now: () => number, clean: (text: string) => string) {
    this.#now = now;
    this.#clean = clean;
    this.#calls = calls;
  }

  /** To be called with every event of the run, in order. */
  observe(runEvent: RunEvent): LocatedEvent {
    const sighting = this.#calls.observe(runEvent);
    const sinceMs = this.#now();
    this.#turn = sighting.turn;
    this.#eventAtMs = sinceMs;
    const isNews = this.#note(sighting, sinceMs);
    if (isNews === undefined) return sighting;
    const text = isNews ? newsOf(sighting, this.#clean) : undefined;
    this.#news = text === undefined ? undefined : { text, untilMs: sinceMs + newsMs };
    return sighting;
  }

  /** Whether the event is a report; undefined for one that does not change the activity. */
  #note(sighting: LocatedEvent, sinceMs: number): boolean | undefined {
    const { event, outerCalls, call } = sighting;
    const evaluation = outerCalls.at(-1) ?? root;
    switch (event.type) {
      case 'model-call-start':
        this.#phases.set(evaluation, { doing: 'waiting for the model', sinceMs });
        return false;
      case 'text-delta':
      case 'reasoning-delta': {
        const doing = `the model ${event.type === 'text-delta' ? 'is writing' : 'is thinking'}`;
        const known = this.#phases.get(evaluation);
        if (known?.doing !== doing) {
          this.#phases.set(evaluation, { doing, sinceMs: known?.sinceMs ?? sinceMs });
        }
        return false;
      }
      case 'model-call-retry':
        this.#phases.set(evaluation, { doing: this.#newsWithoutPlace(sighting), sinceMs });
        return false;
      case 'model-call-end':
        this.#phases.delete(evaluation);
        return event.isCompacted === true;
      case 'approval-start':
        if (call !== undefined) {
          this.#questions.set(call, { doing: this.#newsWithoutPlace(sighting), sinceMs });
        }
        return false;
      case 'approval-end':
        if (call !== undefined) this.#questions.delete(call);
        return false;
      case 'tool-call-retry':
      case 'tool-call-end':
        if (call !== undefined) this.#forget(call);
        return event.type === 'tool-call-retry';
      case 'hosted-tool-called':
      case 'hosted-approval-answered':
      case 'tool-results-dropped':
      case 'turns-dropped':
        return true;
      case 'tool-call-start':
      case 'tool-call-progress':
        return false;
      default:
        return undefined;
    }
  }

  /** Safe to print. Empty before the first event. Between two activities the previous one is shown for up to a second. */
  line(): string {
    this.#line = this.#lineAt(this.#now());
    return this.#line;
  }

  #lineAt(nowMs: number): string {
    if (this.#news !== undefined && nowMs < this.#news.untilMs) return this.#news.text;
    for (const [call, activity] of this.#questions) return this.#sentence(activity, nowMs, call);
    const calls = this.#calls.running;
    // A call with inner calls waits for them.
    const leaves = calls.filter((call) => !calls.some(({ outerCalls }) => outerCalls.includes(call)));
    const [leaf] = leaves;
    if (leaf === undefined) {
      const phase = this.#phases.get(root);
      if (phase !== undefined) return this.#sentence(phase, nowMs);
      if (this.#line === '' || nowMs - this.#eventAtMs < idleMs) return this.#line;
      return this.#sentence({ doing: 'between steps', sinceMs: this.#eventAtMs }, nowMs);
    }
    if (leaves.length === 1) return this.#sentence(this.#activityOf(leaf), nowMs, leaf);
    const outer = calls.filter(({ outerCalls }) => outerCalls.length === 0).length;
    const ofInner = calls.length === outer ? '' : ` and ${calls.length - outer} inside`;
    const all = leaves.map((each) => this.#activityOf(each).doing).join(', ');
    const sinceMs = Math.min(...leaves.map(({ startedAtMs }) => startedAtMs));
    return this.#sentence({ doing: `${counted(outer, 'call')}${ofInner}: ${all}`, sinceMs }, nowMs);
  }

  #sentence({ doing, sinceMs }: Activity, nowMs: number, call?: Call): string {
    const place = `turn ${this.#turn}${call === undefined ? '' : `, call ${call.number}`}`;
    const seconds = Math.floor((nowMs - sinceMs) / 1_000);
    return `${place}${seconds < 1 ? '' : `, ${secondsText(seconds)}`}: ${doing}`;
  }

  #activityOf(call: Call): Activity {
    const { toolName, subject, progress = '', startedAtMs } = call;
    const inner = this.#phases.get(call);
    if (inner !== undefined) return { ...inner, doing: `${inner.doing} inside ${printable(toolName)}` };
    const about = printable(`${toolName} ${subject}`.trimEnd());
    const step = printable(progress.trim());
    return { doing: step === '' ? about : `${about} (${clip(step, maxProgress)})`, sinceMs: startedAtMs };
  }

  #newsWithoutPlace(sighting: LocatedEvent): string {
    return newsText(sighting, this.#clean) ?? '';
  }

  /** Removes the activities of an attempt that has ended, and of everything inside it. */
  #forget(call: Call): void {
    this.#questions.delete(call);
    this.#phases.delete(call);
    const isOver = (key: Call | typeof root): boolean => key !== root && !this.#calls.isRunning(key);
    for (const key of this.#phases.keys()) if (isOver(key)) this.#phases.delete(key);
    for (const key of this.#questions.keys()) if (isOver(key)) this.#questions.delete(key);
  }
}

/** `4 s`, `2 min 5 s`. */
function secondsText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
