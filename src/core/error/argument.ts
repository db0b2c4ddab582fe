import { PromptValidationError } from './prompt-errors.ts';
import type { ErrorDetails } from './wink-error.ts';

/** What an argument must be. An object is neither an array nor a function. */
export type ArgumentKind = 'array' | 'boolean' | 'function' | 'number' | 'object' | 'string';

/** Kinds by option name; a kind that ends in `!` is required. */
export type ArgumentKinds = Readonly<Record<string, ArgumentKind | `${ArgumentKind}!`>>;

/** Creates the error for an argument of the wrong kind. */
export type RefuseArgument = (message: string, options: { readonly details: ErrorDetails }) => Error;

const refusePrompt: RefuseArgument = (message, options) => new PromptValidationError(message, options);

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

/** Refuses options that are not an object, and an option of the wrong kind. An undefined option counts as absent. */
export function assertOptions(
  of: string,
  options: unknown,
  kinds: ArgumentKinds = {},
  refuse: RefuseArgument = refusePrompt,
): void {
  assertArgument(of, 'options', options, 'object', refuse);
  for (const [name, expected] of Object.entries(kinds)) {
    const value: unknown = Reflect.get(Object(options), name);
    if (value === undefined && !expected.endsWith('!')) continue;
    // Without its mark, what remains is the kind.
    assertArgument(of, name, value, expected.replace('!', '') as ArgumentKind, refuse);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function withArticle(kind: string): string {
  if (kind === 'null' || kind === 'undefined') return kind;
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
