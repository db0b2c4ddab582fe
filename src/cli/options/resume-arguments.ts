import { UsageError } from '../process/errors.ts';
import { type OptionValues, readCommandLine } from './command-line.ts';
import { readLimits, readOutputs, readSuspension, type SuspensionChoice } from './run-arguments.ts';

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

type Values = Parameters<typeof readLimits>[0] & OptionValues<'journal' | 'input', 'strict'>;

/** Options of `wink run` that are passed on. What decides on the steps of the run stays as it was. A record cannot begin in the middle of a run. */
const texts = [
  ...(['model', 'base-url', 'max-turns', 'max-repeated-failures', 'max-tokens', 'max-cost'] as const),
  ...(['prices', 'deadline', 'expires', 'on-suspend', 'log'] as const),
] as const;

/** Reads the options of `wink resume`, and further ones of another command. */
export function readResumeLine<const Text extends string>(
  argv: readonly string[],
  others: readonly Text[],
): {
  readonly values: Values & OptionValues<Text, 'help'>;
  readonly positionals: readonly string[];
} {
  return readCommandLine(argv, {
    texts: [...texts, 'journal', 'input', ...others],
    flags: ['suspend', 'json', 'deltas', 'full', 'otel', 'strict'],
  });
}

/**
 * Reads the arguments after `resume`.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readResumeArguments(argv: readonly string[]): ResumeRequest | { readonly kind: 'help' } {
  const { values, positionals } = readResumeLine(argv, []);
  return values.help === true ? { kind: 'help' } : resumeRequest('resume RUN', positionals, values);
}

/**
 * What the options of `wink resume` ask for.
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
