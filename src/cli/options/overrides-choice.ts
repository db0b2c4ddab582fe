import { UsageError } from '../process/errors.ts';

/** The overrides requested for a run or a replay. */
export interface OverridesChoice {
  /** Undefined: `latest`. */
  readonly tag: string | undefined;
  /** The directory of the overrides; undefined: that of the agent's repository. */
  readonly root: string | undefined;
}

/**
 * Reads `--tag` and `--overrides`; undefined when neither is there.
 * @throws {UsageError} for an empty value.
 */
export function readOverrides({
  tag,
  overrides: root,
}: {
  readonly tag?: string | undefined;
  readonly overrides?: string | undefined;
}): OverridesChoice | undefined {
  if (tag === '') throw new UsageError('the tag is empty.');
  if (root === '') throw new UsageError('the name of the folder of overrides is empty.');
  return tag === undefined && root === undefined ? undefined : { tag, root };
}
