/** A value that JSON can carry as it is. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** An object that JSON can carry as it is. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** The same type with every property and item read-only, at every depth. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends (...args: never[]) => unknown
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;

/**
 * The same type without `readonly`, at every depth: of arrays, tuples and the types of object literals. Interfaces and classes, such as `Date`, and functions
 * stay as they are. It can be assigned to `T`, also where `T` is a type parameter.
 *
 * @typeParam Depth how deep in the type it is; at 16 the rest stays as it is, since a type may contain itself.
 */
export type DeepWritable<T, Depth extends readonly 0[] = []> = Depth['length'] extends 16
  ? T
  : T extends readonly unknown[] | { readonly [key: string]: unknown }
    ? WritableMembers<T, Depth> extends T // Always; it says so to the compiler where `T` is not known.
      ? WritableMembers<T, Depth>
      : T
    : T;

type WritableMembers<T, Depth extends readonly 0[]> = {
  -readonly [Key in keyof T]: DeepWritable<T[Key], [...Depth, 0]>;
};

/** `Array.isArray` that narrows to the read-only list of a JSON value. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
