import { UsageError } from '../process/errors.ts';
import {
  type FlagOption,
  flagOption,
  listOption,
  type PresetOption,
  shownAs,
  textOption,
  type ValueOption,
  valueOption,
} from './make-option.ts';
import type { RunOutputs } from './run-task.ts';

// What is printed, written and reported.

export const json = (description: string): FlagOption<'--json'> => flagOption('--json', description);

export const log = (description = 'The same lines into a file'): ValueOption<'--log <FILE>', string> =>
  textOption('--log <FILE>', description);

export const deltas = (): FlagOption<'--deltas'> =>
  flagOption('--deltas', 'With these: answers piece by piece');

export const full = (description: string): FlagOption<'--full'> => flagOption('--full', description);

/** In help it represents {@link quiet}, too. */
export const fullOrQuiet = (): FlagOption<'--full'> =>
  shownAs(full('Whole table and diff; the outcome only'), '--full, --quiet');

export const quiet = (): FlagOption<'--quiet'> =>
  flagOption('--quiet', 'The outcome only, and nothing while it works');

export const otel = (): FlagOption<'--otel'> => flagOption('--otel', 'To OpenTelemetry, as OTEL_* say');

export const verbose = (description = 'Stacks of errors'): FlagOption<'--verbose'> =>
  flagOption('--verbose', description);

export const redact = (): ValueOption<'--redact <NAME>', readonly string[]> =>
  listOption('--redact <NAME>', 'Hide the value of this variable, too; again for others');

export const watch = (): FlagOption<'--watch'> =>
  flagOption('--watch', "Run again when the agent's files change");

/** An empty name: a new file in the folder of records. */
export const record = (
  description = 'In a file: view, query, replay (WINK_RECORDS)',
): PresetOption<'--record [FILE]', '', string> =>
  valueOption('--record [FILE]', description, (_name, text) => text).preset('');

/** What the options say of the output of a run. */
export function outputsOf(values: {
  readonly log?: string | undefined;
  readonly json?: boolean | undefined;
  readonly deltas?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly otel?: boolean | undefined;
  readonly full?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}): RunOutputs {
  if (values.deltas === true && values.json !== true && values.log === undefined) {
    throw new UsageError('--deltas requires --json or --log.');
  }
  if (values.quiet === true) {
    const other = (['json', 'full', 'verbose'] as const).find((name) => values[name] === true);
    if (other !== undefined)
      throw new UsageError(
        `--quiet prints only the outcome, and --${other} something else: leave out one of them.`,
      );
  }
  return {
    logFile: values.log,
    isJson: values.json === true,
    hasDeltas: values.deltas === true,
    isVerbose: values.verbose === true,
    hasTelemetry: values.otel === true,
    isFull: values.full === true,
    isQuiet: values.quiet === true,
  };
}
