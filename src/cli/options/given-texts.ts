import { readFileSync } from 'node:fs';
import { untilAborted, withoutByteOrderMark } from '../../core/internal/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** The options whose text may be in a file. */
const names: readonly string[] = ['--params', '--input'];

/** A command line whose texts are all in its words. */
export interface GivenTexts {
  readonly argv: readonly string[];
  /** The files that texts were read from, as they are written. */
  readonly files: readonly string[];
  /** Whether one of them was read from the standard input, which is empty then. */
  readonly isInputRead: boolean;
}

/**
 * Puts texts in the place of `@FILE`, and what the standard input has in the place of `--input -`. A text that begins with
 * `@@` is one that begins with `@`.
 *
 * @throws {UsageError} for a file that cannot be read, and for a standard input that is a terminal.
 */
export async function withGivenTexts(
  argv: readonly string[],
  environment: Pick<CliEnvironment, 'input' | 'signal'>,
): Promise<GivenTexts> {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const files: string[] = [];
  let isInputRead = false;
  const spelled: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const value = equals < 0 ? words[index + 1] : word.slice(equals + 1);
    if (!names.includes(name) || value === undefined || !isElsewhere(name, value)) {
      spelled.push(word);
      continue;
    }
    if (equals < 0) index += 1;
    if (value === '-') isInputRead = true;
    else if (!value.startsWith('@@')) files.push(value.slice(1));
    spelled.push(`${name}=${await givenText(name, value, environment)}`);
  }
  return { argv: [...spelled, ...argv.slice(words.length)], files, isInputRead };
}

/**
 * The text that a word names: `@FILE` for that of a file, `-` for that of the standard input, `@@` for one that begins with `@`.
 *
 * @throws {UsageError} as {@link withGivenTexts}.
 */
export async function givenText(
  name: string,
  value: string,
  environment: Pick<CliEnvironment, 'input' | 'signal'>,
): Promise<string> {
  if (value === '-') return textOfInput(name, environment);
  if (value.startsWith('@@')) return value.slice(1);
  return value.startsWith('@') ? textOfFile(name, value.slice(1)) : value;
}

function isElsewhere(name: string, value: string): boolean {
  return value.startsWith('@') || (value === '-' && name === '--input');
}

function textOfFile(name: string, path: string): string {
  if (path === '') throw new UsageError(`${name} is "@"; name the file: ${name} @FILE.`);
  const bytes = orUsageError(
    () => readFileSync(path),
    (error) =>
      `the file "${printable(path)}" of ${name} cannot be read: ${errorMessage(error)}. For a text that begins with @ write @@.`,
  );
  return decoded(bytes, `the file "${printable(path)}" of ${name}`);
}

async function textOfInput(
  name: string,
  { input, signal }: Pick<CliEnvironment, 'input' | 'signal'>,
): Promise<string> {
  if (input === undefined)
    throw new UsageError(
      `${name} - reads the standard input, which is a terminal here: write the text, or @FILE.`,
    );
  const read = async (): Promise<Uint8Array> => {
    const pieces: Buffer[] = [];
    for await (const piece of input) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  };
  return decoded(await untilAborted(read(), signal), 'the standard input');
}

function decoded(bytes: Uint8Array, what: string): string {
  return withoutByteOrderMark(
    orUsageError(
      () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      () => `${what} is not UTF-8 text.`,
    ),
  );
}
