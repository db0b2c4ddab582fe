import { PromptValidationError } from './prompt-errors.ts';
import type { ErrorDetails } from './wink-error.ts';

/** What an argument must be. An object is neither an array nor a function. */
export type ArgumentKind = 'array' | 'boolean' | 'function' | 'number' | 'object' | 'string';

/** Kinds by name of the member; a kind that ends in `!` is required. */
export type ArgumentKinds = Readonly<Record<string, ArgumentKind | `${ArgumentKind}!`>>;

/** Creates the error for an argument that cannot be used. */
export type RefuseArgument = (message: string, options: { readonly details: ErrorDetails }) => Error;

/** Creates a {@link PromptValidationError}. */
export const refusePrompt: RefuseArgument = (message, options) => new PromptValidationError(message, options);

/**
 * Refuses an argument of the wrong kind, which untyped code may pass. The message does not contain the value: it may be a secret.
 * @param of the function that takes the argument, as in `tool()`.
 * @param refuse creates the error. Default: a {@link PromptValidationError}.
 */
export function assertArgument(
  of: string,
  name: string,
  value: unknown,
  kind: ArgumentKind,
  refuse: RefuseArgument = refusePrompt,
): void {
  const received = kindOf(value);
  if (received === kind) return;
  throw refuse(`${of}: ${name} must be ${withArticle(kind)}; received ${withArticle(received)}.`, {
    details: { option: name, expected: kind, received },
  });
}

/**
 * Refuses what is not an object with these members, such as the implementation of an interface: it may have others. An undefined member counts as absent. An object of
 * options is checked by `assertOptions`, which refuses unknown ones.
 */
export function assertMembers(
  of: string,
  value: unknown,
  kinds: ArgumentKinds,
  refuse: RefuseArgument = refusePrompt,
): void {
  assertArgument(of, 'options', value, 'object', refuse);
  for (const [name, expected] of Object.entries(kinds)) {
    assertKind(of, name, Reflect.get(Object(value), name), expected, refuse);
  }
}

/** Refuses a value of the wrong kind; an undefined one only when the kind ends in `!`. */
export function assertKind(
  of: string,
  name: string,
  value: unknown,
  expected: ArgumentKinds[string],
  refuse: RefuseArgument,
): void {
  if (value === undefined && !expected.endsWith('!')) return;
  // Without its mark, what remains is the kind.
  assertArgument(of, name, value, expected.replace('!', '') as ArgumentKind, refuse);
}

/** The kind of a value, with its article: for messages. */
export function describeKind(value: unknown): string {
  return withArticle(kindOf(value));
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function withArticle(kind: string): string {
  if (kind === 'null' || kind === 'undefined') return kind;
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
