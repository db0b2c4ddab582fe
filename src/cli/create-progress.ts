import type { OutputStream } from './environment.ts';
import { liveProgress } from './live-progress.ts';
import { plainProgress } from './plain-progress.ts';
import type { Progress } from './progress.ts';

/**
 * One line that is rewritten on a terminal, under the plan if there is one; a line per turn, step and piece of news everywhere else.
 *
 * @param clean takes out of a text what must not be shown.
 */
export function createProgress(
  stream: OutputStream,
  now: () => number,
  clean: (text: string) => string = (text) => text,
): Progress {
  return stream.isTerminal ? liveProgress(stream, now, clean) : plainProgress(stream, clean);
}
