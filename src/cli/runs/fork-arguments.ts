import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { readCall, readRunName } from '../options/option-values.ts';
import { type ResumeRequest, resumeOptions, resumeRequest } from '../options/resume-arguments.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink fork`. */
export interface ForkRequest extends CommandRequest<'fork'> {
  /** The last commit that the fork has: its number, or the id of its call. */
  readonly at: number | string;
  /** Name of the fork; undefined: a new one. */
  readonly newRunId: string | undefined;
  /** The folder that the fork works on; undefined: that of the run. */
  readonly workspace: string | undefined;
  /** How the fork goes on, under the name of the run that is forked. */
  readonly resume: ResumeRequest;
}

/** Reads the arguments after `fork`: those of `resume`, and three of its own. */
export const readForkArguments: ArgumentReader<ForkRequest> = argumentReader(
  'fork',
  { ...resumeOptions, texts: [...resumeOptions.texts, 'run-id', 'workspace', 'at'] },
  (values, positionals) => {
    const { at, workspace } = values;
    const resume = resumeRequest('fork RUN --at CALL', positionals, values);
    if (at === undefined || at === '') {
      throw new UsageError(
        'say where the fork begins: wink fork RUN --at CALL, with the id of a call, the number of a commit, or 0.',
      );
    }
    return { at: readCall(at), newRunId: readRunName(values['run-id']), workspace, resume };
  },
);
