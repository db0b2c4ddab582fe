import { present } from '../internal/index.ts';
import type { JsonObject } from './json/json.ts';
import { ownSchema } from './raw-json-schema.ts';
import type { Schema } from './standard.ts';

declare const fieldValue: unique symbol;

/**
 * One field of a record, or of what a tool takes or yields: how JSON holds it, and for the compiler the type of its value. The fields of a record are a plain
 * object; {@link RecordOf} is the type of the record, {@link recordSchema} its schema. Fields are written as
 * `text as Field<string>`: an export needs a type that can be read off its file alone (`isolatedDeclarations`), and the
 * compiler refuses an assertion that the field on its left contradicts.
 */
export interface Field<out T> {
  readonly schema: JsonObject;
  readonly isOptional: false;
  /** Carries `T` for the compiler; never there. */
  readonly [fieldValue]: T;
}

/** A field that may be absent. */
export interface OptionalField<out T> {
  readonly schema: JsonObject;
  readonly isOptional: true;
  /** Carries `T` for the compiler; never there. */
  readonly [fieldValue]: T;
}

/** The fields of a record, by name. */
export type Fields = Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>;

type OptionalName<F> = { [Name in keyof F]: F[Name] extends OptionalField<unknown> ? Name : never }[keyof F];
type ValueOf<F> = F extends Field<infer T> | OptionalField<infer T> ? T : never;
// Mapped types over a parameter keep the comments of the fields.
type RequiredMembers<F, Names extends keyof F> = { readonly [Name in Names]: ValueOf<F[Name]> };
type OptionalMembers<F, Names extends keyof F> = { readonly [Name in Names]?: ValueOf<F[Name]> };

/** The type of records with these fields. */
export type RecordOf<F> = RequiredMembers<F, Exclude<keyof F, OptionalName<F>>> &
  OptionalMembers<F, OptionalName<F>>;

/** The fields of a type that another folder declares; the compiler refuses one that is forgotten. */
export type FieldsOf<T> = {
  readonly [Name in keyof T]-?: Record<never, never> extends Pick<T, Name>
    ? OptionalField<Exclude<T[Name], undefined>>
    : Field<T[Name]>;
};

/** A schema of records with these fields and no others; exports are read with it, and they may come from anywhere. */
export function recordSchema<F extends Fields>(fields: F): Schema<RecordOf<F>, RecordOf<F>> {
  return ownSchema<RecordOf<F>>(() => toJsonSchema(fields));
}

/** A string. Also used for the library's own vocabulary, since a later version may have more values. */
export const text: Field<string> = field({ type: 'string' });
/** A whole number. */
export const integer: Field<number> = field({ type: 'integer' });
/** A whole number from 0. */
export const count: Field<number> = field({ type: 'integer', minimum: 0 });
/** A number from 0, such as tokens, of which providers may report parts. */
export const amount: Field<number> = field({ type: 'number', minimum: 0 });
/** Any number. */
export const number: Field<number> = field({ type: 'number' });
/** A number of milliseconds, or a point in time. */
export const milliseconds: Field<number> = field({ type: 'number' });
export const flag: Field<boolean> = field({ type: 'boolean' });

/** Whatever JSON can hold. */
export function json<T>(): Field<T> {
  return field({ additionalProperties: true });
}

/** An object whose members are not described here. */
export function anyObject<T>(): Field<T> {
  return field({ type: 'object', additionalProperties: true });
}

/** This value and no other. */
export function constant<const T extends string | number | boolean>(value: T): Field<T> {
  return field({ const: value });
}

/** A list of such items, with keywords as in {@link described}. */
export function list<T>(item: Field<T>, keywords: JsonObject = {}): Field<readonly T[]> {
  return field({ type: 'array', ...keywords, items: item.schema });
}

/** An object with values of one kind under any names. */
export function dictionary<T>(value: Field<T>): Field<Readonly<Record<string, T>>> {
  return field({ type: 'object', additionalProperties: value.schema });
}

/** An object with these fields and no others. */
export function record<F extends Fields>(fields: F): Field<RecordOf<F>> {
  return field(toJsonSchema(fields));
}

/** One of several kinds of value. */
export function oneOf<T>(...kinds: readonly Field<T>[]): Field<T> {
  return field({ anyOf: kinds.map(({ schema }) => schema) });
}

/** One of these values. */
export function choice<const T extends string>(...values: readonly T[]): Field<T> {
  return field({ enum: values });
}

/** The type of a record of one of several kinds: `By` says which, and the fields of each are listed by that. */
export type VariantOf<By extends string, Kinds> = {
  [Kind in keyof Kinds]: { readonly [Name in By]: Kind } & RecordOf<Kinds[Kind]>;
}[keyof Kinds];

/**
 * A record of one of several kinds.
 *
 * @param by the field that says which.
 * @param others the fields of a kind that is not listed. Default: there is none.
 */
export function variant<T>(by: string, kinds: Readonly<Record<string, Fields>>, others?: Fields): Field<T> {
  const known = Object.entries(kinds).map(([kind, fields]) =>
    toJsonSchema({ [by]: constant(kind), ...fields }),
  );
  return field({ anyOf: others === undefined ? known : [...known, toJsonSchema(others)] });
}

/** The same field with further keywords of JSON Schema: bounds, a default, a description for the model. */
export function described<T>({ schema }: Field<T>, keywords: JsonObject): Field<T> {
  return field({ ...schema, ...keywords });
}

/** The same field, which may be absent. With keywords as in {@link described}. */
export function optional<T>({ schema }: Field<T>, keywords: JsonObject = {}): OptionalField<T> {
  // The symbol exists for the compiler only.
  return { schema: { ...schema, ...keywords }, isOptional: true } as OptionalField<T>;
}

function field<T>(schema: JsonObject): Field<T> {
  // As above.
  return { schema, isOptional: false } as Field<T>;
}

/** Its members are in the order in which a model reads them. */
function toJsonSchema(fields: Fields): JsonObject {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    ...present({ required: required.length === 0 ? undefined : required }),
    additionalProperties: false,
  };
}
