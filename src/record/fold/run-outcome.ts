import { counted, linesOf, present } from '../../core/internal/index.ts';
import {
  type EqualFailures,
  equalFailures,
  type FailingCall,
  failureLine,
  failureReason,
  turnsText,
} from './call-failure.ts';
import type { RecordedCall, RunRecord } from './run-record.ts';

/** What became of a run. `conflict`: it has its answer, but others changed the files that it was to write. */
export type RunOutcomeKind =
  | 'running'
  | 'finished'
  | 'failed'
  | 'waiting'
  | 'interrupted'
  | 'conflict'
  | 'cancelled';

/** A question that a run waits with. */
export interface OutcomeQuestion {
  readonly toolName: string;
  readonly policy: string;
  readonly reason: string;
}

/** How a run ended, as it was reported. */
export type RunEnd =
  | { readonly kind: 'running' | 'finished' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly code?: string | undefined;
      readonly phase?: string | undefined;
    }
  | { readonly kind: 'waiting'; readonly questions: readonly OutcomeQuestion[] }
  | { readonly kind: 'interrupted'; readonly message?: string | undefined }
  | { readonly kind: 'conflict'; readonly message: string }
  | {
      readonly kind: 'cancelled';
      readonly by?: string | undefined;
      readonly reason?: string | undefined;
    };

/** What the outcome of a run is made of. */
export interface RunFacts<Call extends FailingCall> {
  readonly end: RunEnd;
  /** The calls of the run itself, in their order. Those of evaluations inside them are not among them. */
  readonly calls: readonly Call[];
  /** The arguments of a call, as a text that is equal for equal ones. */
  readonly argumentsOf: (call: Call) => string;
}

/** What became of a run, and why: for the report of a command, for its last event, and for the page of a record. */
export interface RunOutcomeSummary<Call> {
  readonly kind: RunOutcomeKind;
  /** The outcome in one word, such as `Failed`. */
  readonly word: string;
  /** What happened and why, in one sentence; it ends with a colon when `message` continues. Absent for a run that finished or continues. */
  readonly sentence?: string;
  /** What failed, in its own words; absent when the sentence says all. It may have several lines. */
  readonly message?: string;
  readonly code?: string;
  /** Where the run ended, as `EvaluationPhase` says. */
  readonly phase?: string;
  /** The call that ended the run, or that it waits for. */
  readonly call?: Call;
  /** The calls that failed, equal ones as one. */
  readonly failures: readonly EqualFailures<Call>[];
}

const words: Readonly<Record<RunOutcomeKind, string>> = {
  running: 'Running',
  finished: 'Done',
  failed: 'Failed',
  waiting: 'Waiting',
  interrupted: 'Interrupted',
  conflict: 'Conflict',
  cancelled: 'Cancelled',
};

/** Tells what became of a run, and why. */
export function outcomeOf<Call extends FailingCall>(facts: RunFacts<Call>): RunOutcomeSummary<Call> {
  const { calls, argumentsOf, end } = facts;
  const failures = equalFailures(calls, argumentsOf);
  return { kind: end.kind, word: words[end.kind], ...reasonOf(facts, failures), failures };
}

type Reason<Call> = Omit<RunOutcomeSummary<Call>, 'kind' | 'word' | 'failures'>;

function reasonOf<Call extends FailingCall>(
  { calls, end }: RunFacts<Call>,
  failures: readonly EqualFailures<Call>[],
): Reason<Call> {
  switch (end.kind) {
    case 'running':
    case 'finished':
      return {};
    case 'failed':
      return { ...failedReason(end, calls, failures), ...present({ code: end.code, phase: end.phase }) };
    case 'waiting':
      return waitingReason(end.questions, calls);
    case 'interrupted':
      return { sentence: end.message ?? 'The process ended before the run did.' };
    case 'conflict':
      return inLines(end.message);
    case 'cancelled': {
      const by = end.by === undefined ? '' : ` by ${end.by}`;
      return end.reason === undefined
        ? { sentence: `The run was ended for good${by}.` }
        : { sentence: `The run was ended for good${by}:`, message: end.reason };
    }
  }
}

function failedReason<Call extends FailingCall>(
  { code, message, phase }: Extract<RunEnd, { readonly kind: 'failed' }>,
  calls: readonly Call[],
  failures: readonly EqualFailures<Call>[],
): Reason<Call> {
  const last = calls.at(-1);
  if (code === 'evaluation-failures-repeated') {
    const group = failures.findLast((each) => each.calls.length > 1 && each.last.turn === last?.turn);
    if (group !== undefined) return repeatedReason(group);
  }
  const call = phase === 'tool' || code === 'evaluation-interrupted' ? calls.findLast(isStopped) : undefined;
  return { ...inLines(withoutPlace(message)), ...present({ call }) };
}

/** The first line as the sentence, the others as what continues. */
function inLines(text: string): { readonly sentence: string; readonly message?: string } {
  const [sentence = '', ...more] = linesOf(text.trim());
  return { sentence, ...present({ message: more.length === 0 ? undefined : more.join('\n').trim() }) };
}

function repeatedReason<Call extends FailingCall>({ calls, last }: EqualFailures<Call>): Reason<Call> {
  const turns = new Set(calls.map(({ turn }) => turn)).size;
  const how =
    last.outcome === 'denied' ? 'was denied' : last.outcome === 'rejected' ? 'was rejected' : 'failed';
  return {
    sentence: `${last.toolName} ${how} in ${counted(turns, 'turn')} with the same arguments and the same reason:`,
    message: failureLine(last) === '' ? turnsText(calls) : failureReason(last),
    call: last,
  };
}

/** A call that was running when the run ended. */
function isStopped({ outcome }: FailingCall): boolean {
  return outcome === 'aborted';
}

function waitingReason<Call extends FailingCall>(
  questions: readonly OutcomeQuestion[],
  calls: readonly Call[],
): Reason<Call> {
  const [first] = questions;
  if (first === undefined) return { sentence: 'The run waits for an answer.' };
  const more = questions.length === 1 ? '' : `, and ${counted(questions.length - 1, 'more question')}`;
  return {
    sentence: `${first.toolName} waits for the answer to a question of ${first.policy}${more}:`,
    message: first.reason,
    ...present({
      call: calls.find(({ outcome, toolName }) => outcome === undefined && toolName === first.toolName),
    }),
  };
}

/** The place that the errors of an evaluation end with: the reader knows the run here. */
function withoutPlace(message: string): string {
  return message.replace(/ \(prompt "[^"]*", turn \d+\)(?=$|\n| Cause: )/, '');
}

/**
 * What became of the run of a record, and why. Its calls are those of the record.
 *
 * @param isFollowed whether rows may still come, so that a run without an end continues. Default: false.
 */
export function outcomeOfRecord(record: RunRecord, isFollowed = false): RunOutcomeSummary<RecordedCall> {
  return outcomeOf({
    end: endOfRecord(record, isFollowed),
    calls: record.calls.filter(({ run }) => run === record.root),
    argumentsOf: ({ params }) => JSON.stringify(params) ?? '',
  });
}

function endOfRecord({ cancelled, root }: RunRecord, isFollowed: boolean): RunEnd {
  if (cancelled !== undefined) return { kind: 'cancelled', by: cancelled.by, reason: cancelled.reason };
  switch (root.outcome) {
    case 'finished':
      return { kind: 'finished' };
    case 'failed': {
      const { message, code } = root.error ?? { message: 'The run failed.' };
      return { kind: 'failed', message, code };
    }
    case 'suspended':
      return { kind: 'waiting', questions: root.turns.flatMap(openQuestions) };
    default:
      return isFollowed ? { kind: 'running' } : { kind: 'interrupted' };
  }
}

/** The questions of a turn whose calls have not ended. */
function openQuestions({ calls, events }: RunRecord['turns'][number]): readonly OutcomeQuestion[] {
  const asked = new Map<string, OutcomeQuestion>();
  for (const { event } of events) {
    if (event.type !== 'approval-pending') continue;
    const { callId, id, policy, reason, toolName } = event;
    const isOpen = calls.some((call) => call.callId === callId && call.outcome === undefined);
    if (isOpen) asked.set(id, { toolName, policy, reason });
  }
  return [...asked.values()];
}
