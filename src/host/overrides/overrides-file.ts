import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeError, OverridesError, type OverridesErrorCode } from '../../core/error/index.ts';
import { attempt, present, withoutByteOrderMark } from '../../core/internal/index.ts';
import { type PromptIdentity, type PromptOverrides, parseOverrides } from '../../core/prompt/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { errorCode } from '../disk/system-error.ts';

type PromptName = Pick<PromptIdentity, 'ns' | 'key'>;

/** Keys, parts of a namespace, and tags: no separator, and never `.` or `..`. */
const safeName = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * The path of the overrides of a prompt, relative to the root: `<namespace>/<key>/<tag>.json`.
 * @throws {OverridesError} `overrides-mismatched` for names that a prompt cannot have.
 */
export function overridesFileName({ ns, key }: PromptName, tag: string): string {
  const names = [...ns.split('/'), key, tag];
  const wrong = names.find((name) => !safeName.test(name));
  if (wrong === undefined) return `${join(...names)}.json`;
  throw new OverridesError(
    'overrides-mismatched',
    `Overrides cannot be kept under the name ${JSON.stringify(wrong)}: use 1 to 64 of a-z, 0-9, ".", "_", "-", starting with a letter or digit.`,
    { details: { name: wrong } },
  );
}

/**
 * The content of a file; undefined when it does not exist.
 * @throws {OverridesError} naming the file, relative to the root.
 */
export function readOverrides(root: string, prompt: PromptName, tag: string): PromptOverrides | undefined {
  const name = overridesFileName(prompt, tag);
  let text: string;
  try {
    text = readFileSync(join(root, name), 'utf8');
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw storageError(name, 'read', error);
  }
  const overrides = parseText(name, text);
  if (overrides.ns === prompt.ns && overrides.key === prompt.key && overrides.tag === tag) return overrides;
  throw fileError(
    'overrides-mismatched',
    name,
    `is for the prompt "${overrides.ns}/${overrides.key}" and the tag "${overrides.tag}"`,
  );
}

function parseText(name: string, text: string): PromptOverrides {
  let value: unknown;
  try {
    value = JSON.parse(withoutByteOrderMark(text));
  } catch (cause) {
    throw fileError('overrides-corrupt', name, `is not JSON (${describeError(cause)})`, cause);
  }
  try {
    return parseOverrides(value);
  } catch (cause) {
    if (!OverridesError.isInstance(cause)) throw cause;
    throw fileError(cause.code, name, `cannot be used: ${cause.message}`, cause);
  }
}

/**
 * Writes a file atomically: to a draft next to it, synced to the disk, then renamed.
 * @throws {OverridesError} `overrides-storage-failed`; the old file is then unchanged.
 */
export function writeOverrides(root: string, overrides: PromptOverrides): void {
  const name = overridesFileName(overrides, overrides.tag);
  const path = join(root, name);
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, draft, `${JSON.stringify(sortKeys(overrides), undefined, 2)}\n`);
  } catch (error) {
    attempt(() => rmSync(draft, { force: true }));
    throw storageError(name, 'written', error);
  }
}

/** @returns false when it did not exist. @throws {OverridesError} `overrides-storage-failed`. */
export function removeOverrides(root: string, prompt: PromptName, tag: string): boolean {
  const name = overridesFileName(prompt, tag);
  try {
    rmSync(join(root, name));
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw storageError(name, 'removed', error);
  }
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
}

function storageError(name: string, verb: string, error: unknown): OverridesError {
  const reason = errorCode(error) ?? 'unknown error';
  return fileError('overrides-storage-failed', name, `cannot be ${verb} (${reason})`);
}

function fileError(code: OverridesErrorCode, name: string, problem: string, cause?: unknown): OverridesError {
  return new OverridesError(code, `The overrides file "${name}" ${problem}. Fix it, or remove it.`, {
    ...present({ cause }),
    details: { file: name },
  });
}

/** Sorted keys, so that equal overrides give equal files and a change of one string changes one line. */
function sortKeys(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  // Overrides are plain JSON.
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, child]) => [key, sortKeys(child)]),
  );
}
