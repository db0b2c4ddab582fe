import { PromptValidationError } from '../../core/error/index.ts';

/**
 * Bounds of the file tools: what one call may show, and what the workspace may hold. The last three say nothing about a
 * file system of your own.
 */
export interface VfsLimits {
  /** Lines that `read_file` shows at most, also the default of its `limit`. Default 2,000. */
  readonly maxLines: number;
  /** Characters of one line that `read_file` shows. Default 2,000. */
  readonly maxLineCharacters: number;
  /** Characters of file text that one `read_file` or `grep` result holds. Default 50,000. */
  readonly maxOutputCharacters: number;
  /** Entries that `ls` shows. Default 500. */
  readonly maxEntries: number;
  /** Paths that `glob` shows. Default 1,000. */
  readonly maxPaths: number;
  /** Matching lines that `grep` shows. Default 250. */
  readonly maxMatches: number;
  /** Characters of one matching line that `grep` shows. Default 500. */
  readonly maxMatchCharacters: number;
  /** Bytes of an image or a PDF that `read_file` attaches, at most 15,728,640 (15 MiB). Default 3,145,728 (3 MiB). */
  readonly maxAttachmentBytes: number;
  /** Bytes that one file may hold in the default workspace. Default 33,554,432 (32 MiB). */
  readonly maxFileBytes: number;
  /** Bytes that all files together may hold in the default workspace. Default 1,073,741,824 (1 GiB). */
  readonly maxBytes: number;
  /** Files that the default workspace may hold. Default 1,000,000. */
  readonly maxFiles: number;
}

/** The limits that hold where a caller names no others. */
export const defaultVfsLimits: VfsLimits = Object.freeze({
  maxLines: 2000,
  maxLineCharacters: 2000,
  maxOutputCharacters: 50_000,
  maxEntries: 500,
  maxPaths: 1000,
  maxMatches: 250,
  maxMatchCharacters: 500,
  maxAttachmentBytes: 3_145_728,
  maxFileBytes: 33_554_432,
  maxBytes: 1_073_741_824,
  maxFiles: 1_000_000,
});

/** As base64 text it is what the attachments of one result may have together. */
const largestAttachmentBytes = 15_728_640;

/**
 * The default limits with the caller's own put over them.
 * @throws {PromptValidationError} when a limit is not an integer of at least 1, or is unknown.
 */
export function resolveVfsLimits(limits: Partial<VfsLimits> = {}): VfsLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultVfsLimits, name)) {
      throw new PromptValidationError(
        `Unknown limit "${name}" for the file tools. Limits are: ${Object.keys(defaultVfsLimits).join(', ')}.`,
        { details: { placeholder: 'limits' } },
      );
    }
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new PromptValidationError(
        `The limit ${name} of the file tools is ${String(value)}; it must be a whole number from 1 on.`,
        { details: { placeholder: 'limits' } },
      );
    }
  }
  const { maxAttachmentBytes = 0 } = limits;
  if (maxAttachmentBytes > largestAttachmentBytes) {
    throw new PromptValidationError(
      `The limit maxAttachmentBytes of the file tools is ${maxAttachmentBytes}; results take attachments of at most ${largestAttachmentBytes} bytes.`,
      { details: { placeholder: 'limits' } },
    );
  }
  return Object.freeze({ ...defaultVfsLimits, ...limits });
}
