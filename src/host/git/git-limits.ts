import { integer, type LimitsOf, maxTimerMs } from '../../core/error/index.ts';

/** Limits of the tools of {@link gitSection}. All are whole numbers above 0. */
export interface GitLimits {
  /** Commits that one `git_log` shows at most, also the default of its `limit`. Default: 50. */
  readonly maxCommits: number;
  /** Files that one `git_diff` or `git_show` shows with their changes. Default: 50. */
  readonly maxFiles: number;
  /** Lines of a file that one `git_show` or `git_blame` shows, also the default of their `limit`. Default: 500. */
  readonly maxLines: number;
  /** Characters of one result. Default: 50,000. */
  readonly maxOutputCharacters: number;
  /** Bytes of one version of a file that is shown or compared; larger ones are named. Default: 4,194,304 (4 MiB). */
  readonly maxBlobBytes: number;
  /** Bytes of the refs of the repository, which are copied for each call. Default: 33,554,432 (32 MiB). */
  readonly maxRefBytes: number;
  /** Bytes of address space of one process of git, where the system can limit it. Default: 2,147,483,648 (2 GiB). */
  readonly maxMemoryBytes: number;
  /** Milliseconds that all processes of git of one call may take together. Default: 30,000. */
  readonly timeoutMs: number;
}

/** What the limits must be. */
export const gitLimitChecks: LimitsOf<GitLimits> = {
  maxCommits: integer({ min: 1, default: 50 }),
  maxFiles: integer({ min: 1, default: 50 }),
  maxLines: integer({ min: 1, default: 500 }),
  maxOutputCharacters: integer({ min: 1, default: 50_000 }),
  maxBlobBytes: integer({ min: 1, default: 4_194_304 }),
  maxRefBytes: integer({ min: 1, default: 33_554_432 }),
  maxMemoryBytes: integer({ min: 1, default: 2_147_483_648 }),
  timeoutMs: integer({ min: 1, max: maxTimerMs, default: 30_000 }),
};
