import { PromptValidationError } from '../../error/index.ts';
import type { Redact } from './redact.ts';

/** Shorter texts stand everywhere. */
const minCharacters = 4;
/** So much of a secret at the end of a text that was cut off is hidden too. */
const minBeginning = 8;

/** A way in which a secret is written, and what is shown in its place. */
interface Form {
  readonly text: string;
  readonly replacement: string;
}

/**
 * A redaction that replaces these very texts, the longest first: by `<redacted>`, or by `<NAME>` when they are given by
 * name. It also finds them in JSON text, where quotes and line feeds are escaped, and finds eight characters or more of
 * their beginning where a text was cut off. Linear in the text.
 *
 * @param secrets a list, or texts by name. A name without a text, such as a variable that is not set, is left out.
 * @throws {PromptValidationError} for a secret of fewer than 4 characters: it would be found everywhere.
 */
export function redactSecrets(
  secrets: readonly string[] | Readonly<Record<string, string | undefined>>,
): Redact {
  const forms = (isList(secrets) ? listed(secrets) : named(secrets))
    .flatMap(formsOf)
    .sort((left, right) => right.text.length - left.text.length);
  return (text) => forms.reduce(hide, text);
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
    `The secret ${which} must be a text of at least ${minCharacters} characters: shorter ones stand everywhere.`,
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

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}
