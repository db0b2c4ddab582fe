import { type ResumeRequest, readResumeArguments } from '../durable/resume-arguments.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink fork`. */
export interface ForkRequest {
  readonly kind: 'fork';
  /** The last commit that the fork has: its number, or the id of its call. */
  readonly at: number | string;
  /** Name of the fork; undefined: a new one. */
  readonly newRunId: string | undefined;
  /** How the fork goes on, under the name of the run that is forked. */
  readonly resume: ResumeRequest;
  readonly isVerbose: boolean;
}

/**
 * Reads the arguments after `fork`: those of `resume`, and two of its own.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readForkArguments(argv: readonly string[]): ForkRequest | { readonly kind: 'help' } {
  const own: Partial<Record<'--at' | '--run-id', string>> = {};
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const [name, ...value] = word.split('=');
    if (name !== '--at' && name !== '--run-id') {
      rest.push(word);
      continue;
    }
    if (value.length === 0) index += 1;
    own[name] = value.length === 0 ? (argv[index] ?? '') : value.join('=');
  }
  const resume = readResumeArguments(rest);
  if (resume.kind === 'help') return resume;
  const { '--at': at, '--run-id': newRunId } = own;
  if (at === undefined || at === '') {
    throw new UsageError(
      'say where the fork begins: wink fork RUN --at CALL, with the id of a call, the number of a commit, or 0.',
    );
  }
  if (newRunId !== undefined && !/^\w[\w.:@+-]{0,99}$/.test(newRunId)) {
    throw new UsageError(
      `--run-id is "${newRunId}"; it must have 1 to 100 letters, digits or "._:@+-", and begin with a letter or a digit.`,
    );
  }
  const isNumber = /^\d{1,9}$/.test(at);
  const { isVerbose } = resume;
  return { kind: 'fork', at: isNumber ? Number(at) : at, newRunId, resume, isVerbose };
}
