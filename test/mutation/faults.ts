/**
 * A place in the sources, wherever its file lies: `name` of a function, or `Class.method` (a getter likewise,
 * `#name` for a private one). In front of it may stand the folder of `src/` to look in: `core/session/hasChanged`. Exactly one
 * function must have that name.
 */
export type FunctionPlace = string;

/** A kind of code inside a function. */
export type CodeKind =
  /** The condition of an `if`, a loop or `? :`. */
  | 'condition'
  /** A call, with `new` or without. */
  | 'call'
  /** An operation on two values: `===`, `>`, `&&`. */
  | 'comparison'
  /** The whole of `? :`. */
  | 'choice';

/** A deliberate fault: what is different in the sources while it is on. Code is that of the place that it stands at. */
export type Fault =
  /** The function does nothing but return this, when `only` holds. */
  | { readonly kind: 'returns'; readonly in: FunctionPlace; readonly value: string; readonly only?: string }
  /** The function does this first. */
  | { readonly kind: 'does'; readonly in: FunctionPlace; readonly statement: string }
  /** The constant of that name has another value. */
  | { readonly kind: 'constant'; readonly name: string; readonly value: string }
  /**
   * The smallest piece of this kind inside the function that mentions all these names is something else. `$it` in the new
   * code is the old one. Exactly one piece must fit.
   */
  | {
      readonly kind: 'replaces';
      readonly in: FunctionPlace;
      readonly piece: CodeKind;
      readonly mentions: readonly string[];
      readonly by: string;
    };

/** A fault by name. */
export interface NamedFault {
  readonly name: string;
  readonly fault: Fault;
}

/** `in` does nothing but return `value`; with `only` when that holds. `$0` is its first parameter. */
export const returns = (place: FunctionPlace, value: string, only?: string): Fault => ({
  kind: 'returns',
  in: place,
  value,
  ...(only === undefined ? {} : { only }),
});

/** `in` does something else before what it does. */
export const does = (place: FunctionPlace, statement: string): Fault => ({
  kind: 'does',
  in: place,
  statement,
});

export const constant = (name: string, value: string): Fault => ({ kind: 'constant', name, value });

/** A piece inside `in` is something else. */
export const replaces = (
  place: FunctionPlace,
  piece: CodeKind,
  mentions: readonly string[],
  by: string,
): Fault => ({ kind: 'replaces', in: place, piece, mentions, by });
