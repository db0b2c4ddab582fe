import {
  assertArgument,
  assertMembers,
  assertOptions,
  type OptionChecks,
  PromptValidationError,
} from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import {
  type Approver,
  assertEventTypes,
  checkFeedbackProviders,
  inputOf,
  isSharedBudget,
  isSuspension,
  type RunObserver,
  toBudgetTracker,
  toCompletionChecker,
  toThrottlePolicy,
} from '../../runtime/index.ts';
import type { NestedEvaluateOptions, PromptPort } from '../../tool/index.ts';
import { refusePendingCalls, refuseSuspended } from './complete-history.ts';
import type { ContextOptions, EvaluateOptions } from './evaluate-options.ts';
import { evaluateChecks, movedOptions } from './option-checks.ts';

/** Options of an evaluation on a root session, or inside a call. */
type AnyOptions = Omit<EvaluateOptions<Approver>, 'limits'> & Pick<NestedEvaluateOptions, 'limits'>;

declare const isChecked: unique symbol;

/** Marks, for the compiler alone, options that were checked, once, where a run enters the library. */
export interface Checked {
  readonly [isChecked]: true;
}

/**
 * @param of the function that takes the options.
 * @param checks of its options: those of an evaluation, and others.
 * @throws {PromptValidationError} for an option that does not exist, is out of its range, or of the wrong kind.
 */
export function checkEvaluateOptions<Options extends AnyOptions>(
  options: Options,
  of = 'evaluate()',
  checks: OptionChecks = evaluateChecks,
): asserts options is Options & Checked {
  assertOptions<unknown>(of, options, checks, { moved: movedOptions });
  const { session, limits, observers, pendingCalls, history, feedback, completion } = options;
  if (session !== undefined) assertMembers(`${of}: session`, session, { hold: 'function!' });
  checkJournal(of, options);
  checkInbox(of, options);
  if (checks === evaluateChecks) refuseScope(options.approve);
  if (observers !== undefined) checkObservers(of, observers);
  if (history !== undefined) refuseSuspended(history);
  if (pendingCalls === 'refuse' && history !== undefined) refusePendingCalls(history);
  if (options.context !== undefined) checkContext(of, options.context, options.settings);
  if (limits?.budget !== undefined && !isSharedBudget(limits.budget)) toBudgetTracker(limits.budget);
  if (options.retry !== undefined) toThrottlePolicy(options.retry);
  if (feedback !== undefined) checkFeedbackProviders(feedback);
  if (completion !== undefined) toCompletionChecker(completion);
}

/** What can be passed as `journal`, for messages. */
const journals =
  'sqliteJournal({ file }) of weakincentives/sqlite as journal, or in a test memoryJournal() of weakincentives/testing, which ends with the process';

function checkJournal(of: string, { approve, journal, runId }: AnyOptions): void {
  if (isSuspension(approve) && journal === undefined) {
    throw new PromptValidationError(
      `suspendApproval() needs a journal: without one, nothing could continue the run. Pass ${journals}, or a function as approve.`,
      { details: { option: 'approve' } },
    );
  }
  if (journal !== undefined) {
    const methods = { append: 'function!', read: 'function!', acquire: 'function!' } as const;
    assertMembers(`${of}: journal`, journal, methods);
  }
  if (runId === undefined || journal !== undefined) return;
  throw new PromptValidationError(`The option runId needs a journal: pass ${journals}.`, {
    details: { option: 'runId' },
  });
}

/** @throws {PromptValidationError} for what cannot hold together. */
export function checkContext(
  of: string,
  { compact, maxTurns }: ContextOptions,
  settings?: EvaluateOptions['settings'],
): void {
  if (compact === undefined) return;
  const { atInputTokens, toInputTokens } = compact;
  const refused = (option: string, problem: string): PromptValidationError =>
    new PromptValidationError(`${of}: ${problem}`, { details: { option } });
  if (toInputTokens > 0.75 * atInputTokens) {
    throw refused(
      'context.compact.toInputTokens',
      `context.compact.toInputTokens must be at most three quarters of atInputTokens, here ${Math.floor(0.75 * atInputTokens)}; it is ${toInputTokens}. Each compaction costs all that the provider has cached of the conversation.`,
    );
  }
  if (maxTurns !== undefined) {
    throw refused(
      'context.maxTurns',
      'context.maxTurns and context.compact cannot be used together: the window would drop the state that a compaction puts in the place of turns. Leave one of them out.',
    );
  }
  const ofProvider = providerCompactions.find((name) => settings?.[name] !== undefined);
  if (ofProvider !== undefined) {
    throw refused(
      `settings.${ofProvider}`,
      `The setting ${ofProvider} lets the provider shorten the conversation, which context.compact does. Leave one of them out.`,
    );
  }
}

/** Settings by which providers shorten a conversation themselves. */
const providerCompactions = ['context_management', 'contextManagement', 'truncation'] as const;

/** @throws {PromptValidationError} for an inbox that `createMessageInbox` did not make, and for one beside a journal, which has its own. */
function checkInbox(of: string, { inbox, journal }: AnyOptions): void {
  if (inbox === undefined) return;
  const refuse = (why: string): PromptValidationError =>
    new PromptValidationError(`${of}: inbox ${why}`, { details: { option: 'inbox' } });
  if (inputOf(inbox) === undefined) throw refuse('must be made by createMessageInbox().');
  if (journal !== undefined)
    throw refuse('is for a run without a journal. Leave it out, and say it by sayToRun().');
}

/** @throws {PromptValidationError} for a scope of questions where they belong to a run, which is found by its name. */
function refuseScope(approve: unknown): void {
  if (!isSuspension(approve) || approve.scope === undefined) return;
  throw new PromptValidationError(
    'suspendApproval() has a scope, which is for openToolRuntime(): the questions of an evaluation belong to its run, and resumeRun() takes their answers. Leave it out.',
    { details: { option: 'approve' } },
  );
}

/** @throws {PromptValidationError} for what is not a prompt, such as a template that was not bound. */
export function assertPrompt<Output>(prompt: PromptPort<Output>): asserts prompt is Prompt<Output> {
  // Code without types may give anything.
  const given: unknown = prompt;
  if (typeof given === 'object' && given !== null && 'kind' in given && given.kind === 'prompt') return;
  throw new PromptValidationError('Only a prompt can be evaluated: bind the params of a template first.', {
    details: { option: 'prompt' },
  });
}

const members: { readonly [Name in keyof RunObserver]-?: 'function' | 'array' } = {
  eventTypes: 'array',
  onEvent: 'function',
  onState: 'function',
  onRequest: 'function',
  onResponse: 'function',
  onCommit: 'function',
  onDiscard: 'function',
  around: 'function',
};

/** @throws {PromptValidationError} for what is not a list of observers. */
export function checkObservers(where: string, observers: readonly RunObserver[]): void {
  assertArgument(where, 'observers', observers, 'array');
  for (const observer of observers) {
    assertArgument(`${where}: observers`, 'an observer', observer, 'object');
    assertMembers(`${where}: an observer`, observer, members);
    assertEventTypes(`${where}: eventTypes of an observer`, observer.eventTypes ?? none);
  }
}
