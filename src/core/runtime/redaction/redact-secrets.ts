import { assertArgument, PromptValidationError } from '../../error/index.ts';
import { type HiddenForm, hideForms } from './hide-forms.ts';
import type { Redaction } from './redactor.ts';

/** Shorter strings occur everywhere. */
const minCharacters = 4;

/**
 * A redaction that replaces exactly these strings: by `<redacted>`, or by `<NAME>` when they are given by
 * name. It also finds them in JSON text, where quotes and line feeds are escaped, and finds eight characters or more of
 * their beginning where a text was cut off. Where strings overlap in a text, all of them are hidden. One pass over the text. It says what is `pending`, so streamed answers are emitted as they are
 * written.
 *
 * @param secrets a list, or strings by name. A name without a value, such as a variable that is not set, is left out.
 * @throws {PromptValidationError} for a secret of fewer than 4 characters: it would be found everywhere.
 */
export function redactSecrets(
  secrets: readonly string[] | Readonly<Record<string, string | undefined>>,
): Redaction {
  if (!isList(secrets)) assertArgument('redactSecrets()', 'secrets', secrets, 'object');
  return hideForms((isList(secrets) ? listed(secrets) : named(secrets)).flatMap(formsOf));
}

function listed(secrets: readonly string[]): readonly HiddenForm[] {
  return secrets.map((text, index) => checked(text, '<redacted>', `number ${index + 1}`));
}

function named(secrets: Readonly<Record<string, string | undefined>>): readonly HiddenForm[] {
  return Object.entries(secrets).flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : [checked(text, `<${name}>`, name)],
  );
}

function checked(text: string, replacement: string, which: string): HiddenForm {
  if (typeof text === 'string' && text.length >= minCharacters) return { text, replacement };
  throw new PromptValidationError(
    `The secret ${which} must be a string of at least ${minCharacters} characters: shorter ones occur everywhere.`,
    { details: { option: 'redact', secret: which } },
  );
}

function formsOf({ text, replacement }: HiddenForm): readonly HiddenForm[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  // Results are shown as JSON, and JSON is put into JSON.
  const twice = JSON.stringify(escaped).slice(1, -1);
  return [...new Set([text, escaped, twice])].map((form) => ({ text: form, replacement }));
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}
