import { counted } from '../../core/internal/index.ts';
import type { ToolCallOutcome } from '../../core/runtime/index.ts';
import { equalFailures, failureKey, isFailure } from './call-failure.ts';
import type { RecordedCall, RecordedProblem, RecordedRun, RecordedTurn } from './run-record.ts';

/** Attempts whose handlers run longer are named. */
const slowMs = 10_000;
/** What a call that ended so is listed as. */
const failureKinds: Readonly<Partial<Record<ToolCallOutcome, RecordedProblem['kind']>>> = {
  'rolled-back': 'failed-call',
  aborted: 'failed-call',
  denied: 'denied',
  rejected: 'rejected',
};
const failureWords: Readonly<Partial<Record<ToolCallOutcome, string>>> = {
  'rolled-back': 'failed and was rolled back',
  aborted: 'was aborted',
  rejected: 'did not run',
};
/** A call that is made so often with the same arguments and nothing committed in between is named. */
const repetitions = 3;

/** Whether a question of the run was answered: the call has waited for it, then. */
type IsAnswered = (question: { readonly id: string; readonly digest: string }) => boolean;

/** What a reader should know of a run: failures first, then what cost time, each in the order of the run. */
export function problemsOf(
  root: RecordedRun,
  turns: readonly RecordedTurn[],
  calls: readonly RecordedCall[],
  isAnswered: IsAnswered,
): readonly RecordedProblem[] {
  const problems = [
    ...failedRun(root),
    ...failedCalls(calls),
    ...calls.flatMap(problemsOfCall),
    ...turns.flatMap((turn) => problemsOfTurn(turn, isAnswered)),
    ...repeated(calls),
  ];
  return [
    ...problems.filter((problem) => problem.isFailure),
    ...problems.filter((problem) => !problem.isFailure),
  ];
}

function failedRun({ outcome, error }: RecordedRun): readonly RecordedProblem[] {
  if (outcome === 'failed') {
    const text = error === undefined ? 'The run failed.' : `The run failed: ${error.message}`;
    return [{ kind: 'failed-run', isFailure: true, text, count: 1 }];
  }
  if (outcome !== undefined) return [];
  return [{ kind: 'incomplete', isFailure: true, text: 'The record ends before the run does.', count: 1 }];
}

/** Calls that failed with the same arguments for the same reason are one problem. */
function failedCalls(calls: readonly RecordedCall[]): readonly RecordedProblem[] {
  return equalFailures(calls, argumentsOf).flatMap(({ first, calls: equal }): RecordedProblem[] => {
    const { toolName, outcome, message = '', policy } = first;
    const kind = outcome === undefined ? undefined : failureKinds[outcome];
    if (outcome === undefined || kind === undefined) return [];
    const how = outcome === 'denied' ? `was denied by ${policy ?? 'a policy'}` : failureWords[outcome];
    // Most messages say already which tool it was, and why.
    const isWhole = message.includes(`"${toolName}"`);
    const text = isWhole ? message : `${toolName} ${how}: ${message}`;
    return [{ kind, isFailure: true, text, call: first, calls: equal, count: equal.length }];
  });
}

/** The same for calls of one evaluation that have the same arguments, and for no others. */
function argumentsOf({ params, run }: RecordedCall): string {
  return `${run.index} ${JSON.stringify(params)}`;
}

function problemsOfCall(call: RecordedCall): readonly RecordedProblem[] {
  const { toolName, attempts, approvals } = call;
  const found: RecordedProblem[] = [];
  const add = (problem: Omit<RecordedProblem, 'call' | 'count'> & { readonly count?: number }): void => {
    found.push({ count: 1, ...problem, call });
  };
  // One that asked a person continues in the next attempt.
  const ran = attempts.filter(({ isSuspended }) => isSuspended !== true);
  const superseded = ran.filter((attempt) => attempt.outcome === 'superseded');
  if (superseded.length > 0) {
    const what = unique(superseded.flatMap(({ conflicts }) => conflicts.map((conflict) => conflict.what)));
    const changed = what.length === 0 ? 'what it had read' : what.join(', ');
    const text = `${toolName} ran ${counted(ran.length, 'time')}: ${changed} changed while it ran.`;
    add({ kind: 'conflicts', isFailure: false, text, count: superseded.length });
  }
  const waits = attempts.flatMap(({ phases }) => phases.approvals);
  if (waits.length > 0) {
    const durationMs = waits.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const asked = unique(approvals.map((approval) => approval.policy)).join(' and ');
    const text = `${toolName} waited for an approval${asked === '' ? '' : ` that ${asked} asked for`}.`;
    add({ kind: 'approval-wait', isFailure: false, text, count: waits.length, durationMs });
  }
  const longest = attempts.reduce((most, { phases }) => Math.max(most, handlerMs(phases)), 0);
  if (longest >= slowMs)
    add({
      kind: 'slow',
      isFailure: false,
      text: `${toolName} ran for ${Math.round(longest / 1000)} s.`,
      durationMs: longest,
    });
  return found;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function handlerMs({
  handlerStartedAtMs,
  handlerEndedAtMs,
  approvals,
}: RecordedCall['attempts'][number]['phases']): number {
  if (handlerStartedAtMs === undefined || handlerEndedAtMs === undefined) return 0;
  const waited = approvals.reduce(
    (sum, { fromMs, toMs }) =>
      sum + Math.max(0, Math.min(toMs, handlerEndedAtMs) - Math.max(fromMs, handlerStartedAtMs)),
    0,
  );
  return handlerEndedAtMs - handlerStartedAtMs - waited;
}

function problemsOfTurn(turn: RecordedTurn, isAnswered: IsAnswered): readonly RecordedProblem[] {
  const found: RecordedProblem[] = [];
  for (const { event } of turn.events) {
    if (event.type === 'approval-pending' && isAnswered(event)) continue;
    const problem = problemOfEvent(event);
    if (problem !== undefined) found.push({ ...problem, count: 1, turn });
  }
  const error = turn.response?.error;
  if (error !== undefined) {
    const text = `The model gave no answer: ${error.message}`;
    found.push({ kind: 'failed-run', isFailure: true, text, count: 1, turn });
  }
  return found;
}

type EventProblem = Omit<RecordedProblem, 'count' | 'turn'>;

function problemOfEvent(event: RecordedTurn['events'][number]['event']): EventProblem | undefined {
  const costs = (kind: RecordedProblem['kind'], text: string): EventProblem => ({
    kind,
    isFailure: false,
    text,
  });
  switch (event.type) {
    case 'model-call-retry': {
      const text = `The model was asked again (${event.reason}): ${event.message}`;
      return { ...costs('model-retry', text), durationMs: event.delayMs };
    }
    case 'model-changed': {
      const { from, to, reason, message } = event;
      return costs('model-changed', `${from} could not answer (${reason}), and ${to} took over: ${message}`);
    }
    case 'output-rejected':
      return costs('output-rejected', `The answer was refused: ${event.problem}`);
    case 'completion-checked': {
      const { checker, outcome, feedback } = event;
      const why = feedback === undefined ? '.' : `: ${feedback}`;
      return outcome === 'complete'
        ? undefined
        : costs('output-rejected', `${checker} found the task incomplete${why}`);
    }
    case 'approval-pending': {
      const { toolName, policy, reason } = event;
      const text = `The run ended with a question that ${policy} asked about ${toolName}: ${reason}`;
      return costs('approval-wait', text);
    }
    case 'tool-results-dropped':
      return costs(
        'results-dropped',
        `The results of ${counted(event.callIds.length, 'call')} became notes.`,
      );
    case 'turns-dropped':
      return costs('results-dropped', `${counted(event.turns, 'turn')} left the conversation.`);
    case 'budget-exceeded': {
      const text = `The budget was exceeded: ${event.limit} is ${event.value} of ${event.maximum}.`;
      return { kind: 'budget', isFailure: true, text };
    }
    case 'policy-unenforced': {
      const { policy, outcome, toolName, reason } = event;
      return costs('unenforced', `${policy} would have said ${outcome} to ${toolName}: ${reason}`);
    }
    default:
      return undefined;
  }
}

/** Calls made again and again with the same arguments, while nothing changed. Where all of them failed alike, that is their problem. */
function repeated(calls: readonly RecordedCall[]): readonly RecordedProblem[] {
  const found: RecordedProblem[] = [];
  let counts = new Map<string, Repetition>();
  const report = (): void => {
    for (const { first, calls: equal, ends } of counts.values()) {
      const [only] = ends;
      if (equal.length < repetitions || (ends.size === 1 && only !== undefined)) continue;
      const text = `${first.toolName} was called ${equal.length} times with the same arguments while nothing changed.`;
      found.push({
        kind: 'repetition',
        isFailure: false,
        text,
        call: first,
        calls: equal,
        count: equal.length,
      });
    }
    counts = new Map();
  };
  for (const call of calls) {
    const args = argumentsOf(call);
    const key = `${call.toolName} ${args}`;
    const known = counts.get(key) ?? { first: call, calls: [], ends: new Set() };
    known.calls.push(call);
    known.ends.add(isFailure(call) ? failureKey(call, args) : undefined);
    counts.set(key, known);
    const changed = call.attempts.some(
      ({ outcome, writes, files }) => outcome === 'committed' && writes.length + files.length > 0,
    );
    if (changed) report();
  }
  report();
  return found;
}

/** A call that was made again. */
interface Repetition {
  readonly first: RecordedCall;
  readonly calls: RecordedCall[];
  /** How the calls failed; undefined for one that did not. */
  readonly ends: Set<string | undefined>;
}
