import {
  describeError,
  MissingPeerError,
  PromptValidationError,
  RunRefusedError,
  SessionBusyError,
} from '../../core/error/index.ts';
import { counted } from '../../core/internal/index.ts';
import { firstOf, namedPaths, printable } from '../process/plain-text.ts';
import type { EndedRun } from './evaluate-run.ts';

/**
 * The reason a run could not call its model, and what to do about it, in one line: a missing package or key, missing prices
 * for a cost limit, a setting that the provider does not support, a prompt that has changed with `--strict`, a folder that is not as the run left it. Undefined for other errors.
 *
 * @param resumeCommand the command that continues the run; undefined for one that no journal has.
 */
export function startupError(error: unknown, resumeCommand: string | undefined): string | undefined {
  // The session of a run that two processes resume at the same time.
  if (SessionBusyError.isInstance(error)) return 'another process has resumed the run and holds it.';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (MissingPeerError.isInstance(cause)) return printable(cause.message);
    // What packages of the AI SDK throw when the environment variable of their key is not set.
    if (cause.name === 'AI_LoadAPIKeyError') return printable(describeError(cause));
    if (RunRefusedError.isInstance(cause))
      return cause.code === 'run-files-differ'
        ? filesDiffer(cause, resumeCommand ?? 'wink resume RUN')
        : printable(cause.message);
    if (!PromptValidationError.isInstance(cause)) continue;
    const { option, changed } = cause.details;
    if (changed !== undefined) return `${printable(cause.message)} Here: without --strict.`;
    if (option === 'budget.prices') return `${printable(cause.message)} Here: --prices INPUT/OUTPUT.`;
    if (typeof option === 'string' && option.startsWith('settings.')) return printable(cause.message);
  }
  return undefined;
}

/** What differs, and the commands that continue. */
function filesDiffer({ details }: RunRefusedError, resumeCommand: string): string {
  const { files, paths } = details;
  const named = namedPaths(Array.isArray(paths) ? paths.map(String) : []);
  const asIs = `to continue with what is there: ${resumeCommand} --files as-is`;
  return files === 'restore'
    ? `the folder cannot be made as the run left it: ${named}. Move what is in the way; ${asIs}.`
    : `the folder is not as the run left it: ${named}. Nothing was written; ${asIs}; to write over it what the run left: ${resumeCommand} --files restore.`;
}

/** Maximum number of lines about further errors. */
const maxFurtherErrors = 3;

/**
 * The effective result of a run. An uncaught error makes it a failure, whatever the model answered; one that comes after an
 * interruption does not change the result.
 * @param running the calls that most probably caused the error, as a sentence.
 */
export function withStrays(run: EndedRun, agentName: string, running: string): EndedRun {
  const [first] = run.strays;
  if (first === undefined || run.interruption !== undefined) return run;
  const failure = printable(`the run of ${agentName} failed: ${first.message}. ${running}`.trimEnd());
  return { ...run, failure, error: first.cause instanceof Error ? first.cause : first };
}

/** Errors that the failure of the run does not name, one line each. */
export function furtherStrays({ strays, interruption }: EndedRun): readonly string[] {
  const further = strays.slice(interruption === undefined ? 1 : 0);
  const restOf = (rest: number): string => `also: ${counted(rest, 'more error')} that were not caught.`;
  return firstOf(further, maxFurtherErrors, ({ message }) => `also: ${message}.`, restOf);
}
