import { parseArgs } from 'node:util';
import { UsageError } from '../process/errors.ts';
import { readLimits, readOutputs, readSuspension, type SuspensionChoice } from './run-arguments.ts';
import { type runOptions, someRunOptions } from './run-options.ts';

/** A request of `wink resume`. */
export interface ResumeRequest {
  readonly kind: 'resume';
  /** Name of the run. */
  readonly runId: string;
  /** Undefined: the journal in the user's state folder. */
  readonly journalFile: string | undefined;
  /** Whether a changed prompt, tools, policies or model are refused. */
  readonly isStrict: boolean;
  /** What is said to the model before it goes on; undefined: nothing. */
  readonly input: string | undefined;
  /** Model and limits that take the place of those that the run began with, one by one. */
  readonly limits: ReturnType<typeof readLimits>;
  readonly suspension: SuspensionChoice;
  readonly outputs: ReturnType<typeof readOutputs>;
  readonly isVerbose: boolean;
}

/** Options of `wink run` that are passed on. What decides on the steps of the run stays as it was. A record cannot begin in the middle of a run. */
const passedOn = [
  'model',
  'base-url',
  'max-turns',
  'max-repeated-failures',
  'max-tokens',
  'max-cost',
  'prices',
  'deadline',
  'suspend',
  'expires',
  'on-suspend',
  'log',
  'json',
  'deltas',
  'verbose',
  'full',
  'otel',
] as const;

/** The options of `wink resume`, for `parseArgs`; `wink fork` has them, too. */
export const resumeOptions: Pick<
  typeof runOptions,
  (typeof passedOn)[number] | 'journal' | 'input' | 'help'
> & {
  readonly strict: { readonly type: 'boolean' };
} = { ...someRunOptions([...passedOn, 'journal', 'input', 'help']), strict: { type: 'boolean' } };

/** The values of {@link resumeOptions} as `parseArgs` returns them. */
type Values = {
  readonly [Name in keyof typeof resumeOptions]?: (typeof resumeOptions)[Name]['type'] extends 'string'
    ? string | undefined
    : boolean | undefined;
};

/**
 * Reads the arguments after `resume`.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readResumeArguments(argv: readonly string[]): ResumeRequest | { readonly kind: 'help' } {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: resumeOptions,
  });
  return values.help === true ? { kind: 'help' } : resumeRequest('resume RUN', positionals, values);
}

/**
 * What the values of {@link resumeOptions} ask for.
 * @param usage how the command is called, for errors.
 * @throws {UsageError}
 */
export function resumeRequest(usage: string, positionals: readonly string[], values: Values): ResumeRequest {
  const [runId, ...others] = positionals;
  if (runId === undefined || runId === '') {
    throw new UsageError(`no run given: wink ${usage}; "wink runs" lists them.`);
  }
  if (others.length > 0) throw new UsageError(`one run at a time, not ${positionals.length}.`);
  if (values.input === '') throw new UsageError('the input is empty.');
  if (values.journal === '') throw new UsageError('the name of the journal is empty.');
  return {
    kind: 'resume',
    runId,
    journalFile: values.journal,
    isStrict: values.strict === true,
    input: values.input,
    limits: readLimits(values),
    suspension: readSuspension({ ...values, durable: true }),
    outputs: readOutputs(values),
    isVerbose: values.verbose === true,
  };
}
