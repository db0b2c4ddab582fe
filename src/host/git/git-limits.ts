import { FilesystemError } from '../../core/error/index.ts';

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

const defaultLimits: GitLimits = Object.freeze({
  maxCommits: 50,
  maxFiles: 50,
  maxLines: 500,
  maxOutputCharacters: 50_000,
  maxBlobBytes: 4_194_304,
  maxRefBytes: 33_554_432,
  maxMemoryBytes: 2_147_483_648,
  timeoutMs: 30_000,
});

/** The default limits, with those of the caller in their place. @throws {FilesystemError} `argument-invalid`. */
export function resolveGitLimits(limits: Partial<GitLimits> = {}): GitLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw refuse(
        name,
        `There is no limit "${name}"; the limits are: ${Object.keys(defaultLimits).join(', ')}.`,
      );
    }
    if (!Number.isSafeInteger(value) || value < 1 || (name === 'timeoutMs' && value > 2_147_483_647)) {
      throw refuse(name, `The limit ${name} is ${String(value)}; it must be a whole number above 0.`);
    }
  }
  return Object.freeze({ ...defaultLimits, ...limits });
}

function refuse(name: string, message: string): FilesystemError {
  return new FilesystemError('argument-invalid', message, { details: { option: `limits.${name}` } });
}
