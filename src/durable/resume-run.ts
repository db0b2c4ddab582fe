import {
  assertOptions,
  keptName,
  type OptionCheck,
  type OptionsOf,
  oneOf,
  PromptValidationError,
  required,
  withDefaults,
} from '../core/error/index.ts';
import {
  checkEvaluateOptions,
  type EvaluateOptions,
  evaluateChecks,
  evaluationSlices,
  limitChecks,
  modelOf,
  movedOptions,
  newSession,
  type ProviderAdapter,
  type RunOutcome,
} from '../core/evaluation/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import {
  type Approver,
  type ConversationItem,
  type RunJournal,
  type SuspendedRun,
  userItem,
} from '../core/runtime/index.ts';
import { type Session, systemClock } from '../core/session/index.ts';
import type { PromptResponse } from '../core/tool/index.ts';
import { appendAnswers, type ResumeAnswer } from './approvals/answer-approvals.ts';
import type { ResumedFiles } from './resume/files-of-run.ts';
import { ResumedRun, resetState } from './resume/resumed-run.ts';
import { migrateRows } from './resume/row-migration.ts';
import { RunLife } from './resume/run-life.ts';
import { assertNotCancelled, rowsToGoOn } from './rows/cancellation.ts';
import { withLease } from './rows/journal-writer.ts';
import { type RunRows, readRunRows } from './rows/run-rows.ts';
import { isSpokenTo } from './rows/said-messages.ts';
import { runOnJournal } from './run/run-on-journal.ts';

/** Options of {@link resumeRun}: those that the run began with, but for what the journal knows. */
export interface ResumeRunOptions<Output = unknown, A extends Approver = Approver>
  extends Omit<EvaluateOptions<A>, 'input' | 'history' | 'inbox' | 'pendingCalls' | 'journal' | 'runId'> {
  /** Asks the model of the remaining turns. */
  readonly adapter: ProviderAdapter;
  /** The prompt that the run began with, its params included. */
  readonly prompt: Prompt<Output>;
  /** Keeps the run. */
  readonly journal: RunJournal;
  /** Name of the run. */
  readonly runId: string;
  /**
   * What the user says before the model is asked again, as `input` of `evaluate`; a run that has its answer continues it. It is part of the run from then on. Default: nothing.
   */
  readonly input?: EvaluateOptions['input'];
  /** Answers to the questions of a suspended run; they are kept before it continues. Default: none. */
  readonly answers?: readonly ResumeAnswer[];
  /** Whether a run is refused whose prompt, tools, policies or model have changed. Default: it continues with them, and `run-resumed` names them. */
  readonly strict?: boolean;
  /**
   * What to do about a folder on a disk that is not as the rows of the run left it. `check`: the run is refused, and the error names the paths. `restore`: they become what the rows
   * hold; what the rows do not know is left alone. `as-is`: the run continues with what is there, and `run-resumed` names the paths. Only paths that calls of the run have changed are
   * compared: contents, links, kinds and permissions. Files in memory, and changes that are held back, always become what the rows hold. Default: `check`, and
   * nothing for a run that only returns its answer again.
   * @see docs/spec/durable-runs.md §4
   */
  readonly files?: ResumedFiles;
  /** A new session, with the id of the one that the run had. Default: one is made, and disposed at the end. */
  readonly session?: Session;
}

/** What the options must be of a run that continues. */
export const resumeChecks: OptionsOf<EvaluateOptions> &
  Readonly<Record<'adapter' | 'answers' | 'files' | 'prompt' | 'strict', OptionCheck>> = {
  ...evaluateChecks,
  adapter: 'object!',
  prompt: 'object!',
  journal: 'object!',
  runId: required(keptName),
  strict: 'boolean',
  files: oneOf(['check', 'restore', 'as-is']),
  answers: 'array',
};

/**
 * See on-demand.ts, through which it is loaded.
 *
 * @param ready what the run waits for before it continues. Default: nothing.
 */
export async function resumeRun<Output, A extends Approver = Approver>(
  given: ResumeRunOptions<Output, A>,
  ready?: () => Promise<void> | undefined,
): Promise<RunOutcome<Output, A>> {
  // A function as `approve` answers all questions, so that none is left.
  return resume(given, ready) as Promise<RunOutcome<Output, A>>;
}

async function resume<Output>(
  given: ResumeRunOptions<Output>,
  ready: (() => Promise<void> | undefined) | undefined,
): Promise<PromptResponse<Output> | SuspendedRun> {
  assertOptions('resumeRun()', given, resumeChecks, { moved: movedOptions });
  const { adapter, prompt, runId, strict, files, input, answers = [], ...asked } = given;
  checkEvaluateOptions(asked, 'resumeRun()');
  const { journal, ...options } = asked;
  const model = modelOf(adapter);
  if (model === undefined) {
    throw new PromptValidationError(
      'The adapter of resumeRun() must be that of a vendor, such as openai(), or made by providerAdapter() of weakincentives/provider.',
      {
        details: { option: 'adapter' },
      },
    );
  }
  // Only the header: what else they say is read once no one else writes them.
  const { header } = readRunRows(runId, (await rowsToGoOn(journal, runId)).slice(0, 1));
  const { sessionId } = header;
  if (header.toolRuntime === true) {
    throw new PromptValidationError(
      `The run "${runId}" cannot be resumed: it is that of a tool runtime, and the loop around its calls is not in the journal. Open another tool runtime.`,
      { details: { runId } },
    );
  }
  if (header.redacted) {
    throw new PromptValidationError(
      `The run "${runId}" cannot be resumed: its rows were redacted, so they are not what it did. Resume it from the journal that it was written to.`,
      { details: { runId } },
    );
  }
  return withLease(journal, sessionId, async (lease) => {
    // Another owner may have written until now.
    let rows = readRunRows(runId, await journal.read(runId));
    const clock = options.clock ?? systemClock;
    await assertNotCancelled({ journal, runId, clock }, lease, rows);
    if (answers.length > 0) {
      await appendAnswers({ journal, runId, answers, clock }, lease, rows);
      rows = readRunRows(runId, await journal.read(runId));
    }
    const { signal } = options;
    const { maxInterruptions } = withDefaults(limitChecks, options.limits);
    const session = sessionFor(options, sessionId);
    // One that only returns its answer again does and reads nothing.
    const isOver =
      rows.end?.outcome === 'finished' && input === undefined && !(await isSpokenTo(journal, runId));
    const life = isOver
      ? undefined
      : await RunLife.begin({ journal, lease, runId, clock, signal, rows, maxInterruptions });
    let resumed: ResumedRun | undefined;
    try {
      for (const slice of [...evaluationSlices, ...prompt.slices()]) session.install(slice);
      const migration = migrateRows(rows, session);
      // What the prompt is rendered from.
      resetState(session, rows.start);
      const ids = options.ids ?? session.ids;
      const ownsSession = options.session === undefined;
      resumed = new ResumedRun({
        rows,
        migration,
        session,
        ids,
        isStrict: strict === true,
        files: files ?? (isOver ? undefined : 'check'),
        maxInterruptions,
      });
      return await runOnJournal(
        { journal, lease, runId, session, ownsSession },
        {
          evaluator: adapter,
          model,
          prompt,
          ready,
          options: { ...options, history: beginningOf(rows) },
          resumed,
          input: input === undefined ? [] : [userItem(input)],
        },
      );
    } finally {
      if (resumed?.hasGoneOn !== true) await life?.leave();
    }
  });
}

/** @throws {PromptValidationError} for a session of another run, or one that holds something already. */
function sessionFor(
  { session, ...options }: Pick<EvaluateOptions, 'session' | 'clock' | 'ids'>,
  id: string,
): Session {
  if (session === undefined) return newSession(options, id);
  const refuse = (why: string): PromptValidationError =>
    new PromptValidationError(`The run cannot be resumed on this session: ${why}.`, {
      details: { option: 'session' },
    });
  if (session.id !== id) throw refuse(`its id is "${session.id}", and that of the run is "${id}"`);
  if (!session.isFresh) throw refuse('it holds items already; give a new one');
  return session;
}

/** The conversation as the model got it first. */
export function beginningOf({ root: { firstRequest } }: Pick<RunRows, 'root'>): readonly ConversationItem[] {
  const edits = firstRequest?.edits ?? [];
  // The reader of rows has checked that each is a message.
  return edits.flatMap(({ insert }) => insert as unknown as readonly ConversationItem[]);
}
