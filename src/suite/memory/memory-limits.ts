import { FilesystemError, integer, type LimitsOf } from '../../core/error/index.ts';
import { counted, formatNumber } from '../../core/internal/index.ts';
import type { MemoryChange, MemoryFiles } from './memory-changes.ts';
import type { MemoryFile } from './memory-files.ts';

/** What the memory of a session may hold. */
export interface MemoryLimits {
  /** Bytes of all files together. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** What the limits must be, and what holds where a caller names no others. */
export const memoryLimitChecks: LimitsOf<MemoryLimits> = {
  maxBytes: integer({ min: 1, max: 67_108_864, default: 1_048_576 }),
  maxFiles: integer({ min: 1, max: 10_000, default: 200 }),
};

/** Refuses a change that breaks a limit; what makes the memory smaller is always allowed. */
export function assertFits(
  held: MemoryFiles,
  { removed, written }: MemoryChange,
  limits: MemoryLimits,
): void {
  const added = sizesOf(written);
  const replaced = sizesOf(
    [...removed, ...written.map(({ path }) => path)].flatMap((path) => held.get(path) ?? []),
  );
  if (added.bytes <= replaced.bytes && added.files <= replaced.files) return;
  const before = sizesOf(held.all());
  assertWithin(
    {
      bytes: before.bytes + added.bytes - replaced.bytes,
      files: before.files + added.files - replaced.files,
    },
    limits,
  );
}

/** How much files are together. */
interface MemorySize {
  readonly bytes: number;
  readonly files: number;
}

export function sizesOf(files: readonly MemoryFile[]): MemorySize {
  return { bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files: files.length };
}

/** @throws {FilesystemError} `filesystem-quota-exceeded`, with the numbers. */
export function assertWithin({ bytes, files }: MemorySize, { maxBytes, maxFiles }: MemoryLimits): void {
  const problem =
    bytes > maxBytes
      ? `${counted(bytes, 'byte')}; it may have ${formatNumber(maxBytes)}`
      : files > maxFiles
        ? `${counted(files, 'file')}; it may have ${formatNumber(maxFiles)}`
        : undefined;
  if (problem === undefined) return;
  throw new FilesystemError(
    'filesystem-quota-exceeded',
    `The memory would have ${problem}. Nothing was changed. Write less, or delete what is no longer needed.`,
  );
}
