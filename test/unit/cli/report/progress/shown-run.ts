import type { TokenUsage } from 'weakincentives';
import type { OutputStream } from '../../../../../src/cli/process/environment.ts';
import { createProgress } from '../../../../../src/cli/report/progress/create-progress.ts';
import type { Progress, ProgressOptions } from '../../../../../src/cli/report/progress/progress.ts';
import type { ProgressRun } from '../../../../../src/cli/report/progress/run-status.ts';

/** What is known of a run, and what it has spent. */
export function shownRun(
  overrides: Partial<ProgressRun> & { readonly usage?: TokenUsage; readonly cost?: number } = {},
): ProgressRun {
  const { usage = {}, cost, ...run } = overrides;
  return {
    title: 'review on demo',
    modelName: 'openai:gpt-5',
    maxTurns: undefined,
    maxCost: undefined,
    spending: () => (cost === undefined ? { usage, uncountedTurns: 0 } : { usage, cost, uncountedTurns: 0 }),
    ...run,
  };
}

/** A progress whose lines are rewritten where its output is a terminal. Without a clock and timers unless it is given some. */
export function shownProgress(stream: OutputStream, options: Partial<ProgressOptions> = {}): Progress {
  return createProgress(stream, {
    run: shownRun(),
    now: () => 0,
    after: () => () => undefined,
    isLive: stream.isTerminal,
    ...options,
  });
}
