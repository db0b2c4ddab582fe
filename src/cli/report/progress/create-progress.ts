import type { CliEnvironment, OutputStream } from '../../process/environment.ts';
import { CallLog } from '../calls/call-log.ts';
import { lineProgress } from './line-progress.ts';
import { liveProgress } from './live-progress.ts';
import type { Progress, ProgressOptions } from './progress.ts';
import { RunStatus } from './run-status.ts';
import { verboseProgress } from './verbose-progress.ts';

/** Shows a run while it works: a few lines that are rewritten, where a person watches, or a few lines in all. */
export function createProgress(
  stream: OutputStream,
  {
    clean = (text) => text,
    now,
    calls = new CallLog(clean, now),
    style = (_tone, text) => text,
    detail = 'short',
    run,
    isLive,
    ...options
  }: ProgressOptions,
): Progress {
  if (detail === 'none') return noProgress(calls);
  if (detail === 'all') return verboseProgress(stream, calls, clean);
  const status = new RunStatus(calls, run, now, clean);
  return isLive
    ? liveProgress(stream, status, { ...options, now, style })
    : lineProgress(stream, status, { ...options, now, clean });
}

/** Whether lines of an output may be rewritten: a terminal that can do that, and not one that a CI system records. */
export function isRewritable(stream: OutputStream, variables: CliEnvironment['variables']): boolean {
  const { CI = '', TERM } = variables;
  return stream.isTerminal && TERM !== 'dumb' && (CI === '' || CI === 'false');
}

function noProgress(calls: CallLog): Progress {
  return {
    showsText: false,
    observe: (event) => void calls.observe(event),
    hold: () => () => undefined,
    end: () => undefined,
  };
}
