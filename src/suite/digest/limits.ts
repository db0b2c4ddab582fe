import { PromptValidationError } from '../../core/error/index.ts';

/** Bounds of a digest: what is looked at, and what it holds. */
export interface WorkspaceDigestLimits {
  /** Files and directories that are counted; beyond them the digest says that there are more. Default 20,000. */
  readonly maxEntries: number;
  /** Levels of directories that the layout shows. Default 3. */
  readonly maxDepth: number;
  /** Directories that the layout shows, those of upper levels first. Default 60. */
  readonly maxDirectories: number;
  /** Manifests that are read for commands, those of upper levels first. Default 12. */
  readonly maxManifests: number;
  /** Commands of one manifest. Default 20. */
  readonly maxCommands: number;
  /** Notable files, those of upper levels first. Default 40. */
  readonly maxNotable: number;
}

const defaultLimits: WorkspaceDigestLimits = Object.freeze({
  maxEntries: 20_000,
  maxDepth: 3,
  maxDirectories: 60,
  maxManifests: 12,
  maxCommands: 20,
  maxNotable: 40,
});

/** The largest value of each limit: a digest is part of every prompt, and of the state of its session. */
const largestLimits: WorkspaceDigestLimits = Object.freeze({
  maxEntries: 1_000_000,
  maxDepth: 64,
  maxDirectories: 1000,
  maxManifests: 100,
  maxCommands: 200,
  maxNotable: 1000,
});

/**
 * The default limits with the caller's own put over them.
 * @throws {PromptValidationError} when a limit is unknown, no whole number from 1 on, or too large.
 */
export function resolveDigestLimits(limits: Partial<WorkspaceDigestLimits> = {}): WorkspaceDigestLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!isLimit(name)) {
      throw refuse(
        `Unknown limit "${name}" for the digest. Limits are: ${Object.keys(defaultLimits).join(', ')}.`,
      );
    }
    if (!Number.isSafeInteger(value) || value < 1 || value > largestLimits[name]) {
      throw refuse(
        `The limit ${name} of the digest is ${String(value)}; it must be a whole number from 1 to ${largestLimits[name]}.`,
      );
    }
  }
  return Object.freeze({ ...defaultLimits, ...limits });
}

function isLimit(name: string): name is keyof WorkspaceDigestLimits {
  return Object.hasOwn(defaultLimits, name);
}

function refuse(message: string): PromptValidationError {
  return new PromptValidationError(message, { details: { placeholder: 'limits' } });
}
