import { parseArgs } from 'node:util';
import { UsageError } from '../process/errors.ts';

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
  /** Options of `wink run` that take precedence over those that the run began with. */
  readonly words: readonly string[];
  readonly isVerbose: boolean;
}

/** Options that `wink run` has, too. What decides on the steps of the run stays as it was. A record cannot begin in the middle of a run. */
const passedOn = {
  model: { type: 'string' },
  'base-url': { type: 'string' },
  'max-turns': { type: 'string' },
  'max-repeated-failures': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-cost': { type: 'string' },
  prices: { type: 'string' },
  deadline: { type: 'string' },
  suspend: { type: 'boolean' },
  expires: { type: 'string' },
  'on-suspend': { type: 'string' },
  log: { type: 'string' },
  json: { type: 'boolean' },
  deltas: { type: 'boolean' },
  verbose: { type: 'boolean' },
  full: { type: 'boolean' },
  otel: { type: 'boolean' },
} as const;

const options = {
  ...passedOn,
  journal: { type: 'string' },
  strict: { type: 'boolean' },
  input: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads the arguments after `resume`.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readResumeArguments(argv: readonly string[]): ResumeRequest | { readonly kind: 'help' } {
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options });
  if (values.help === true) return { kind: 'help' };
  const [runId, ...others] = positionals;
  if (runId === undefined || runId === '') {
    throw new UsageError('no run given: wink resume RUN; "wink runs" lists them.');
  }
  if (others.length > 0) throw new UsageError(`one run at a time, not ${positionals.length}.`);
  if (values.input === '') throw new UsageError('the input is empty.');
  if (values.journal === '') throw new UsageError('the name of the journal is empty.');
  const given: Readonly<Record<string, string | boolean | undefined>> = values;
  return {
    kind: 'resume',
    runId,
    journalFile: values.journal,
    isStrict: values.strict === true,
    input: values.input,
    words: Object.keys(passedOn).flatMap((name) => {
      const value = given[name];
      if (value === undefined || value === false) return [];
      return [value === true ? `--${name}` : `--${name}=${value}`];
    }),
    isVerbose: values.verbose === true,
  };
}
