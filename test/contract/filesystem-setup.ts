import { expect } from 'vitest';
import { type Filesystem, FilesystemError, type FilesystemErrorCode } from 'weakincentives';

/** What a file system under test starts with. */
export interface FilesystemSetup {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly maxBytes?: number;
  readonly maxFileBytes?: number;
  readonly maxFiles?: number;
}

/** A file system under test, and what cleans up after it. */
export interface CreatedFilesystem {
  readonly filesystem: Filesystem;
  readonly dispose?: () => void | Promise<void>;
}

/** Makes a file system with the given content and limits. */
export type CreateFilesystem = (setup: FilesystemSetup) => CreatedFilesystem | Promise<CreatedFilesystem>;

/** Opens a file system for one test. */
export type OpenFilesystem = (setup?: FilesystemSetup) => Promise<Filesystem>;

/** Expects a rejection with a `FilesystemError` of this code whose message says something; returns the message. */
export async function expectCode(action: Promise<unknown>, code: FilesystemErrorCode): Promise<string> {
  const outcome = await action.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome))
    throw new Error(`expected ${code}, but it gave ${JSON.stringify(outcome.value)}`);
  if (!FilesystemError.isInstance(outcome.error)) throw outcome.error;
  expect(outcome.error.code).toBe(code);
  expect(outcome.error.message.length).toBeGreaterThan(20);
  return outcome.error.message;
}

/** The text of a file. */
export async function textOf(filesystem: Filesystem, path: string): Promise<string> {
  return (await filesystem.read(path)).text;
}

/** Every file with its content, and every directory with a final slash. */
export async function contentOf(filesystem: Filesystem): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const walk = async (directory: string): Promise<void> => {
    for (const { path, kind, link } of await filesystem.list(directory)) {
      // Of links, only those to files have a content here.
      if (kind === 'link' && link?.leads !== 'file') continue;
      if (kind === 'directory') {
        found[`${path}/`] = '';
        await walk(path);
      } else
        found[path] = [...(await filesystem.readBytes(path))]
          .map((byte) => String.fromCharCode(byte))
          .join('');
    }
  };
  await walk('.');
  return found;
}

/** What a call does with its files. */
export type Action = (view: Filesystem) => Promise<unknown>;

/** What the second of two calls conflicts with when the first is applied before it. */
export async function conflictsOf(
  filesystem: Filesystem,
  first: Action,
  second: Action,
): Promise<readonly string[]> {
  const [left, right] = [filesystem.fork(), filesystem.fork()];
  await first(left.view);
  await second(right.view).catch(() => undefined);
  filesystem.apply(left.patch());
  return right.conflicts();
}
