import { assertArgument, PromptValidationError } from '../../error/index.ts';
import type { Redaction } from './redactor.ts';

/** Shorter strings occur everywhere. */
const minCharacters = 4;
/** So much of a secret at the end of a text that was cut off is hidden too. */
const minBeginning = 8;

/** A way in which a secret is written, and what is shown in its place. */
interface Form {
  readonly text: string;
  readonly replacement: string;
}

/**
 * A redaction that replaces exactly these strings, the longest first: by `<redacted>`, or by `<NAME>` when they are given by
 * name. It also finds them in JSON text, where quotes and line feeds are escaped, and finds eight characters or more of
 * their beginning where a text was cut off. Linear in the text. It says what is `pending`, so streamed answers are emitted as they are
 * written.
 *
 * @param secrets a list, or strings by name. A name without a value, such as a variable that is not set, is left out.
 * @throws {PromptValidationError} for a secret of fewer than 4 characters: it would be found everywhere.
 */
export function redactSecrets(
  secrets: readonly string[] | Readonly<Record<string, string | undefined>>,
): Redaction {
  if (!isList(secrets)) assertArgument('redactSecrets()', 'secrets', secrets, 'object');
  const forms = (isList(secrets) ? listed(secrets) : named(secrets))
    .flatMap(formsOf)
    .sort((left, right) => right.text.length - left.text.length);
  return Object.assign((text: string) => forms.reduce(hide, text), {
    pending: (text: string) => pendingIn(text, forms),
  });
}

function listed(secrets: readonly string[]): readonly Form[] {
  return secrets.map((text, index) => checked(text, '<redacted>', `number ${index + 1}`));
}

function named(secrets: Readonly<Record<string, string | undefined>>): readonly Form[] {
  return Object.entries(secrets).flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : [checked(text, `<${name}>`, name)],
  );
}

function checked(text: string, replacement: string, which: string): Form {
  if (typeof text === 'string' && text.length >= minCharacters) return { text, replacement };
  throw new PromptValidationError(
    `The secret ${which} must be a string of at least ${minCharacters} characters: shorter ones occur everywhere.`,
    { details: { option: 'redact', secret: which } },
  );
}

function formsOf({ text, replacement }: Form): readonly Form[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  // Results are shown as JSON, and JSON is put into JSON.
  const twice = JSON.stringify(escaped).slice(1, -1);
  return [...new Set([text, escaped, twice])].map((form) => ({ text: form, replacement }));
}

function hide(text: string, { text: secret, replacement }: Form): string {
  const beginning = secret.slice(0, minBeginning);
  let result = '';
  let from = 0;
  for (let at = text.indexOf(beginning); at >= 0; ) {
    const end = endOfAgreement(text, at, secret);
    const isHidden = end - at === secret.length || (end - at >= minBeginning && isCutOff(text, end));
    if (isHidden) {
      result += text.slice(from, at) + replacement;
      from = end;
    }
    at = text.indexOf(beginning, isHidden ? end : at + 1);
  }
  return from === 0 ? text : result + text.slice(from);
}

function endOfAgreement(text: string, start: number, secret: string): number {
  let length = 0;
  while (length < secret.length && text[start + length] === secret[length]) length += 1;
  return start + length;
}

function isCutOff(text: string, end: number): boolean {
  return end === text.length || text.startsWith('…', end) || text.startsWith('...', end);
}

function pendingIn(text: string, forms: readonly Form[]): number {
  // A prefix is hidden before an ellipsis, so it may not be emitted before the last dot.
  const ends = ['', '.', '..'].filter((dots) => text.endsWith(dots));
  return Math.max(
    ...ends.map((dots) => {
      const end = text.length - dots.length;
      const beginning = Math.max(0, ...forms.map((form) => beginningAt(text, end, form.text)));
      return beginning >= (dots === '' ? 1 : minBeginning) ? beginning + dots.length : 0;
    }),
  );
}

/** Characters before `end` that are the beginning of a secret, but not all of it. */
function beginningAt(text: string, end: number, secret: string): number {
  let length = Math.min(end, secret.length - 1);
  while (length > 0 && !text.startsWith(secret.slice(0, length), end - length)) length -= 1;
  return length;
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}
