import { assertOptions, type RefuseArgument, SchemaError, SessionError } from '../../error/index.ts';
import {
  assertSchema,
  compileSchema,
  describeIssues,
  freezeJson,
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

function assertEventName(name: string): void {
  if (typeof name !== 'string' || name === '') {
    throw new SessionError('event-invalid', 'An event needs a name: a text that is not empty.');
  }
}

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
  assertOptions('defineEvent()', options, {}, refuseEvent);
  const { name, schema } = options;
  assertEventName(name);
  assertSchema('defineEvent()', schema);
  return Object.freeze({ kind: 'event', name, schema });
}

/**
 * Declares an event without a schema: the payload is only frozen and checked to be plain JSON.
 * @internal
 */
export function defineSystemEvent<T>(name: string): EventDefinition<T, T> {
  assertEventName(name);
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
  if (event.schema === undefined) return freezeJson(payload, what);
  const outcome = parseInputSync(compileSchema(event.schema), payload);
  if (outcome.ok) return freezeJson(outcome.value, what);
  throw new SchemaError('value-invalid', `The ${what} is not valid:\n${describeIssues(outcome.issues)}`, {
    details: { event: event.name, issues: outcome.issues },
  });
}
