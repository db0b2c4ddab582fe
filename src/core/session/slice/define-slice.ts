import { assertOptions, type RefuseArgument, SessionError } from '../../error/index.ts';
import {
  assertSchema,
  type DeepReadonly,
  type InferInput,
  type InferOutput,
  type JsonValue,
  type Schema,
} from '../../schema/index.ts';
import { bindReducer, type ReducerBinder, type ReducerBinding } from './reducer.ts';
import type { Slice } from './slice.ts';
import { DeclaredSlice, type SliceParts } from './slice-internals.ts';

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
}

interface StatePolicyOptions<Item> {
  /** Default `state`. */
  readonly policy?: 'state';
  /**
   * Makes the slice keyed: the text that identifies an item. Adding an item with a known key takes the old one's place.
   * Pure. May throw: the write throws and nothing is applied.
   */
  readonly key?: (item: DeepReadonly<Item>) => string;
  readonly retain?: undefined;
}

interface LogPolicyOptions {
  readonly policy: 'log';
  /** Keep only the last so many items: an integer of at least 1. Default: all. */
  readonly retain?: number;
  readonly key?: undefined;
}

const refuseSlice: RefuseArgument = (message, details) => new SessionError('slice-invalid', message, details);

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

/**
 * Declares a slice of a session.
 * @throws {SessionError} code `slice-invalid` for an empty name, a `retain` or `version` that is not a positive integer,
 * `retain` on STATE, `key` on LOG, `migrate` in version 1, or reducers that are not a list of what `on` returns;
 * {@link SchemaError} for `initial` items that break the schema, and for a schema that is not one. Throws what `reducers` throws.
 */
export function defineSlice<S extends Schema>(options: SliceOptions<S>): Slice<InferOutput<S>> {
  assertOptions('defineSlice()', options, { initial: 'array', reducers: 'function' }, refuseSlice);
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
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === 'reducer-binding' &&
    'reduce' in value &&
    typeof value.reduce === 'function'
  );
}
