import { describeError } from '../../error/index.ts';
import { attempt, freezeData } from '../../internal/index.ts';
import type { Logger } from '../../tool/index.ts';
import type { RunEvent } from '../events/run-event.ts';
import type { Redactor } from '../redaction/index.ts';
import { type EventType, everyEventType, isFlat } from './event-types.ts';
import type { ObservedEvaluation } from './observed.ts';
import { redactAttempt, redactRequest, redactResponse, redactState } from './redact-observed.ts';
import { noObservers, type ObserverCalls, type RunObserver, type RunScope } from './run-observer.ts';

/** The members of an observer that take a report. */
type ReportName = Exclude<keyof RunObserver, 'around' | 'onEvent' | 'eventTypes'>;

/**
 * Puts guards around observers, so that nothing they do changes how the run comes out or what another one gets, and so that they get
 * nothing that is to be redacted.
 */
export function guardObservers(
  observers: readonly RunObserver[],
  redactor: Redactor | undefined,
  logger: Logger,
): ObserverCalls {
  const fail = (what: string) => (error: unknown) =>
    logger.error('An observer of the run failed.', { event: what, error: describeError(error) });
  /** One function for all observers that have the member; undefined when none has. */
  const toAll = <Report>(
    name: ReportName,
    redact: (report: Report, by: Redactor) => Report,
    nameOf: (report: Report) => string,
  ): ((report: Report) => void) | undefined => {
    const observing = observers.filter((observer) => observer[name] !== undefined);
    if (observing.length === 0) return undefined;
    return (report) => {
      const shown = freezeData(redactor === undefined ? report : redact(report, redactor));
      // The member of this name takes such a report.
      for (const observer of observing) attempt(() => observer[name]?.(shown as never), fail(nameOf(report)));
    };
  };
  const { eventTypes, onEvent } = eventsToAll(observers, redactor, fail);
  // Written out: the shape of an object with a spread lives only as long as a run, and the code compiled for it goes with it.
  return {
    eventTypes,
    onEvent,
    onState: toAll('onState', redactState, () => 'onState'),
    onRequest: toAll('onRequest', redactRequest, () => 'onRequest'),
    onResponse: toAll('onResponse', redactResponse, () => 'onResponse'),
    onCommit: toAll('onCommit', redactAttempt, () => 'onCommit'),
    onDiscard: toAll('onDiscard', redactAttempt, () => 'onDiscard'),
    around: aroundAll(observers, fail('around')),
  };
}

/** An observer of events, and the types that it wants. */
interface EventObserver {
  readonly observer: Pick<RunObserver, 'onEvent'>;
  readonly types: ReadonlySet<EventType>;
}

/** All events of a run go through one function. */
function eventsToAll(
  observers: readonly RunObserver[],
  redactor: Redactor | undefined,
  fail: (what: string) => (error: unknown) => void,
): Pick<ObserverCalls, 'eventTypes' | 'onEvent'> {
  const observing = observers
    .filter(({ onEvent }) => onEvent !== undefined)
    .map((observer): EventObserver => ({ observer, types: typesOf(observer) }));
  if (observing.length === 0) return { eventTypes: noObservers.eventTypes, onEvent: undefined };
  // The start of a run names the outermost evaluation.
  const eventTypes = new Set(observing.flatMap(({ types }) => [...types]).concat('run-start'));
  let evaluation: ObservedEvaluation = { evaluationId: '', path: [] };
  const onEvent = (event: RunEvent): void => {
    // A watchdog and a journal take more.
    if (!eventTypes.has(event.type)) return;
    if (event.type === 'run-start' && event.path.length === 0) {
      evaluation = Object.freeze({ evaluationId: event.evaluationId, path: Object.freeze([]) });
    }
    const redacted = redactor?.record(event) ?? event;
    const shown = isFlat(redacted) ? Object.freeze(redacted) : freezeData(redacted);
    for (const { observer, types } of observing) {
      if (types.has(shown.type)) tell(observer, shown, evaluation, fail);
    }
  };
  return { eventTypes, onEvent };
}

function typesOf({ eventTypes }: RunObserver): ReadonlySet<EventType> {
  return eventTypes === undefined ? everyEventType : new Set(eventTypes);
}

/** Written out where events are many: {@link attempt} takes two functions, which would be made for each event. */
function tell(
  observer: EventObserver['observer'],
  event: RunEvent,
  evaluation: ObservedEvaluation,
  fail: (what: string) => (error: unknown) => void,
): void {
  try {
    const returned = observer.onEvent?.(event, evaluation);
    if (typeof returned === 'object' && returned !== null) Promise.resolve(returned).catch(fail(event.type));
  } catch (error) {
    fail(event.type)(error);
  }
}

/** The contexts of all observers, the first one outermost. */
function aroundAll(
  observers: readonly RunObserver[],
  fail: (error: unknown) => void,
): ObserverCalls['around'] {
  const arounds = observers.flatMap((observer) =>
    observer.around === undefined ? [] : [guardAround(observer.around.bind(observer), fail)],
  );
  return arounds.reduceRight<ObserverCalls['around']>(
    (inner, outer) =>
      inner === undefined
        ? outer
        : <T>(scope: RunScope, work: () => T): T => outer(scope, () => inner(scope, work)),
    undefined,
  );
}

type Around = NonNullable<RunObserver['around']>;

/** Work that is done once, however often it is called. */
class OnceWork<T> {
  readonly #work: () => T;
  #isBegun = false;
  #end: { readonly value: T } | { readonly thrown: unknown } | undefined;

  constructor(work: () => T) {
    this.#work = work;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  run(): T {
    if (this.#isBegun) throw new RangeError('The work of a run can be done once only.');
    this.#isBegun = true;
    try {
      const value = this.#work();
      this.#end = { value };
      return value;
    } catch (thrown) {
      this.#end = { thrown };
      throw thrown;
    }
  }

  hasThrown(error: unknown): boolean {
    return this.#end !== undefined && 'thrown' in this.#end && this.#end.thrown === error;
  }

  /** Its value, or throws what it threw. */
  result(): T {
    if (this.#end === undefined) throw new RangeError('The work of a run was not done.');
    if ('thrown' in this.#end) throw this.#end.thrown;
    return this.#end.value;
  }
}

/**
 * Does work in the context of one observer. The result is the one of the work, whatever the observer returns; an observer that throws, or
 * does not call the work at once, is reported, and the work is done without it.
 */
function guardAround(around: Around, fail: (error: unknown) => void): Around {
  return <T>(scope: RunScope, work: () => T): T => {
    const once = new OnceWork(work);
    try {
      const returned: unknown = around(scope, () => once.run());
      // What the observer made of the promise of the work rejects with it, and is not awaited by anything else.
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch (error) {
      if (!once.hasThrown(error)) fail(error);
    }
    if (!once.isBegun) {
      fail(new RangeError('The observer did not call the work that it was given.'));
      return once.run();
    }
    return once.result();
  };
}
