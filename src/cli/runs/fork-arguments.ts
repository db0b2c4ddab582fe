import { readRunName } from '../options/option-values.ts';
import { type ResumeRequest, readResumeLine, resumeRequest } from '../options/resume-arguments.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink fork`. */
export interface ForkRequest {
  readonly kind: 'fork';
  /** The last commit that the fork has: its number, or the id of its call. */
  readonly at: number | string;
  /** Name of the fork; undefined: a new one. */
  readonly newRunId: string | undefined;
  /** The folder that the fork works on; undefined: that of the run. */
  readonly workspace: string | undefined;
  /** How the fork goes on, under the name of the run that is forked. */
  readonly resume: ResumeRequest;
  readonly isVerbose: boolean;
}

/**
 * Reads the arguments after `fork`: those of `resume`, and three of its own.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readForkArguments(argv: readonly string[]): ForkRequest | { readonly kind: 'help' } {
  const { values, positionals } = readResumeLine(argv, ['run-id', 'workspace', 'at']);
  if (values.help === true) return { kind: 'help' };
  const resume = resumeRequest('fork RUN --at CALL', positionals, values);
  const { at, workspace } = values;
  if (at === undefined || at === '') {
    throw new UsageError(
      'say where the fork begins: wink fork RUN --at CALL, with the id of a call, the number of a commit, or 0.',
    );
  }
  return {
    kind: 'fork',
    at: /^\d{1,9}$/.test(at) ? Number(at) : at,
    newRunId: readRunName(values['run-id']),
    workspace,
    resume,
    isVerbose: resume.isVerbose,
  };
}
