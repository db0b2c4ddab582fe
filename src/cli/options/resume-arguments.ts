import type { ResumedFiles } from '../../durable/index.ts';
import { UsageError } from '../process/errors.ts';
import {
  type ArgumentReader,
  argumentReader,
  type CommandRequest,
  type OptionNames,
  type OptionValues,
} from './command-line.ts';
import { type JournalNames, readJournalNames } from './journal-names.ts';
import { readResumedFiles, readRun } from './option-values.ts';
import { readLimits, readOutputs, readSuspension, type SuspensionChoice } from './run-arguments.ts';

/** A request of `wink resume`. */
export interface ResumeRequest extends CommandRequest<'resume'> {
  /** Name of the run. */
  readonly runId: string;
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Whether a changed prompt, tools, policies or model are refused. */
  readonly isStrict: boolean;
  /** What to do about a folder that is not as the run left it; undefined: as `resumeRun` does. */
  readonly files: ResumedFiles | undefined;
  /** What is said to the model before it goes on; undefined: nothing. */
  readonly input: string | undefined;
  /** Model and limits that take the place of those that the run began with, one by one. */
  readonly limits: ReturnType<typeof readLimits>;
  readonly suspension: SuspensionChoice;
  readonly outputs: ReturnType<typeof readOutputs>;
}

/** Options of `wink run` that are passed on. What decides on the steps of the run stays as it was. A record cannot begin in the middle of a run. */
const limits = ['model', 'base-url', 'max-turns', 'max-repeated-failures', 'max-tokens', 'max-cost'] as const;
const times = ['deadline', 'timeout', 'idle-timeout'] as const;
const others = ['prices', 'expires', 'on-suspend', 'log', 'journal', 'blobs', 'input'] as const;
const flags = ['suspend', 'json', 'deltas', 'full', 'otel', 'strict'] as const;

type ResumeText = (typeof limits | typeof times | typeof others)[number];
type ResumeFlag = (typeof flags)[number];
type Values = OptionValues<ResumeText, ResumeFlag | 'verbose'>;

/** The options that `wink resume` and `wink fork` have in common. */
export const resumeOptions: OptionNames<ResumeText, ResumeFlag> = {
  texts: [...limits, ...times, ...others],
  flags,
  lists: ['redact'],
};

/** Reads the arguments after `resume`. */
export const readResumeArguments: ArgumentReader<ResumeRequest> = argumentReader(
  'resume',
  { ...resumeOptions, texts: [...resumeOptions.texts, 'files'] },
  (values, positionals) => ({
    ...resumeRequest('resume RUN', positionals, values),
    files: readResumedFiles(values.files),
  }),
);

/**
 * What the options of `wink resume` ask for.
 * @param usage how the command is called, for errors.
 * @throws {UsageError}
 */
export function resumeRequest(usage: string, positionals: readonly string[], values: Values): ResumeRequest {
  const runId = readRun(positionals, usage);
  if (values.input === '') throw new UsageError('the input is empty.');
  return {
    kind: 'resume',
    runId,
    journalNames: readJournalNames(values),
    isStrict: values.strict === true,
    files: undefined,
    input: values.input,
    limits: readLimits(values),
    suspension: readSuspension({ ...values, durable: true }),
    outputs: readOutputs(values),
    isVerbose: values.verbose === true,
  };
}
