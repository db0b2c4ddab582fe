import { describeError } from '../../error/index.ts';
import type { FileRead } from '../../filesystem/index.ts';
import { isPromiseLike, none, present, whenSettled, writableCopy } from '../../internal/index.ts';
import { type ParseOutcome, parseInput, parseOutput } from '../../schema/index.ts';
import type { SessionPatch, SessionRead } from '../../session/index.ts';
import type { ToolContext } from '../../tool/index.ts';
import type { OncePurpose } from '../journal/journal-ledger.ts';
import { haltReason } from '../limits/run-budget.ts';
import { askForApproval, refused } from './approvals/approvals.ts';
import type { CallAttempt } from './attempt/attempt.ts';
import { AttemptEnd, isThrown } from './attempt/exceptions.ts';
import { assertResultSize, readOutput, readSuccess, renderValue } from './attempt/handler-result.ts';
import { JudgedCall } from './attempt/judged-call.ts';
import { answeredOnce, askOnce, beginOnce, endOnce } from './attempt/once.ts';
import { createToolContext } from './attempt/tool-context.ts';
import { awaitHook, HookFailure, nameAttempt } from './environment/call-hooks.ts';
import type { RecordedEnd, RecordedHandler } from './environment/earlier-calls.ts';
import { RunSuspended } from './environment/run-suspension.ts';
import { checkCall, checkChanges, recordInPolicies } from './policies/policies.ts';
import { findAmbiguity } from './tool-call/call-paths.ts';
import { misfit } from './tool-call/tool-call.ts';
import { failed, type PolicyQuestion, stoppedVerdict, type Verdict, withNote } from './tool-call/verdict.ts';

/**
 * One step of an attempt. It ends the attempt by returning a verdict, or by throwing: see `exceptions.ts`. A step that has nothing to wait for
 * returns no promise, and is not waited for.
 */
type Step = (attempt: CallAttempt) => Outcome;

/** How a step ends: with the verdict on the attempt, or with undefined when the next step follows. */
type Outcome = PromiseLike<Verdict | undefined> | Verdict | undefined;

/**
 * The steps of an attempt, from the arguments to a success that can be committed. Before them, the tool was looked up and the JSON of the
 * arguments parsed (`tool-call.ts`), and session, files and resources were forked (`transaction.ts`); after them comes the commit
 * (`commits.ts`).
 *
 * @see docs/spec/tool-calls.md §3
 */
const steps: readonly Step[] = [
  choosePaths,
  parseParams,
  askPolicies,
  runHandler,
  readResult,
  disposeResources,
  askAboutChanges,
  recordSuccess,
];

/** The steps of a call that is in doubt. No policy is asked: it may have been done. */
const stepsInDoubt: readonly Step[] = [
  choosePaths,
  parseParams,
  reconcileInDoubt,
  readResult,
  disposeResources,
  recordSuccess,
];

/** The steps of a call that has ended the process too often: nothing of it runs. */
const stepsInterrupted: readonly Step[] = [refuseInterrupted];

/** Runs an attempt; one that cannot be committed is discarded before this resolves. Rejects only with a {@link HookFailure}. */
export function runAttempt(attempt: CallAttempt): Promise<Verdict> {
  const { observers } = attempt.environment;
  const remaining = stepsOf(attempt);
  return observers.around === undefined
    ? run(attempt, remaining)
    : observed(attempt, () => run(attempt, remaining));
}

function stepsOf({ environment, number, resolved, tool }: CallAttempt): readonly Step[] {
  const { hooks } = environment;
  if (hooks?.isInDoubt === undefined) return steps;
  const name = nameAttempt(resolved.call, number, environment);
  if (!tool.reenters && hooks.isInDoubt(name)) return stepsInDoubt;
  return hooks.tooManyInterruptions?.(name, tool.reenters) === undefined ? steps : stepsInterrupted;
}

/** Does the work of an attempt in the context of the observers. */
function observed(attempt: CallAttempt, work: () => Promise<Verdict>): Promise<Verdict> {
  const { environment, number, resolved } = attempt;
  const { observers, origin } = environment;
  if (observers.around === undefined) return work();
  const { callId, toolName, turn } = resolved.call;
  const { evaluationId, promptName, parentCallIds: path = none } = origin;
  const call = { callId, toolName, turn, attempt: number };
  return observers.around({ kind: 'tool-call', evaluationId, path, promptName, ...call }, work);
}

/** Continues with an attempt whose changes need an approval. Never rejects. */
export function approveChanges(attempt: CallAttempt, questions: readonly PolicyQuestion[]): Promise<Verdict> {
  const ask: Step = async () => {
    const refusal = await askForApproval(attempt, questions, attempt.changes);
    return refusal?.kind === 'failed' ? withNote(refusal, attempt.residualNote()) : refusal;
  };
  return observed(attempt, () => run(attempt, [ask, recordSuccess]));
}

async function run(attempt: CallAttempt, remaining: readonly Step[]): Promise<Verdict> {
  const unfollow = attempt.followRun();
  let verdict: Verdict | undefined;
  try {
    for (const step of remaining) {
      const ended = step(attempt);
      verdict = isPromiseLike(ended) ? await ended : ended;
      if (verdict !== undefined) break;
    }
  } catch (thrown) {
    if (isThrown(thrown, HookFailure)) throw thrown;
    verdict = innerWaits(attempt, thrown) ?? attempt.verdictOn(thrown);
  } finally {
    unfollow();
  }
  if (attempt.trace !== undefined) attempt.trace.endedAtMs = attempt.environment.clock.now();
  if (verdict === undefined) throw new RangeError('The last step of an attempt has no verdict.');
  if (attempt.heldKey !== undefined) endOnce(attempt, verdict);
  if (verdict.kind !== 'succeeded' && verdict.kind !== 'needs-approval') await attempt.dispose();
  return verdict;
}

/** The verdict on a call whose handler was ended by a question of a call inside; undefined for anything else. */
function innerWaits({ environment, resolved, tool }: CallAttempt, thrown: unknown): Verdict | undefined {
  const { suspension } = environment;
  if (suspension === undefined || !tool.reenters || !isThrown(thrown, RunSuspended)) return undefined;
  suspension.adopt(resolved.call, thrown.questions);
  return { kind: 'suspended' };
}

/** Refuses a path that could be two, by the files of the attempt. */
function choosePaths({ resolved, transaction }: CallAttempt): Outcome {
  if (resolved.choices.length === 0) return undefined;
  const { privilegedFilesystem } = transaction;
  if (privilegedFilesystem === undefined) return undefined;
  return findAmbiguity(resolved.choices, privilegedFilesystem).then((message) =>
    message === undefined ? undefined : failed('rejected', 'invalid-arguments', message),
  );
}

function parseParams(attempt: CallAttempt): Outcome {
  const { resolved, tool } = attempt;
  const { compiledInput, name } = tool;
  if (compiledInput === undefined) {
    const keys = Object.keys(resolved.params);
    if (keys.length === 0) return takeParams(attempt, undefined);
    const message = `Tool validation failed: "${name}" takes no arguments, but got ${keys.slice(0, 10).join(', ')}.`;
    return failed('rejected', 'invalid-arguments', message);
  }
  const parsing = attempt.settled(parseInput(compiledInput, writableCopy(resolved.params)));
  return whenSettled(parsing, (outcome: ParseOutcome<unknown>) => {
    if (outcome.ok) return takeParams(attempt, outcome.value);
    return failed('rejected', 'invalid-arguments', misfit(name, outcome.issues));
  });
}

function takeParams(attempt: CallAttempt, params: unknown): undefined {
  const { checking, checkingChanges, recording } = attempt.policies;
  attempt.params = params;
  if (checking.length + checkingChanges.length + recording.length > 0) {
    attempt.judged = new JudgedCall(attempt, params);
  }
}

function askPolicies(attempt: CallAttempt): Outcome {
  const { suspension } = attempt.environment;
  const refusal = suspension?.refusalOf(attempt.idempotencyKey);
  // A no is final, also when the policy does not ask any more.
  if (refusal !== undefined) return refused(attempt.tool.name, refusal, refusal.why);
  if (attempt.policies.checking.length === 0) return undefined;
  return checkCall(attempt).then((questions) =>
    questions.length === 0 ? undefined : askUnlessDone(attempt, questions),
  );
}

/** No person is asked about what was done already. */
async function askUnlessDone(
  attempt: CallAttempt,
  questions: readonly PolicyQuestion[],
): Promise<Verdict | undefined> {
  const known = attempt.tool.once === undefined ? 'free' : await knownOnce(attempt, 'find-out');
  if (known === 'answered') return undefined;
  if (known !== 'free') return known;
  // It has nothing before it is approved.
  attempt.heldKey = undefined;
  return askForApproval(attempt, questions);
}

async function runHandler(attempt: CallAttempt): Promise<Verdict | undefined> {
  const { environment, resolved, tool } = attempt;
  const { hooks, suspension } = environment;
  if (suspension?.holdsBack(resolved.call) === true) return { kind: 'suspended' };
  if (tool.once !== undefined) {
    const known = await takeKey(attempt);
    if (known === 'answered') return undefined;
    if (known !== 'free') return known;
  }
  if (hooks !== undefined && tool.effects === 'external') {
    beginOnce(attempt);
    await awaitHook(() => hooks.onBegin?.(attempt.beginning(tool.idempotent)));
  }
  if (tool.effects !== 'external' || tool.idempotent) {
    const again = beginAgain(attempt);
    if (again !== undefined) await again;
  }
  // No handler begins when the run has ended, is late or has used up its budget. Nothing is awaited in between: a sibling might use it up.
  const halt = haltReason(environment);
  if (halt !== undefined) return stoppedVerdict(tool.name, halt, false);
  const context = createToolContext(attempt);
  attempt.beginHandler();
  if (attempt.heldKey !== undefined) attempt.heldKey.ifUnknown = 'in-doubt';
  const recorded = environment.earlier === undefined ? undefined : recordedHandler(attempt);
  const done = recorded === undefined ? 'not-recorded' : await runRecorded(attempt, recorded, context);
  if (done === 'recorded') return undefined;
  const isOutdated = recorded !== undefined && tool.once !== undefined;
  if (done === 'in-doubt' || isOutdated) return reconcileInDoubt(attempt);
  // The input schema of this very tool has made the params, which is what its handler takes.
  const returned = tool.execute?.(attempt.params as never, context);
  attempt.success = readSuccess(attempt, await attempt.handlerResult(returned));
  attempt.endHandler();
  return undefined;
}

/** What the ledger says of a call: `free` where its handler is to run, `answered` where something has taken its place. */
type KnownOnce = 'free' | 'answered' | Verdict;

/** Takes the key of a call whose handler is about to begin. */
function takeKey(attempt: CallAttempt): Promise<KnownOnce> | KnownOnce {
  if (attempt.success !== undefined) return 'answered';
  // What the handler did waits for its commit, or a record has it.
  const isRecorded = attempt.environment.earlier !== undefined && recordedHandler(attempt) !== undefined;
  return isRecorded ? 'free' : knownOnce(attempt, 'begin');
}

/** Asks the ledger, and the tool where that does not know. */
async function knownOnce(attempt: CallAttempt, purpose: OncePurpose): Promise<KnownOnce> {
  const asked = await askOnce(attempt, purpose);
  if (asked?.kind !== 'in-doubt') return asked === undefined ? 'free' : answeredOnce(attempt, asked);
  return (await reconcile(attempt, asked.began)) ?? 'answered';
}

/** The call began before the run was interrupted. Where the ledger knows what became of it, the tool is not asked. */
async function reconcileInDoubt(attempt: CallAttempt): Promise<Verdict | undefined> {
  const asked = attempt.tool.once === undefined ? undefined : await askOnce(attempt, 'find-out');
  if (asked?.kind === 'done' || asked?.kind === 'busy') {
    const answered = answeredOnce(attempt, asked);
    return typeof answered === 'string' ? undefined : answered;
  }
  return reconcile(attempt);
}

/** Makes it known that a call that was interrupted runs once more. */
function beginAgain(attempt: CallAttempt): Promise<void> | undefined {
  const { hooks } = attempt.environment;
  const begun = hooks?.onBeginAgain?.(attempt.beginning(true));
  return begun === undefined ? undefined : awaitHook(() => begun);
}

function refuseInterrupted({ environment, number, resolved, tool }: CallAttempt): Verdict {
  const name = nameAttempt(resolved.call, number, environment);
  const count = environment.hooks?.tooManyInterruptions?.(name, tool.reenters) ?? 0;
  const times = count === 1 ? 'once' : `${count} times`;
  const effects = tool.effects === 'external' ? ' What it did outside may remain.' : '';
  return failed(
    'aborted',
    'interrupted-repeatedly',
    `The call of "${tool.name}" is not made again: the process ended ${times} while it ran, and it never had a result.${effects} Do not repeat it as it is: call it with other arguments, or continue without it.`,
  );
}

/** What takes the place of the handler where an earlier run is known. */
function recordedHandler({ environment, number, resolved, tool }: CallAttempt): RecordedHandler | undefined {
  const { origin, earlier } = environment;
  if (earlier === undefined) return undefined;
  const { call, params } = resolved;
  return earlier.handlerFor(origin.evaluationId, nameAttempt(call, number, environment), tool, params);
}

/**
 * Asks the tool what became of a call that is in doubt. What it says takes the place of what the handler returned.
 *
 * @param began the idempotency key of another call that did it, or may have. Default: it is this one.
 */
async function reconcile(attempt: CallAttempt, began?: string): Promise<Verdict | undefined> {
  const { environment, resolved, tool } = attempt;
  const { callId } = resolved.call;
  const inDoubt = (error?: unknown): Verdict =>
    failed(
      'aborted',
      'in-doubt',
      began === undefined
        ? `The call of "${tool.name}" began before the run was interrupted, and its result is not known: it may have taken effect, or still do so. Find out before you call it again.`
        : `"${tool.name}" was not called: an earlier call began to do "${attempt.onceKey ?? ''}", and its result is not known. It may have taken effect, and is not done again until a person has found out.`,
      present({ error }),
    );
  const name = nameAttempt(resolved.call, attempt.number, environment);
  const isRefused = environment.hooks?.tooManyInterruptions?.(name, false) !== undefined;
  if (tool.reconcile === undefined || isRefused) return inDoubt();
  await beginAgain(attempt);
  const { onceKey, signal } = attempt;
  const idempotencyKey = began ?? attempt.idempotencyKey;
  let returned: unknown;
  try {
    // The input schema of this very tool has made the params.
    const asked = tool.reconcile(attempt.params as never, {
      callId,
      idempotencyKey,
      onceKey,
      signal,
    });
    returned = await attempt.settled(asked);
  } catch (error) {
    environment.stop.throwIfStopped();
    return inDoubt(error);
  }
  if (returned === undefined) return inDoubt();
  attempt.hasExternalEffects = true;
  attempt.success = readSuccess(attempt, returned);
  attempt.endHandler();
  return undefined;
}

/** @returns whether the record took the place of the handler; otherwise it does not fit any more. */
async function runRecorded(
  attempt: CallAttempt,
  handler: RecordedHandler,
  context: ToolContext,
): Promise<'recorded' | 'not-recorded' | 'in-doubt'> {
  const { transaction } = attempt;
  const fork = {
    apply: (patch: SessionPatch) => transaction.sessionFork.apply(patch),
    readAgain: (read: FileRead | SessionRead) => transaction.readAgain(read),
  };
  // The handler of an earlier run returns what `RecordedHandler` says.
  const end = (await attempt.handlerResult(handler(context, fork))) as RecordedEnd;
  if (end.kind === 'outdated') return end.isInDoubt ? 'in-doubt' : 'not-recorded';
  if (end.kind === 'fatal') throw new AttemptEnd({ kind: 'fatal', error: end.error });
  if (end.kind === 'failed') {
    throw new AttemptEnd(end);
  }
  attempt.success = end.result;
  attempt.isFromRecord = true;
  attempt.isStaged = end.isStaged === true;
  attempt.endHandler();
  return 'recorded';
}

function readResult(attempt: CallAttempt): Outcome {
  const { environment, success, tool } = attempt;
  // A recorded value has passed the schema.
  const compiledOutput = attempt.isFromRecord ? undefined : tool.compiledOutput;
  if (success === undefined) throw new RangeError('The handler has not returned.');
  const parsing = compiledOutput && attempt.settled(parseOutput(compiledOutput, success.value));
  return whenSettled(parsing, (outcome) => {
    const result = readOutput(attempt, success, outcome);
    const rendered = renderValue(tool, result, environment);
    assertResultSize(attempt, result, rendered);
    attempt.success = result;
    attempt.rendered = rendered;
    return undefined;
  });
}

function disposeResources(attempt: CallAttempt): Outcome {
  const { tool, transaction } = attempt;
  const disposing = transaction.needsDisposal ? attempt.settled(transaction.disposeResources()) : none;
  return whenSettled(disposing, (failures) => {
    transaction.seal();
    if (failures.length === 0) return undefined;
    const text = failures.map(describeError).join('\n');
    const error = failures.length === 1 ? failures[0] : new AggregateError(failures, text);
    const message = `A resource of the tool "${tool.name}" could not be disposed, so the call was rolled back.${attempt.residualNote()}\n${text}`;
    return failed('rolled-back', 'dispose-failed', message, { error });
  });
}

function askAboutChanges(attempt: CallAttempt): Outcome {
  if (attempt.policies.checkingChanges.length === 0 || attempt.changes.length === 0) return undefined;
  return checkChanges(attempt).then((questions) =>
    questions.length === 0 ? undefined : { kind: 'needs-approval', questions },
  );
}

/** The tool's own event and what policies record of a success are part of the transaction. */
function recordSuccess(attempt: CallAttempt): Outcome {
  const { resolved, success, tool, transaction } = attempt;
  if (success === undefined) throw new RangeError('The handler has not returned.');
  // What reducers made of the event of a recorded call is part of its patch.
  if (!attempt.isFromRecord || attempt.isStaged) {
    transaction.privilegedSession.dispatch(tool.succeeded, {
      toolName: tool.name,
      callId: resolved.call.callId,
      params: resolved.params,
      value: success.value,
    });
  }
  const recording = attempt.policies.recording.length === 0 ? undefined : recordInPolicies(attempt, success);
  return whenSettled(recording, () => ({ kind: 'succeeded', result: success }));
}
