import {
  assertOptions,
  describeError,
  integer,
  type OptionsOf,
  oneOf,
  SchemaError,
  SessionError,
  SnapshotError,
} from '../../error/index.ts';
import { isRecord, present } from '../../internal/index.ts';
import {
  assertSchema,
  compileSchema,
  type DeepReadonly,
  describeIssues,
  type InferInput,
  type InferOutput,
  type JsonValue,
  parseInputSync,
  type Schema,
  sameJson,
} from '../../schema/index.ts';
import { nameCheck } from '../event/event.ts';
import { bindReducer, type ReducerBinder, type ReducerBinding } from './reducer.ts';
import {
  admitItem,
  KeyedState,
  type KeyFunction,
  SequenceState,
  type Slice,
  type SlicePolicy,
  type SliceState,
  type StoredSlice,
  sliceError,
} from './slice.ts';
import { refuseSlice } from './view.ts';

interface CommonSliceOptions<Item, Initial> {
  /** Not empty; unique in every session that installs the slice. */
  readonly name: string;
  /** Items a new or reset session starts with. Default: none. */
  readonly initial?: readonly Initial[];
  /**
   * What events do to this slice, in order: `(on) => [on(Added, reducers.append())]`. One event may appear several times. Called
   * once, when the slice is declared. Default: none.
   */
  readonly reducers?: (on: ReducerBinder<Item>) => readonly ReducerBinding<Item>[];
  /** Version of the shape of the items, written into exports of a session: an integer of at least 1. Default 1. */
  readonly version?: number;
  /**
   * Turns the items of an export of an earlier version into items of this one, which are then validated; for versions above
   * 1. Pure: the items are frozen. May throw: the import throws and nothing is changed. Default: earlier versions are refused.
   */
  readonly migrate?: (items: readonly JsonValue[], fromVersion: number) => readonly unknown[];
  /**
   * What a model must still know of the items once earlier turns have left the conversation (`context.compact`): a text that takes their place, empty for nothing. Pure,
   * and of the items alone: what is cached of a conversation is lost with each text that differs. May throw: the model reads that there is no text, and the error is logged. Default: nothing.
   */
  readonly digest?: (items: readonly DeepReadonly<Item>[]) => string;
}

interface StatePolicyOptions<Item> {
  /** What is kept: with `'state'` the items as they are now, with `'log'` each item that was added. Default: `'state'`. */
  readonly policy?: 'state';
  /**
   * Makes the slice keyed: the text that identifies an item. Adding an item with a known key takes the old one's place.
   * Pure. May throw: the write throws and nothing is applied.
   */
  readonly key?: (item: DeepReadonly<Item>) => string;
  readonly retain?: undefined;
}

interface LogPolicyOptions {
  /** Each item that was added is kept, in order. */
  readonly policy: 'log';
  /** Keep only the last so many items: an integer of at least 1. Default: all. */
  readonly retain?: number;
  readonly key?: undefined;
}

/** Options of {@link defineSystemSlice}. @internal */
export type SystemSliceOptions<T> = CommonSliceOptions<T, T> &
  (StatePolicyOptions<T> | LogPolicyOptions) & {
    /** See {@link StoredSlice.systemState}. Default false. */
    readonly systemState?: boolean;
    /** What items must be that come back from an export. Default: any plain JSON. */
    readonly importSchema?: Schema;
  };

/** Options of {@link defineSlice}. */
export type SliceOptions<S extends Schema> = CommonSliceOptions<InferOutput<S>, InferInput<S>> &
  (StatePolicyOptions<InferOutput<S>> | LogPolicyOptions) & {
    /**
     * What an item must be. Must validate synchronously, yield plain JSON, and accept what it yields. Items written directly are
     * validated; items that a reducer returns are checked by the compiler only.
     */
    readonly schema: S;
  };

const sliceChecks: OptionsOf<SliceOptions<Schema>> = {
  name: nameCheck,
  schema: 'any',
  initial: 'array',
  reducers: 'function',
  policy: oneOf(['state', 'log']),
  key: 'any',
  retain: 'any',
  version: integer({ min: 1 }),
  migrate: 'any',
  digest: 'function',
};

/**
 * Declares a slice of a session.
 *
 * ```ts
 * import { defineEvent, defineSlice, reducers, Session } from 'weakincentives';
 * import { z } from 'zod';
 *
 * const Step = z.object({ name: z.string(), isDone: z.boolean() });
 * const StepChanged = defineEvent({ name: 'step-changed', schema: Step });
 * const Steps = defineSlice({
 *   name: 'steps',
 *   schema: Step,
 *   key: ({ name }) => name,
 *   reducers: (on) => [on(StepChanged, reducers.upsertBy(({ name }) => name))],
 * });
 *
 * await using session = new Session();
 * session.install(Steps);
 * session.dispatch(StepChanged, { name: 'build', isDone: false });
 * session.dispatch(StepChanged, { name: 'build', isDone: true });
 * console.log(session.slice(Steps).all()); // [ { name: 'build', isDone: true } ]
 * ```
 *
 * @throws {SessionError} code `slice-invalid` for an empty name, a `retain` or `version` that is not a positive integer,
 * `retain` on STATE, `key` on LOG, `migrate` in version 1, or reducers that are not a list of what `on` returns;
 * {@link SchemaError} for `initial` items that break the schema, and for a schema that is not one. Throws what `reducers` throws.
 */
export function defineSlice<S extends Schema>(options: SliceOptions<S>): Slice<InferOutput<S>> {
  assertOptions('defineSlice()', options, sliceChecks, refuseSlice);
  const { schema } = options;
  assertSchema('defineSlice()', schema);
  return makeSlice(options, { schema, importSchema: schema, systemState: false });
}

/**
 * Declares a slice without a schema: items are only frozen and checked to be plain JSON.
 * @internal
 */
export function defineSystemSlice<T>(options: SystemSliceOptions<T>): Slice<T> {
  const { importSchema, systemState = false } = options;
  return makeSlice(options, { schema: undefined, importSchema, systemState });
}

function makeSlice<T, Initial>(
  options: CommonSliceOptions<T, Initial> & (StatePolicyOptions<T> | LogPolicyOptions),
  {
    systemState,
    ...schemas
  }: Pick<SliceParts, 'schema' | 'importSchema'> & { readonly systemState: boolean },
): Slice<T> {
  const parts: SliceParts = {
    name: options.name,
    policy: options.policy ?? 'state',
    ...schemas,
    version: options.version ?? 1,
    migrate: options.migrate,
    // Only items of this slice are ever handed to it.
    digest: options.digest as SliceParts['digest'],
    retain: options.retain,
    // Only items of this slice, which are of the key function's type, are ever handed to it.
    key: options.key as ((item: unknown) => string) | undefined,
    initial: options.initial ?? [],
    reducers: boundReducers(options),
  };
  return new DeclaredSlice(parts, systemState);
}

function boundReducers<T, Initial>({
  name,
  reducers,
}: CommonSliceOptions<T, Initial>): readonly ReducerBinding<T>[] {
  if (reducers === undefined) return [];
  const bound = reducers(bindReducer);
  if (Array.isArray(bound) && bound.every(isBinding)) return bound;
  throw refuseSlice(`The reducers of slice ${name} are not a list of what on() returns.`, {
    details: { slice: name },
  });
}

/** True for what {@link bindReducer} made; `on` gives the compiler the type of the items. */
function isBinding(value: unknown): boolean {
  return isRecord(value) && value['kind'] === 'reducer-binding' && typeof value['reduce'] === 'function';
}

/** A reducer tied to an event, whatever the type of the slice. */
export type AnyReducerBinding = Pick<ReducerBinding<never>, 'event' | 'reduce'>;

/** What a slice does at run time, with the types erased. */
export interface SliceInternals {
  readonly initial: SliceState;
  readonly reducers: readonly AnyReducerBinding[];
  /** Validates an item that is written directly, then freezes it. Throws SchemaError `value-invalid` or `value-not-json`. */
  parse(item: unknown): unknown;
  /** The version of the shape of the items. */
  readonly version: number;
  readonly migrate: Migrate | undefined;
  /** See the option. */
  readonly digest: ((items: readonly unknown[]) => unknown) | undefined;
  /** {@link parse} for an item of an export. */
  parseImported(item: unknown): unknown;
  /**
   * Throws SnapshotError `snapshot-item-invalid` when an item of this slice would be refused, or changed, by
   * {@link parseImported}. A state that has passed is not checked again.
   */
  assertImportable(state: SliceState): void;
}

/** Turns items of an earlier version of a slice into items of the present one. */
export type Migrate = (items: readonly JsonValue[], fromVersion: number) => unknown;

/** The parts of a slice declaration, with the types erased. */
export interface SliceParts {
  readonly name: string;
  readonly policy: SlicePolicy;
  readonly schema: Schema | undefined;
  readonly importSchema: Schema | undefined;
  readonly version: number;
  readonly migrate: Migrate | undefined;
  readonly digest: SliceInternals['digest'];
  readonly retain: number | undefined;
  readonly key: ((item: unknown) => string) | undefined;
  readonly initial: readonly unknown[];
  readonly reducers: readonly AnyReducerBinding[];
}

/** A declared slice: what everybody may know of it, and its internals in a private field. */
class DeclaredSlice implements StoredSlice {
  readonly kind = 'slice';
  readonly name: string;
  readonly policy: SlicePolicy;
  readonly keyed: boolean;
  readonly systemState: boolean;
  readonly #internals: SliceInternals;

  constructor(parts: SliceParts, systemState: boolean) {
    this.#internals = compileSlice(parts);
    this.name = parts.name;
    this.policy = parts.policy;
    this.keyed = parts.key !== undefined;
    this.systemState = systemState;
    Object.freeze(this);
  }

  static internalsOf(slice: StoredSlice): SliceInternals {
    if (#internals in slice) return slice.#internals;
    throw new SessionError(
      'slice-invalid',
      `Slice ${slice.name} was not made by defineSlice. Declare it with that.`,
    );
  }
}

/** Throws SessionError `slice-invalid` for an object that `defineSlice` did not make. */
export function internalsOf(slice: StoredSlice): SliceInternals {
  return DeclaredSlice.internalsOf(slice);
}

function compileSlice(parts: SliceParts): SliceInternals {
  assertParts(parts);
  const parse = itemParser(parts.name, parts.schema);
  let initial: SliceState =
    parts.key === undefined
      ? SequenceState.empty(parts.retain)
      : KeyedState.empty(checkedKeyFunction(parts.name, parts.key));
  for (const item of parts.initial) initial = initial.append(parse(item));
  return Object.freeze({
    initial,
    reducers: Object.freeze([...parts.reducers]),
    parse,
    version: parts.version,
    migrate: parts.migrate,
    digest: parts.digest,
    ...importRules(parts),
  });
}

function importRules({
  name,
  importSchema,
}: SliceParts): Pick<SliceInternals, 'parseImported' | 'assertImportable'> {
  const parseImported = itemParser(name, importSchema);
  const importable = new WeakSet<SliceState>();
  return {
    parseImported,
    assertImportable: (state) => {
      if (importSchema === undefined || importable.has(state)) return;
      for (const [index, item] of state.all().entries()) {
        try {
          assertUnchanged(name, parseImported(item), item);
        } catch (error) {
          throw invalidItem(name, index, error);
        }
      }
      importable.add(state);
    },
  };
}

function assertUnchanged(slice: string, parsed: unknown, item: unknown): void {
  if (sameJson(parsed, item)) return;
  throw new SchemaError(
    'value-invalid',
    `The schema of slice ${slice} changes an item of the slice when it reads it again. Let it accept what it yields and leave it as it is.`,
    { details: { slice } },
  );
}

/** Throws SessionError `slice-invalid` when a slice cannot be held to its last `retain` items. */
export function assertRetain({ name, policy }: Pick<SliceParts, 'name' | 'policy'>, retain: number): void {
  if (policy === 'state')
    throw invalid(
      name,
      'is STATE and has retain, which is for LOG slices. Drop it, or bound the slice in its reducers.',
    );
  if (!Number.isSafeInteger(retain) || retain < 1)
    throw invalid(name, `has retain ${retain}. It must be an integer of at least 1.`);
}

function assertParts({ name, policy, retain, key, version, migrate }: SliceParts): void {
  if (policy === 'log' && key !== undefined)
    throw invalid(
      name,
      'is LOG and has a key, but LOG slices only grow. Drop the key, or make the slice STATE.',
    );
  if (retain !== undefined) assertRetain({ name, policy }, retain);
  if (migrate !== undefined && version === 1)
    throw invalid(name, 'has migrate, but its version is 1 and there is none before it. Raise the version.');
}

function invalid(name: string, problem: string): SessionError {
  return sliceError('slice-invalid', name, problem);
}

function itemParser(name: string, schema: Schema | undefined): (item: unknown) => unknown {
  if (schema === undefined) return (item) => admitItem(name, item);
  return (item) => {
    const outcome = parseInputSync(compileSchema(schema), item);
    if (outcome.ok) return admitItem(name, outcome.value);
    throw new SchemaError(
      'value-invalid',
      `An item does not fit slice ${name}:\n${describeIssues(outcome.issues)}`,
      {
        details: { slice: name, issues: outcome.issues },
      },
    );
  };
}

function checkedKeyFunction(name: string, key: (item: unknown) => string): KeyFunction {
  return (item) => {
    const found: unknown = key(item);
    if (typeof found === 'string') return found;
    throw new SessionError(
      'slice-key-invalid',
      `The key function of slice ${name} returned ${typeof found}. It must return a text.`,
      {
        details: { slice: name },
      },
    );
  };
}

/** The error for an item that cannot be exported, or come back from an export. */
export function invalidItem(slice: string, index: number, cause: unknown): SnapshotError {
  const issues = SchemaError.isInstance(cause) ? cause.details['issues'] : undefined;
  return new SnapshotError(
    'snapshot-item-invalid',
    `Item ${index} of slice ${slice}: ${describeError(cause)}`,
    {
      cause,
      details: { slice, index, ...present({ issues }) },
    },
  );
}
