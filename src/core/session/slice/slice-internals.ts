import { describeError, SchemaError, SessionError, SnapshotError } from '../../error/index.ts';
import { present } from '../../internal/index.ts';
import {
  compileSchema,
  describeIssues,
  freezeJson,
  type JsonValue,
  parseInputSync,
  type Schema,
  sameJson,
} from '../../schema/index.ts';
import type { ReducerBinding } from './reducer.ts';
import type { SlicePolicy, StoredSlice } from './slice.ts';
import { KeyedState, type KeyFunction, SequenceState, type SliceState } from './slice-state.ts';

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
  readonly retain: number | undefined;
  readonly key: ((item: unknown) => string) | undefined;
  readonly initial: readonly unknown[];
  readonly reducers: readonly AnyReducerBinding[];
}

/** A declared slice: what everybody may know of it, and its internals in a private field. */
export class DeclaredSlice implements StoredSlice {
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

/** Freezes an item on its way into a slice. Throws SchemaError `value-not-json`. */
export function admitItem(slice: string, item: unknown): unknown {
  if (item !== undefined) return freezeJson(item, `item of slice ${slice}`);
  throw new SchemaError('value-not-json', `An item of slice ${slice} is undefined. Use null for "nothing".`, {
    details: { slice },
  });
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
  const invalid = (message: string): SessionError =>
    new SessionError('slice-invalid', message, { details: { slice: name } });
  if (policy === 'state') {
    throw invalid(
      `Slice ${name} is STATE and has retain, which is for LOG slices. Drop it, or bound the slice in its reducers.`,
    );
  }
  if (!Number.isSafeInteger(retain) || retain < 1) {
    throw invalid(`Slice ${name} has retain ${retain}. It must be an integer of at least 1.`);
  }
}

function assertParts({ name, policy, retain, key, version, migrate }: SliceParts): void {
  const invalid = (message: string): SessionError =>
    new SessionError('slice-invalid', message, { details: { slice: name } });
  if (typeof name !== 'string' || name === '')
    throw invalid('A slice needs a name: a text that is not empty.');
  if (policy === 'log' && key !== undefined) {
    throw invalid(
      `Slice ${name} is LOG and has a key, but LOG slices only grow. Drop the key, or make the slice STATE.`,
    );
  }
  if (retain !== undefined) assertRetain({ name, policy }, retain);
  if (!Number.isSafeInteger(version) || version < 1)
    throw invalid(`Slice ${name} has version ${version}. It must be an integer of at least 1.`);
  if (migrate !== undefined && version === 1)
    throw invalid(
      `Slice ${name} has migrate, but its version is 1 and there is none before it. Raise the version.`,
    );
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
