import type { OutputStream } from '../process/environment.ts';
import { liveProgress } from './live-progress.ts';
import { plainProgress } from './plain-progress.ts';
import type { Progress, ProgressOptions } from './progress.ts';

/**
 * One line that is rewritten on a terminal, under the plan and over the end of what the model writes; a line per turn, step and piece of
 * news everywhere else, and beside log lines, which a line that is rewritten would be in the way of.
 */
export function createProgress(
  stream: OutputStream,
  { clean = (text) => text, style = (_tone, text) => text, isVerbose = false, ...options }: ProgressOptions,
): Progress {
  return stream.isTerminal && !isVerbose
    ? liveProgress(stream, { ...options, clean, style })
    : plainProgress(stream, { clean, isVerbose });
}
