import { FilesystemError, PromptValidationError } from '../../core/error/index.ts';
import { decodeText } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import { createFile, type MemoryFiles } from './memory-changes.ts';
import type { MemoryFile } from './memory-files.ts';
import { assertWithin, type MemoryLimits, sizesOf } from './memory-limits.ts';
import { memoryRoot, readMemoryPath } from './memory-path.ts';

/** Files by path: from `/memories/` on, or below it without that. */
export type MemorySeed = Readonly<Record<string, string | Uint8Array>>;

/**
 * The files of a new session.
 *
 * @throws {PromptValidationError} for a path or content that cannot be used, and for files that break a limit.
 */
export function seededFiles(seed: MemorySeed, limits: MemoryLimits): readonly MemoryFile[] {
  const files = new Map<string, MemoryFile>();
  const held: MemoryFiles = { all: () => [...files.values()], get: (path) => files.get(path) };
  try {
    for (const [given, content] of Object.entries(seed)) {
      const path = readMemoryPath(given.startsWith('/') ? given : `${memoryRoot}/${given}`);
      for (const file of createFile(held, path, textOf(path, content)).written) files.set(path, file);
    }
    assertWithin(sizesOf(held.all()), limits);
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
    throw refuseSeed(error.message, error);
  }
  return held.all();
}

function textOf(path: string, content: unknown): string {
  const text = content instanceof Uint8Array ? decodeText(content) : content;
  if (typeof text === 'string') return text;
  throw refuseSeed(`${path} is not text.`);
}

function refuseSeed(problem: string, cause?: unknown): PromptValidationError {
  return new PromptValidationError(`The seed of the memory cannot be used: ${problem}`, {
    ...present({ cause }),
    details: { option: 'seed' },
  });
}
