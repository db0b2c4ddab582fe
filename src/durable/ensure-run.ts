import { assertOptions, PromptValidationError, RunRefusedError } from '../core/error/index.ts';
import { type EvaluateOptions, movedOptions, newSession, type RunOutcome } from '../core/evaluation/index.ts';
import { wellFormed } from '../core/internal/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import { type Approver, findRun, type SuspendedRun, userItem } from '../core/runtime/index.ts';
import { canonicalJson, type JsonValue, sameJson } from '../core/schema/index.ts';
import type { PromptResponse } from '../core/tool/index.ts';
import { endedOutcome } from './ended-outcome.ts';
import { beginningOf, type ResumeRunOptions, resumeChecks, resumeRun } from './resume-run.ts';
import { cancellationOf, cancelledError, rowsToGoOn } from './rows/cancellation.ts';
import { type RunRows, readRunRows } from './rows/run-rows.ts';
import { isSpokenTo } from './rows/said-messages.ts';

/**
 * Options of {@link ensureRun}: those of a run that begins, and those of one that continues. `input` is what it begins with: a run that the journal has must have begun with the same. To
 * say something to that one, there is `input` of `resumeRun`.
 */
export interface EnsureRunOptions<Output = unknown, A extends Approver = Approver>
  extends Omit<ResumeRunOptions<Output, A>, 'input'>,
    Pick<EvaluateOptions, 'history' | 'input' | 'pendingCalls'> {}

/** See on-demand.ts, through which it is loaded. */
export async function ensureRun<Output, A extends Approver = Approver>(
  given: EnsureRunOptions<Output, A>,
): Promise<RunOutcome<Output, A>> {
  // A function as `approve` answers all questions, so that none is left.
  return ensure(given) as Promise<RunOutcome<Output, A>>;
}

async function ensure<Output>(
  given: EnsureRunOptions<Output>,
): Promise<PromptResponse<Output> | SuspendedRun> {
  assertOptions('ensureRun()', given, resumeChecks, { moved: movedOptions });
  const { journal, runId } = given;
  if ((await findRun(journal, runId)) === undefined) {
    try {
      return await begin(given);
    } catch (error) {
      // Another process has begun it meanwhile.
      if (!(await isKnownNow(error, given))) throw error;
    }
  }
  return continueRun(given);
}

/** What only the library itself asks of a run that continues. */
export interface ContinueExtras {
  /** What the run waits for before it continues. Default: nothing. */
  readonly ready?: (() => Promise<void> | undefined) | undefined;
  /** What is said to the model; see `input` of `resumeRun`. Default: nothing. */
  readonly says?: EvaluateOptions['input'] | undefined;
}

/**
 * Continues a run that the journal has, or says how it has ended.
 *
 * @throws as `ensureRun`.
 */
export async function continueRun<Output>(
  given: EnsureRunOptions<Output>,
  { ready, says }: ContinueExtras = {},
): Promise<PromptResponse<Output> | SuspendedRun> {
  const { input: _input, history: _history, pendingCalls: _pending, ...options } = given;
  const { journal, runId } = options;
  const rows = readRunRows(runId, await rowsToGoOn(journal, runId));
  assertSame(rows, given);
  const cancelled = cancellationOf(rows);
  if (cancelled !== undefined) throw cancelledError(runId, cancelled);
  const isOver =
    says === undefined && !(rows.end?.outcome === 'finished' && (await isSpokenTo(journal, runId)));
  const ended = isOver ? await endedOutcome(rows, given) : undefined;
  return ended ?? resumeRun(says === undefined ? options : { ...options, input: says }, ready);
}

async function begin<Output>(
  given: EnsureRunOptions<Output>,
): Promise<PromptResponse<Output> | SuspendedRun> {
  const { adapter, prompt, answers, strict: _strict, files: _files, ...options } = given;
  if (answers !== undefined && answers.length > 0) {
    throw new PromptValidationError(
      `There is nothing to answer: the journal has no run "${given.runId}", so it begins. Leave out answers.`,
      { details: { option: 'answers' } },
    );
  }
  // Its name decides between processes that begin it at the same time: one of them has the session.
  const session = options.session ?? newSession(options, options.runId);
  try {
    return await adapter.evaluate(prompt, { ...options, session });
  } finally {
    if (options.session === undefined) await session[Symbol.asyncDispose]();
  }
}

/** Whether a run could not begin since another process has begun it. */
async function isKnownNow(error: unknown, { journal, runId }: KnownBy): Promise<boolean> {
  const isRefused = PromptValidationError.isInstance(error) && error.details['option'] === 'runId';
  return isRefused && (await findRun(journal, runId)) !== undefined;
}

/**
 * A run of this name that began with something else is another job. What the caller leaves out is not compared, and neither is what an upgrade of the agent changes: see `strict`.
 *
 * @throws {RunRefusedError} `run-known-otherwise`.
 */
function assertSame(rows: RunRows, begun: BegunWith): void {
  const { runId } = begun;
  const differs = differences(rows, begun);
  if (differs.length === 0) return;
  throw new RunRefusedError(
    'run-known-otherwise',
    `The journal has a run "${runId}" that began with another ${differs.join(' and another ')}. Give this one another runId, or the ${differs.join(' and the ')} of that one.`,
    { details: { runId, differs } },
  );
}

/** What a run is to begin with. */
type BegunWith = Pick<EnsureRunOptions, 'input' | 'runId'> & {
  readonly prompt: Pick<Prompt, 'key' | 'ns' | 'params'>;
};

type KnownBy = Pick<EnsureRunOptions, 'journal' | 'runId'>;

function differences({ header, root }: RunRows, { prompt, input }: BegunWith): readonly string[] {
  const differs: string[] = [];
  if (header.prompt.namespace !== prompt.ns || header.prompt.key !== prompt.key) differs.push('prompt');
  const { bound } = header;
  if (bound !== undefined && !sameJson(bound, wellFormed(prompt.params))) differs.push('params');
  // The last thing that was said before the first request; one that was not made says nothing.
  const said = beginningOf({ root }).at(-1);
  if (input !== undefined && said !== undefined && textOf(said) !== textOf(userItem(input)))
    differs.push('input');
  return differs;
}

// Both are JSON: the one was read from it, and the other is written as it.
const textOf = (value: unknown): string => canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue);
