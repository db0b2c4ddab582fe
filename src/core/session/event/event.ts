import {
  assertArgument,
  assertOptions,
  matching,
  type OptionRule,
  type RefuseArgument,
  required,
  SchemaError,
  SessionError,
} from '../../error/index.ts';
import { attempt } from '../../internal/index.ts';
import {
  assertSchema,
  compileSchema,
  type DeepReadonly,
  describeIssues,
  freezeJson,
  freezeOwnJson,
  type InferInput,
  type InferOutput,
  parseInputSync,
  type Schema,
} from '../../schema/index.ts';

/** An event of any payload type, for lists and look-ups. Every {@link EventDefinition} is one. */
export interface AnyEvent {
  readonly kind: 'event';
  /** Identifies the event within a session and in patches. */
  readonly name: string;
  /** What a payload must be. Without one the payload is only checked to be plain JSON. */
  readonly schema?: Schema;
}

/** What `dispatch` takes and what listeners get, for the compiler. */
export interface EventTypes<in Input, out Output> {
  /** Takes what can be dispatched. */
  readonly accepts: (payload: Input) => void;
  readonly yields: Output;
}

/**
 * A kind of event that can be dispatched: `Input` is what `dispatch` takes, `Output` what reducers and subscribers get.
 * @see docs/spec/session.md §3
 */
export interface EventDefinition<in Input, out Output> extends AnyEvent {
  /** Carries the types for the compiler; never present at run time. */
  readonly '~types'?: EventTypes<Input, Output>;
}

const refuseEvent: RefuseArgument = (message, details) => new SessionError('event-invalid', message, details);

/** What the name of an event or of a slice must be. */
export const nameCheck: OptionRule<string> = required(matching(/./s, 'a text that is not empty'));

/** Options of {@link defineEvent}. */
export interface EventOptions<S extends Schema> {
  /** Not empty; unique in every session that uses the event. */
  readonly name: string;
  /** What a payload must be. Must validate synchronously and yield plain JSON. */
  readonly schema: S;
}

/**
 * Declares an event by name and payload schema. Payloads are validated when they are dispatched, unknown keys refused.
 * @throws {SessionError} code `event-invalid` when the name is empty; {@link SchemaError} code `schema-not-standard` for what is not a schema.
 */
export function defineEvent<S extends Schema>(
  options: EventOptions<S>,
): EventDefinition<InferInput<S>, InferOutput<S>> {
  assertOptions('defineEvent()', options, { name: nameCheck, schema: 'any' }, refuseEvent);
  const { name, schema } = options;
  assertSchema('defineEvent()', schema);
  return Object.freeze({ kind: 'event', name, schema });
}

/**
 * Declares an event without a schema: the payload is only frozen and checked to be plain JSON.
 * @internal
 */
export function defineSystemEvent<T>(name: string): EventDefinition<T, T> {
  return Object.freeze({ kind: 'event', name });
}

/** An event for the subscribers: validated payload, and the kind of slices it fed (`none`: no slice). */
export interface DispatchedEvent {
  readonly name: string;
  readonly payload: unknown;
  readonly policy: 'state' | 'log' | 'none';
}

/**
 * Validates and deep-freezes a payload.
 * @throws {SchemaError} code `value-invalid` listing the issues, or `value-not-json`.
 */
export function parsePayload(event: AnyEvent, payload: unknown): unknown {
  const what = `payload of event ${event.name}`;
  if (event.schema === undefined) return freezeOwnJson(payload, what);
  const outcome = parseInputSync(compileSchema(event.schema), payload);
  if (outcome.ok) return freezeJson(outcome.value, what);
  throw new SchemaError('value-invalid', `The ${what} is not valid:\n${describeIssues(outcome.issues)}`, {
    details: { event: event.name, issues: outcome.issues },
  });
}

/** Where an event comes from. */
export interface EventMeta {
  readonly eventName: string;
  /** The session that dispatched it; undefined for one published on a dispatcher directly. */
  readonly sessionId: string | undefined;
  /** Number of the commit that it belongs to, in a run with a journal; absent for an event that no call dispatched. */
  readonly commit?: number;
  /** True when the run was interrupted after the commit was decided: subscribers may have got the event before. */
  readonly again?: true;
}

/** What {@link EventMeta} says of an event beside its name and its session. */
export type EventDelivery = Pick<EventMeta, 'commit' | 'again'>;

/**
 * Publishes events to subscribers. It only publishes: what sessions record is decided by their own `dispatch`, so sessions
 * that share a dispatcher never record each other's events.
 * @see docs/spec/session.md §3
 */
export interface Dispatcher {
  /**
   * Calls `subscriber` with each event of this kind. May throw or reject: the failure is reported, the others are still called.
   * Inside a tool call a subscription takes effect at once and is not rolled back.
   * @returns a function that ends the subscription; calling it again does nothing.
   * @throws {SessionError} code `event-duplicate` when subscribers of another event of that name exist.
   */
  subscribe<Input, Output>(
    event: EventDefinition<Input, Output>,
    subscriber: (payload: DeepReadonly<Output>, meta: EventMeta) => void,
  ): () => void;
  /** Like {@link subscribe}, for every event. */
  subscribeAll(subscriber: (payload: unknown, meta: EventMeta) => void): () => void;
  /**
   * Publishes an event to subscribers without any slice hearing of it. Inside a tool call: when the call has been committed.
   * @throws {SchemaError} code `value-invalid` or `value-not-json`.
   */
  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: NoInfer<Input>): void;
  /**
   * Calls `listener` with each failure of a subscriber, until the returned function is called; also with the later
   * rejection of a subscriber that was called before. Must not throw: what it throws is dropped.
   */
  onFailure(listener: (failure: SubscriberFailure) => void): () => void;
  /**
   * Passes what subscribers throw at events of one session through `screen`, before any listener gets it, until the returned function
   * is called. An evaluation with `redact` does so. Must not throw. Where several are given for a session, the last one counts.
   */
  screenFailures(sessionId: string, screen: (error: unknown) => unknown): () => void;
  /** Publishes an event whose payload has been validated; what sessions call. */
  deliver(event: DispatchedEvent, sessionId: string, delivery?: EventDelivery): void;
}

/** What a subscriber threw or rejected with, and the event that it received. */
export interface SubscriberFailure extends EventMeta {
  readonly error: unknown;
}

type Subscriber = (payload: unknown, meta: EventMeta) => unknown;
/** Refuses an option or an argument. */
export const refuse = (...[message, details]: Parameters<RefuseArgument>): SessionError =>
  new SessionError('session-invalid', message, details);

type Screen = (error: unknown) => unknown;
type FailureListener = (failure: SubscriberFailure) => void;

interface Subscription {
  /** Undefined: every event. */
  readonly eventName: string | undefined;
  readonly subscriber: Subscriber;
  isActive: boolean;
}

/**
 * Makes a dispatcher. Subscribers are called synchronously, in the order they subscribed; an event published while another
 * is being delivered follows after it.
 */
export function createDispatcher(): Dispatcher {
  const subscriptions = new Set<Subscription>();
  const events = new Map<string, { readonly event: AnyEvent; count: number }>();
  const waiting: {
    readonly name: string;
    readonly payload: unknown;
    readonly sessionId: string | undefined;
    readonly delivery: EventDelivery | undefined;
  }[] = [];
  let isTelling = false;

  const failureListeners = new Set<FailureListener>();

  const screens = new Map<string, readonly Screen[]>();
  const screenOf = (sessionId: string | undefined): Screen | undefined =>
    sessionId === undefined ? undefined : screens.get(sessionId)?.at(-1);

  const deliver = ({ name, payload, sessionId, delivery }: (typeof waiting)[number]): void => {
    const meta: EventMeta = Object.freeze({ eventName: name, sessionId, ...delivery });
    for (const subscription of [...subscriptions]) {
      if (!subscription.isActive) continue;
      if (subscription.eventName !== undefined && subscription.eventName !== name) continue;
      try {
        const returned = subscription.subscriber(payload, meta);
        // Reported to the current listeners, however late the subscriber fails.
        if (typeof returned === 'object' && returned !== null) {
          reportRejection(returned, [...failureListeners], meta, screenOf(sessionId));
        }
      } catch (error) {
        report(failureListeners, { ...meta, error: screened(error, screenOf(sessionId)) });
      }
    }
  };

  const publish = (
    name: string,
    payload: unknown,
    sessionId: string | undefined,
    delivery?: EventDelivery,
  ): void => {
    waiting.push({ name, payload, sessionId, delivery });
    if (isTelling) return;
    isTelling = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) deliver(next);
    } finally {
      isTelling = false;
    }
  };

  const add = (event: AnyEvent | undefined, subscriber: Subscriber): (() => void) => {
    assertArgument('subscribe()', 'subscriber', subscriber, 'function', refuse);
    const subscription: Subscription = { eventName: event?.name, subscriber, isActive: true };
    if (event !== undefined) {
      const known = events.get(event.name);
      if (known !== undefined && known.event !== event) {
        throw new SessionError(
          'event-duplicate',
          `This dispatcher has subscribers of another event named ${event.name}.`,
          {
            details: { event: event.name },
          },
        );
      }
      events.set(event.name, { event, count: (known?.count ?? 0) + 1 });
    }
    subscriptions.add(subscription);
    return () => {
      if (!subscription.isActive) return;
      subscription.isActive = false;
      subscriptions.delete(subscription);
      const known = event === undefined ? undefined : events.get(event.name);
      if (event === undefined || known === undefined) return;
      if (known.count === 1) events.delete(event.name);
      else known.count -= 1;
    };
  };

  return Object.freeze({
    // Only payloads of this very event, validated by its schema, are delivered under its name.
    subscribe: (event, subscriber) => {
      assertArgument('subscribe()', 'event', event, 'object', refuse);
      return add(event, subscriber as Subscriber);
    },
    subscribeAll: (subscriber) => add(undefined, subscriber),
    dispatch: (event, payload) => {
      const parsed = parsePayload(event, payload);
      if (subscriptions.size > 0) publish(event.name, parsed, undefined);
    },
    onFailure: (listener) => {
      assertArgument('onFailure()', 'listener', listener, 'function', refuse);
      // A function of its own, so that one added twice is called and removed twice.
      const own: FailureListener = (failure) => listener(failure);
      failureListeners.add(own);
      return () => void failureListeners.delete(own);
    },
    screenFailures: (sessionId, screen) => {
      // A function of its own, so that one that is given twice is removed twice.
      const own: Screen = (error) => screen(error);
      screens.set(sessionId, [...(screens.get(sessionId) ?? []), own]);
      return () => {
        const left = (screens.get(sessionId) ?? []).filter((other) => other !== own);
        if (left.length === 0) screens.delete(sessionId);
        else screens.set(sessionId, left);
      };
    },
    deliver: ({ name, payload }, sessionId, delivery) => {
      if (subscriptions.size > 0) publish(name, payload, sessionId, delivery);
    },
  } satisfies Dispatcher);
}

/** Telling of a failure must not become one of the dispatch. */
function report(listeners: Iterable<FailureListener>, failure: SubscriberFailure): void {
  for (const listener of [...listeners]) attempt(() => listener(failure));
}

function screened(error: unknown, screen: Screen | undefined): unknown {
  return screen === undefined ? error : screen(error);
}

/** @param returned what a subscriber returned, a promise perhaps. */
function reportRejection(
  returned: object,
  listeners: readonly FailureListener[],
  meta: EventMeta,
  screen: Screen | undefined,
): void {
  Promise.resolve(returned).then(undefined, (error: unknown) =>
    report(listeners, { ...meta, error: screened(error, screen) }),
  );
}
