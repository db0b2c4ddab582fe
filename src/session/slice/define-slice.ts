import { assertOptions, type RefuseArgument, SessionError } from '../../error/index.ts';
import {
  assertSchema,
  type DeepReadonly,
  type InferInput,
  type InferOutput,
  type JsonValue,
  type Schema,
} from '../../schema/index.ts';
import type { ReducerBinding } from './reducer.ts';
import type { Slice } from './slice.ts';
import { DeclaredSlice, type SliceParts } from './slice-internals.ts';

interface CommonSliceOptions<Item, Initial> {
  /** Items a new or reset session starts with. Default: none. */
  readonly initial?: readonly Initial[];
  /** What events do to this slice, in order; one event may appear several times. Default: none. */
  readonly reducers?: readonly ReducerBinding<Item>[];
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
  (StatePolicyOptions<InferOutput<S>> | LogPolicyOptions);

/**
 * Declares a slice of a session.
 * @param name not empty; unique in every session that installs the slice.
 * @param schema what an item must be. Must validate synchronously, yield plain JSON, and accept what it yields. Items
 * written directly are validated; items that a reducer returns are checked by the compiler only.
 * @throws {SessionError} code `slice-invalid` for an empty name, a `retain` or `version` that is no positive integer,
 * `retain` on STATE, `key` on LOG, or `migrate` in version 1; {@link SchemaError} for `initial` items that break the schema.
 */
export function defineSlice<S extends Schema>(
  name: string,
  schema: S,
  options: SliceOptions<S> = {},
): Slice<InferOutput<S>> {
  assertSchema('defineSlice()', schema);
  assertOptions('defineSlice()', options, { initial: 'array', reducers: 'array' }, refuseSlice);
  return makeSlice(name, options, { schema, importSchema: schema, systemState: false });
}

/**
 * Declares a slice without a schema: items are only frozen and checked to be plain JSON.
 * @internal
 */
export function defineSystemSlice<T>(name: string, options: SystemSliceOptions<T> = {}): Slice<T> {
  const { importSchema, systemState = false } = options;
  return makeSlice(name, options, { schema: undefined, importSchema, systemState });
}

function makeSlice<T, Initial>(
  name: string,
  options: CommonSliceOptions<T, Initial> & (StatePolicyOptions<T> | LogPolicyOptions),
  {
    systemState,
    ...schemas
  }: Pick<SliceParts, 'schema' | 'importSchema'> & { readonly systemState: boolean },
): Slice<T> {
  const parts: SliceParts = {
    name,
    policy: options.policy ?? 'state',
    ...schemas,
    version: options.version ?? 1,
    migrate: options.migrate,
    retain: options.retain,
    // Only items of this slice, which are of the key function's type, are ever handed to it.
    key: options.key as ((item: unknown) => string) | undefined,
    initial: options.initial ?? [],
    reducers: options.reducers ?? [],
  };
  return new DeclaredSlice(parts, systemState);
}
