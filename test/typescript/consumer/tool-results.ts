import assert from 'node:assert/strict';
import {
  type DeepWritable,
  jsonSchema,
  type ToolFailure,
  type ToolHandler,
  ToolResult,
  type ToolSuccess,
  tool,
} from 'weakincentives';

// The forms in which handlers return a value. The test exports every constant here: declaration files have to be able to spell their types out.
interface Params {
  readonly word: string;
}
interface Found {
  lines: string[];
}
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Compilers compare two such functions by whether A and B are identical.
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <A, B>(isEqual: Equal<A, B>): boolean => isEqual;

// An array literal in an annotated handler.
function annotated({ word }: Params): ToolResult<Found> {
  return ToolResult.ok({ lines: [word] });
}
async function annotatedAsync({ word }: Params): Promise<ToolResult<Found>> {
  return ToolResult.ok({ lines: [word] });
}
const arrow = ({ word }: Params): ToolResult<Found> =>
  word === '' ? ToolResult.error('No word.') : ToolResult.ok({ lines: [word] });
const handler: ToolHandler<Params, Found> = ({ word }) => ToolResult.ok({ lines: [word, word] });
const handlerAsync: ToolHandler<Params, Found> = async ({ word }) => {
  if (word === '') return ToolResult.error('No word.');
  return ToolResult.ok({ lines: [word] });
};
const handlerOfTwoSteps: ToolHandler<Params, Found> = ({ word }) => {
  const result = ToolResult.ok({ lines: [word] });
  return result;
};
const emptyList: ToolHandler<Params, string[]> = () => ToolResult.ok([]);
const tuples: ToolHandler<Params, [string, number][]> = () => ToolResult.ok([['a', 1]]);
const deep: ToolHandler<Params, { deep: { list: { names: string[] }[] } }> = () =>
  ToolResult.ok({ deep: { list: [{ names: ['a'] }] } });
const readOnlyList: ToolHandler<Params, { ids: string[] }> = ({ word }) => {
  const ids: readonly string[] = [word];
  return ToolResult.ok({ ids });
};
const besideUnknown: ToolResult<{ found: unknown; lines: string[] }> = ToolResult.ok({
  found: JSON.parse('{}'),
  lines: ['a'],
});

// What compiled before.
const listBefore: ToolHandler<Params, Found> = ({ word }) => {
  const lines = [word];
  return ToolResult.ok({ lines });
};
const valueBefore: ToolHandler<Params, Found> = ({ word }) => {
  const found: Found = { lines: [word] };
  return ToolResult.ok(found);
};
const typeArgument: ToolHandler<Params, Found> = ({ word }) => ToolResult.ok<Found>({ lines: [word] });
const spread: ToolHandler<Params, Found> = ({ word }) => ({ ...ToolResult.ok<Found>({ lines: [word] }) });
const literal: ToolHandler<Params, { state: 'open' | 'closed' }> = () => ToolResult.ok({ state: 'open' });
const readOnly: ToolHandler<Params, { readonly tags: readonly string[] }> = () =>
  ToolResult.ok({ tags: ['a'] });
const readOnlyLiteral: ToolSuccess<{ readonly tags: readonly ['a', 1] }> = ToolResult.ok({ tags: ['a', 1] });
const nothing: ToolHandler<Params, null> = () => ToolResult.ok(null);
const undefinedValue: ToolHandler<Params, void> = () => ToolResult.ok(undefined);
const maybe: ToolHandler<Params, string | null> = ({ word }) => ToolResult.ok(word === '' ? null : word);
const truth: ToolHandler<Params, boolean> = ({ word }) => ToolResult.ok(word === '');
const absent: ToolHandler<Params, { a?: string; b?: string | undefined }> = () =>
  ToolResult.ok({ b: undefined });
const table: ToolHandler<Params, Record<string, number>> = () => ToolResult.ok({ a: 1 });
const unknownValue: ToolHandler<Params, unknown> = () => ToolResult.ok({ a: [1] });
const objectValue: ToolResult<object> = ToolResult.ok({ a: 1 });
const iterable: ToolResult<Iterable<string>> = ToolResult.ok(['a']);
const mapped = ['a'].map((each) => ToolResult.ok(each)) satisfies ToolResult<string>[];
const passedOn = Promise.resolve('a').then(ToolResult.ok<string>) satisfies Promise<ToolResult<string>>;
const asFunction: <T>(value: T) => ToolResult<T> = ToolResult.ok;
const either: readonly ToolResult<unknown>[] = [ToolResult.ok(1), ToolResult.ok('a'), ToolResult.error('x')];
const kinds: ToolResult<{ kind: 'a'; a: 1 } | { kind: 'b'; b: 2 }> = ToolResult.ok({ kind: 'a', a: 1 });
const again = (result: ToolFailure | ToolSuccess<string>): ToolResult<string> =>
  result.success ? ToolResult.ok(result.value) : result;

// Values of a type that is not known yet.
const any = (value: ReturnType<typeof JSON.parse>): ToolResult<Found> => ToolResult.ok(value);
const generic = <T>(value: T): ToolResult<T> => ToolResult.ok(value);
const genericSuccess = <T>(value: T): ToolSuccess<T> => ToolResult.ok(value);
const genericInferred = <T>(value: T) => ToolResult.ok(value);
const genericMember = <T>(value: T): ToolResult<{ item: T; all: readonly T[] }> =>
  ToolResult.ok({ item: value, all: [value] });
const genericObject = <T extends Found>(value: T): ToolResult<T> => ToolResult.ok(value);
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Handlers are written so.
const genericBase = <T extends Found>(value: T): ToolResult<Found> => ToolResult.ok(value);
const genericKey = <T, K extends keyof T>(value: T, key: K): ToolResult<T[K]> => ToolResult.ok(value[key]);
const genericPart = <T>(value: Partial<T>): ToolResult<Partial<T>> => ToolResult.ok(value);
const genericList = <T>(value: readonly T[]): ToolResult<readonly T[]> => ToolResult.ok(value);
const genericTable = <T>(value: Record<string, T>): ToolResult<Record<string, T>> => ToolResult.ok(value);
const genericText = <T extends 'a' | 'b'>(value: T): ToolResult<{ kind: T }> =>
  ToolResult.ok({ kind: value });
const genericUnion = <T>(value: T | undefined): ToolResult<T | null> => ToolResult.ok(value ?? null);
const genericChoice = <T>(value: T extends string ? 1 : 2): ToolResult<T extends string ? 1 : 2> =>
  ToolResult.ok(value);
const genericBoth = <T>(value: T & { id: string }): ToolResult<T & { id: string }> => ToolResult.ok(value);
const genericSpread = <T extends object>(value: T): ToolResult<T & { extra: number }> =>
  ToolResult.ok({ ...value, extra: 1 });

// Instances, functions, branded types, and types that contain themselves.
class Hidden {
  readonly #value: readonly string[] = [];
  readonly size: number = 1;
  first(): string | undefined {
    return this.#value[0];
  }
}
interface Instances {
  readonly at: Date;
  readonly lists: Map<string, readonly string[]>;
  readonly hidden: Hidden;
  readonly bytes: Uint8Array;
  readonly url: URL;
  readonly error: Error;
  readonly call: (x: number) => string;
}
const instances = (value: Instances): ToolResult<Instances> =>
  ToolResult.ok({
    at: value.at,
    lists: value.lists,
    hidden: value.hidden,
    bytes: value.bytes,
    url: value.url,
    error: value.error,
    call: value.call,
  });
type Id = string & { readonly '~brand': 'id' };
const branded = (id: Id): ToolResult<{ ids: Id[] }> => ToolResult.ok({ ids: [id] });
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
const json = (value: Json): ToolResult<Json> => ToolResult.ok(value);
const jsonLiteral: ToolHandler<Params, Json> = () => ToolResult.ok({ a: [1, { b: null }], c: undefined });
interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const tree = (value: Tree): ToolResult<Tree> => ToolResult.ok({ name: '', children: [value] });
type Linked = { readonly value: string; readonly next: Linked | null };
const linked = (value: Linked): ToolResult<{ first: Linked; all: Linked[] }> =>
  ToolResult.ok({ first: value, all: [value] });
type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'sum'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'list'; readonly parts: readonly Expression[] }
  | { readonly kind: 'table'; readonly named: Readonly<Record<string, Expression>> };
const expression = (value: Expression): ToolResult<Expression> => ToolResult.ok(value);
const genericExpression = <T extends Expression>(value: T): ToolResult<T> => ToolResult.ok(value);

// With a schema for the output, without one, and what is wrong in both.
const outputSchema = jsonSchema<Found>({ type: 'object' });
const typed = tool({
  name: 'typed',
  description: 'Finds.',
  outputSchema,
  execute: () => ToolResult.ok({ lines: ['a'] }),
});
const named = tool({
  name: 'named',
  description: 'Finds.',
  outputSchema,
  execute: () => annotated({ word: 'a' }),
});
const untyped = tool({
  name: 'untyped',
  description: 'Finds.',
  execute: () => ToolResult.ok({ lines: ['a'] }),
});
// @ts-expect-error a line is a string
const wrongItem: ToolHandler<Params, Found> = () => ToolResult.ok({ lines: [1] });
// @ts-expect-error the lines are missing
const wrongMember: ToolHandler<Params, Found> = () => ToolResult.ok({ line: ['a'] });
// @ts-expect-error no such state
const wrongLiteral: ToolHandler<Params, { state: 'open' }> = () => ToolResult.ok({ state: 'ajar' });

const kept = ToolResult.ok({
  state: 'open',
  tags: ['a', { ids: [1, null] }],
  at: new Date(0),
  hidden: new Hidden(),
});
check<typeof kept, ToolSuccess<{ state: 'open'; tags: ['a', { ids: [1, null] }]; at: Date; hidden: Hidden }>>(
  true,
);
check<DeepWritable<readonly { readonly a: readonly [1, 2?] }[] | 'x'>, { a: [1, 2?] }[] | 'x'>(true);
check<DeepWritable<unknown>, unknown>(true);
check<DeepWritable<never>, never>(true);
check<DeepWritable<Tree>, Tree>(true);
check<DeepWritable<Id>, Id>(true);
check<ReturnType<typeof genericInferred<5>>, ToolSuccess<5>>(true);

const forms: readonly unknown[] = [
  annotated,
  annotatedAsync,
  ...[arrow, handler, handlerAsync, handlerOfTwoSteps, emptyList, tuples, deep, readOnlyList, besideUnknown],
  ...[listBefore, valueBefore, typeArgument, spread, literal, readOnly, readOnlyLiteral, nothing],
  ...[undefinedValue, maybe, truth, absent, table, unknownValue, objectValue, iterable, mapped, passedOn],
  ...[asFunction, either, kinds, again, any, generic, genericSuccess, genericInferred, genericMember],
  ...[genericObject, genericBase, genericKey, genericPart, genericList, genericTable, genericText],
  ...[genericUnion, genericChoice, genericBoth, genericSpread, instances, branded, json, jsonLiteral],
  ...[tree, linked, expression, genericExpression, typed, named, untyped],
  ...[wrongItem, wrongMember, wrongLiteral],
];
assert.ok(forms.every((form) => form !== undefined));
assert.deepEqual(annotated({ word: 'a' }), { success: true, message: 'OK', value: { lines: ['a'] } });
