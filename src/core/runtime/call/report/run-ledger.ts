import { none } from '../../../internal/index.ts';
import type { Clock, Session, StateDifference, StateMark } from '../../../session/index.ts';
import type { EvaluationOrigin } from '../../../tool/index.ts';
import type { ObserverCalls } from '../../observer/run-observer.ts';
import { isReported, withoutRecords } from './record-slices.ts';

/** What the observers of a run on a root session know of its state: numbers the commits, and reports what no call wrote. */
export class RunLedger {
  readonly #observers: ObserverCalls;
  readonly #session: Session;
  readonly #origin: EvaluationOrigin;
  readonly #clock: Clock;
  /** The state that observers know. */
  #known: StateMark;
  #knownSlices = 0;
  #commits = 0;

  constructor(observers: ObserverCalls, session: Session, origin: EvaluationOrigin, clock: Clock) {
    this.#observers = observers;
    this.#session = session;
    this.#origin = origin;
    this.#clock = clock;
    this.#known = session.mark();
  }

  /** How many calls were committed so far. */
  get commits(): number {
    return this.#commits;
  }

  /** Reports what the run begins with. */
  start(): void {
    this.#report('start', { writes: none, log: none });
  }

  /** Reports what others changed, and the slices that were installed, since the last report. */
  reportChanges(): void {
    this.#report('change', withoutRecords(this.#session.changesSince(this.#known)));
  }

  /** The state is known from what was reported of a commit. @returns its number. */
  commit(): number {
    this.skip();
    this.#commits += 1;
    return this.#commits;
  }

  /** The state is known: what changed since the last report was reported otherwise. */
  skip(): void {
    this.#known = this.#session.mark();
  }

  #report(kind: 'start' | 'change', changed: StateDifference): void {
    const installed = this.#session.observe(this.#knownSlices, kind === 'start' ? undefined : this.#known);
    this.#knownSlices += installed.slices.length;
    this.#known = this.#session.mark();
    const slices = installed.slices.filter(({ name }) => isReported(name));
    const whole = withoutRecords(installed);
    const writes = [...whole.writes, ...changed.writes];
    const log = [...whole.log, ...changed.log];
    if (kind === 'change' && slices.length + writes.length + log.length === 0) return;
    const { evaluationId } = this.#origin;
    const atMs = this.#clock.now();
    this.#observers.onState?.({
      evaluationId,
      path: none,
      atMs,
      kind,
      slices,
      writes,
      log,
      isRedacted: false,
    });
  }
}
