import { relative } from 'node:path';
import { counted, untilAborted } from '../../core/internal/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { RunRequest } from '../options/run-task.ts';
import { type CliEnvironment, CliInterruption, exitCodes } from '../process/environment.ts';
import { printable } from '../process/plain-text.ts';
import { type RunProcess, startRun } from './start-run.ts';
import { type WatchSources, watchFiles } from './watch-files.ts';
import { stampOf, watchedFiles } from './watched-files.ts';

/** A command line with `--watch`. */
export interface WatchedCommand {
  /** What it asks for. */
  readonly request: RunRequest;
  readonly argv: readonly string[];
  /** The files of its texts. */
  readonly texts: readonly string[];
}

/** What {@link watchCommand} takes from outside, so that tests can replace it. */
export interface WatchParts extends WatchSources {
  readonly start: (argv: readonly string[], onLoaded: (files: readonly string[]) => void) => RunProcess;
  /** The files to watch, with those that a run has loaded. */
  readonly filesOf: (command: WatchedCommand, loaded: readonly string[]) => readonly string[];
}

/**
 * Runs an agent in a process of its own, and again when one of its files has changed: a run that has not ended by then is interrupted. What does not load is run again, too.
 *
 * @returns the exit code, once the environment's signal is aborted.
 */
export async function watchCommand(
  command: WatchedCommand,
  environment: CliEnvironment,
  parts: WatchParts = {
    start: (argv, onLoaded) => startRun(argv, environment, onLoaded),
    filesOf: ({ request, texts }, loaded) => watchedFiles(request, texts, loaded),
    after: (delayMs, callback) => systemClock.schedule(delayMs, callback),
    stampOf,
  },
): Promise<number> {
  const { signal, stderr } = environment;
  const say = (text: string): void => stderr.write(`wink: ${printable(text)}\n`);
  const argv = withoutWatch(command.argv);
  // A run that does not load what the one before it did is still about the same files.
  let loaded: readonly string[] = [];
  while (!signal.aborted) {
    const watch = watchFiles(parts.filesOf(command, loaded), parts);
    const run = parts.start(argv, (files) => {
      loaded = files;
      watch.add(parts.filesOf(command, files));
    });
    try {
      const ended = run.ended.then(() => undefined);
      let changed = await untilAborted(Promise.race([ended, watch.changed]), signal);
      if (changed === undefined) {
        say(`watching ${counted(watch.count(), 'file')}, Ctrl-C ends`);
        changed = await untilAborted(watch.changed, signal);
      }
      say(`${relative('.', changed)} changed, running again`);
      run.stop();
      await run.ended;
    } catch (error) {
      if (!signal.aborted) throw error;
      run.stop();
      await run.ended;
    } finally {
      watch.stop();
    }
  }
  const { reason } = signal;
  return reason instanceof CliInterruption ? reason.exitCode : exitCodes.failed;
}

/** The words of a command line for one of its runs. */
function withoutWatch(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.filter((word, index) => word !== '--watch' || (end >= 0 && index > end));
}
