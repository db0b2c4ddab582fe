import {
  assertOptions,
  JournalFencedError,
  keptName,
  type OptionsOf,
  RunLostError,
  RunRefusedError,
  required,
} from '../../core/error/index.ts';
import { isRecord, present } from '../../core/internal/index.ts';
import { PromptEvaluationError, type RunJournal, type SuspendedRun } from '../../core/runtime/index.ts';
import type { ResumeAnswer } from '../approvals/answer-approvals.ts';
import { type KeptRows, LiveRun } from './live-run.ts';
import { readEntry, type StepEntry, writeEntry } from './step-text.ts';

/** What a run on steps begins or continues with: options of `ensureRun`, and of `runAgent`. */
export interface RunOnStepsStart {
  readonly journal: RunJournal;
  readonly runId: string;
  /** Answers to the questions that the run was suspended with. Absent: there are none. */
  readonly answers?: readonly ResumeAnswer[];
}

/** Options of {@link runOnSteps}. */
export interface RunOnStepsOptions<Result> {
  /**
   * Does a step of the engine: calls `work` and keeps the text that it resolves with, or returns the text that it has kept of the step at this place. It rejects when `work` does, and when
   * the text could not be kept. Its name is the same in each attempt.
   */
  readonly step: (name: string, work: () => Promise<string>) => PromiseLike<string>;
  /** Name of the run, 1 to 512 characters; the same in each attempt. */
  readonly runId: string;
  /**
   * Begins the run, or continues it: one call of `ensureRun` or `runAgent` with what it gets. It runs inside of steps. What it resolves with is kept as JSON.
   */
  readonly start: (run: RunOnStepsStart) => Promise<Result>;
  /**
   * Waits for the answers to the questions of a suspended run, outside of steps: by a promise, a signal or an event of the engine, for as long as it takes. What it returns must be the same in
   * each attempt. Default: `runOnSteps` resolves with the suspended run.
   */
  readonly answers?: (run: SuspendedRun) => PromiseLike<readonly ResumeAnswer[]>;
  /** Aborted when the attempt of the engine has ended: the run is lost here, and nothing of it is begun any more. Default: nothing says so. */
  readonly signal?: AbortSignal;
  /**
   * Whether an error is how the run has ended: it is kept, and thrown again in each attempt. Any other one is thrown in the step, so that the engine tries again and the run continues. Must
   * not throw. Default: a `PromptEvaluationError` but for the code `evaluation-aborted`, and a `RunRefusedError` with the code `run-cancelled`.
   */
  readonly isFinal?: (error: unknown) => boolean;
}

const checks: OptionsOf<RunOnStepsOptions<unknown>> = {
  step: 'function!',
  runId: required(keptName),
  start: 'function!',
  answers: 'function',
  signal: 'object',
  isFinal: 'function',
};

/**
 * Runs an evaluation in an engine that keeps the results of steps by their order, such as Restate, Inngest and DBOS. Step `n` is the `n`th batch of rows that the run appends: the
 * engine is its journal. An attempt gets the batches of the steps that are done, and continues from there; what the run does next waits until the engine has kept its rows. So nothing is
 * done twice when a process is killed, and a call that was cut off is in doubt, as with any journal.
 *
 * Lists of runs and the `wink` commands do not see such a run, since the engine has its rows. They hold all that the model and the tools got.
 *
 * @example
 * ```ts
 * import { ensureRun, promptTemplate, section } from 'weakincentives';
 * import { runOnSteps } from 'weakincentives/durable';
 * import { scriptedAdapter } from 'weakincentives/testing';
 *
 * const prompt = promptTemplate({
 *   ns: 'desk',
 *   key: 'sort',
 *   sections: [section({ title: 'Task', key: 'task', template: 'Sort the mail.' })],
 * }).bind();
 * const adapter = scriptedAdapter([{ text: 'Sorted.' }]);
 *
 * // In place of an engine: its steps, by their order. With Restate: (name, work) => context.run(name, work).
 * const kept: string[] = [];
 * const attempt = (runId: string) => {
 *   let at = 0;
 *   return runOnSteps({
 *     runId,
 *     step: async (_name, work) => (kept[at] ??= await work()) && (kept[at++] ?? ''),
 *     start: (run) => ensureRun({ adapter, prompt, input: 'Go.', ...run }),
 *   });
 * };
 *
 * const first = await attempt('mail-1');
 * const again = await attempt('mail-1');
 * console.assert(first.finishReason === 'stop' && again.finishReason === 'stop');
 * ```
 *
 * @returns what `start` resolves with, as JSON keeps it; with `answers`, when it is not suspended.
 * @throws {JournalError} `journal-damaged` when a step has something else than rows of this run, such as when the steps before it have changed; `journal-version-unsupported`.
 * @throws {JournalFencedError} when another attempt of the engine continues the run.
 * @throws what `start` rejects with, and what `step` and `answers` do.
 * @see docs/spec/durable-runs.md §15
 */
export function runOnSteps<Result>(
  options: RunOnStepsOptions<Result> & Required<Pick<RunOnStepsOptions<Result>, 'answers'>>,
): Promise<Exclude<Result, SuspendedRun>>;
export function runOnSteps<Result>(options: RunOnStepsOptions<Result>): Promise<Result>;
export async function runOnSteps<Result>(options: RunOnStepsOptions<Result>): Promise<Result> {
  assertOptions('runOnSteps()', options, checks);
  const kept: KeptRows[] = [];
  let steps = 0;
  let answers: readonly ResumeAnswer[] | undefined;
  for (;;) {
    const part = new StepsPart(options, kept, steps, answers);
    // What JSON has kept of what `start` has resolved with.
    const result = (await part.run()) as Result;
    if (options.answers === undefined || !isSuspended(result)) return result;
    steps = part.steps;
    answers = await options.answers(result);
  }
}

/** The steps of a run until it ends, or waits for answers. */
class StepsPart {
  readonly #options: RunOnStepsOptions<unknown>;
  readonly #kept: KeptRows[];
  readonly #answers: readonly ResumeAnswer[] | undefined;
  #live: LiveRun | undefined;
  /** Steps so far, those of the parts before included. */
  steps: number;

  /** @param kept rows so far, to which those of this part are added. */
  constructor(
    options: RunOnStepsOptions<unknown>,
    kept: KeptRows[],
    steps: number,
    answers: readonly ResumeAnswer[] | undefined,
  ) {
    this.#options = options;
    this.#kept = kept;
    this.steps = steps;
    this.#answers = answers;
  }

  async run(): Promise<unknown> {
    const { signal } = this.#options;
    const lose = (): void => void this.#lose('The attempt of the engine has ended');
    signal?.addEventListener('abort', lose);
    try {
      for (;;) {
        const entry = await this.#step();
        if (entry.kind === 'result') return entry.result;
        if (entry.kind === 'error') throw entry.error;
        this.#kept.push(entry);
        this.#live?.acknowledge();
      }
    } catch (error) {
      await this.#lose('The attempt of the engine has failed');
      throw error;
    } finally {
      signal?.removeEventListener('abort', lose);
    }
  }

  async #step(): Promise<StepEntry> {
    const { step, runId } = this.#options;
    const name = `rows ${this.steps}`;
    let offered: string | undefined;
    const text = await step(name, async () => {
      offered = writeEntry(runId, await this.#next());
      return offered;
    });
    this.steps += 1;
    if (this.#live !== undefined && text !== offered) {
      throw new JournalFencedError(
        `Another attempt of the engine has the step "${name}" of the run "${runId}". This one ends here.`,
        { details: { runId, step: name } },
      );
    }
    return readEntry(runId, name, text);
  }

  async #next(): Promise<StepEntry> {
    const { runId, signal } = this.#options;
    signal?.throwIfAborted();
    this.#live ??= await LiveRun.begin(runId, this.#kept, (journal) => this.#start(journal));
    try {
      return await this.#live.next();
    } catch (error) {
      // The engine may try the step again.
      await this.#lose('The attempt of the engine has failed');
      throw error;
    }
  }

  async #start(journal: RunJournal): Promise<StepEntry> {
    const { start, runId, isFinal = isEnd } = this.#options;
    try {
      const result = await start({ journal, runId, ...present({ answers: this.#answers }) });
      return { kind: 'result', result };
    } catch (error) {
      if (RunLostError.isInstance(error) || !(error instanceof Error) || !isFinal(error)) throw error;
      return { kind: 'error', error };
    }
  }

  async #lose(why: string): Promise<void> {
    const live = this.#live;
    this.#live = undefined;
    await live?.end(`${why}: the run "${this.#options.runId}" continues from its steps.`);
  }
}

function isEnd(error: unknown): boolean {
  return PromptEvaluationError.isInstance(error)
    ? error.code !== 'evaluation-aborted'
    : RunRefusedError.isInstance(error) && error.code === 'run-cancelled';
}

function isSuspended(result: unknown): result is SuspendedRun {
  return isRecord(result) && result['finishReason'] === 'suspended' && Array.isArray(result['pending']);
}
