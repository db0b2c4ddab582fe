import { integer, type LimitsOf } from '../../core/error/index.ts';

/**
 * Bounds of the file tools: what one call may show, and what the workspace may hold. The last three say nothing about a
 * file system of your own.
 */
export interface VfsLimits {
  /** Lines that `read_file` shows at most, also the default of its `limit`. Default 2,000. */
  readonly maxLines: number;
  /** Characters of one line that `read_file` shows, but for a line that is read on by `character_offset`. Default 2,000. */
  readonly maxLineCharacters: number;
  /** Characters of file text that one `read_file` or `grep` result holds. Default 50,000. */
  readonly maxOutputCharacters: number;
  /** Entries that `ls` shows. Default 500. */
  readonly maxEntries: number;
  /** Paths that `glob` shows. Default 1,000. */
  readonly maxPaths: number;
  /** Matching lines, and parts of long ones, that `grep` shows. Default 250. */
  readonly maxMatches: number;
  /** Characters of one part of a matching line that `grep` shows: all of a shorter line. Default 500. */
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

/** What the limits must be, and what holds where a caller names no others. */
export const vfsLimitChecks: LimitsOf<VfsLimits> = {
  maxLines: integer({ min: 1, default: 2000 }),
  maxLineCharacters: integer({ min: 1, default: 2000 }),
  maxOutputCharacters: integer({ min: 1, default: 50_000 }),
  maxEntries: integer({ min: 1, default: 500 }),
  maxPaths: integer({ min: 1, default: 1000 }),
  maxMatches: integer({ min: 1, default: 250 }),
  maxMatchCharacters: integer({ min: 1, default: 500 }),
  // As base64 text it is what the attachments of one result may have together.
  maxAttachmentBytes: integer({ min: 1, max: 15_728_640, default: 3_145_728 }),
  maxFileBytes: integer({ min: 1, default: 33_554_432 }),
  maxBytes: integer({ min: 1, default: 1_073_741_824 }),
  maxFiles: integer({ min: 1, default: 1_000_000 }),
};
