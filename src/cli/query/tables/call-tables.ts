import type { RecordedAttempt, RecordedCall, RecordedCommit, RunRecord } from '../../../record/index.ts';
import {
  between,
  type Columns,
  columnsOf,
  columnsWithin,
  errorColumns,
  type QueryTable,
  queryTable,
  usageColumns,
} from './table.ts';

/** An attempt with its call. */
export interface RecordedCallAttempt {
  readonly call: RecordedCall;
  readonly attempt: RecordedAttempt;
}

/** An attempt with one of the things that it did, and the position of it among the others. */
export interface AttemptItem<Item> extends RecordedCallAttempt {
  readonly item: Item;
  readonly position: number;
}

/** Every attempt of a record. */
export function* attemptsOf({ calls }: RunRecord): Generator<RecordedCallAttempt> {
  for (const call of calls) for (const attempt of call.attempts) yield { call, attempt };
}

/** Every one of what the attempts of a record did, of one kind. */
export function* itemsOf<Item>(
  record: RunRecord,
  pick: (attempt: RecordedAttempt) => Iterable<Item>,
): Generator<AttemptItem<Item>> {
  for (const each of attemptsOf(record)) {
    let position = 0;
    for (const item of pick(each.attempt)) {
      position += 1;
      yield { ...each, item, position };
    }
  }
}

/** The columns by which a row of an attempt is found: whose it is, and whether it lasted. */
export const attemptColumns: Columns<RecordedCallAttempt> = columnsOf(({ text, number, flag }) => ({
  call: text('the call (calls.id)', 'call.id'),
  tool: text('name of the tool', 'call.toolName'),
  attempt: number('number of the attempt, from 1, through all lives of the run', 'attempt.number'),
  run: number('number of the run', 'call.run.index'),
  turn: number('number of the turn', 'call.turn'),
  is_final: flag(
    '1: it lasted; 0: the attempt was superseded, or the call was not committed for good',
    ({ call, attempt }) => attempt.outcome === 'committed' && call.isFinal,
  ),
  seq: number('number of the commit, where it was committed', ({ call, attempt }) =>
    attempt.outcome === 'committed' ? call.seq : undefined,
  ),
  at_ms: number('when the attempt was committed or ended otherwise', 'attempt.phases.settledAtMs'),
}));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const approvalMs = ({ phases }: RecordedAttempt): number =>
  sum(phases.approvals.map(({ fromMs, toMs }) => toMs - fromMs));

const calls = queryTable<RecordedCall>({
  name: 'calls',
  about: 'a tool call, with all its attempts',
  sources: (source) => source.calls,
  columns: ({ text, number, flag, json }) => ({
    id: text('unique: the ids of the calls around it and its own', 'id'),
    run: number('number of the run', 'run.index'),
    turn: number('number of the turn', 'turn'),
    call_id: text('its id in the conversation', 'callId'),
    tool: text('name of the tool', 'toolName'),
    effects: text('what the tool may do', 'effects'),
    params: json('its arguments', 'params'),
    subject: text('what it is about, as its tool says', 'subject'),
    outcome: text(
      'committed, rolled-back, denied, rejected or aborted; NULL: the record ends before',
      'outcome',
    ),
    reason: text('why it was not committed, such as threw, timeout, conflict', 'reason'),
    message: text('message of the result', 'message'),
    policy: text('the policy that denied it', 'policy'),
    ...columnsWithin(({ error }: RecordedCall) => error, errorColumns),
    seq: number('number of its commit', 'seq'),
    is_final: flag('1: committed for good', 'isFinal'),
    attempts: number('how often it was tried; above 1: because of conflicts', 'attempts.length'),
    changes: number('how many files it changed for good', (of) => lasting(of, ({ files }) => files)),
    writes: number('how many steps on slices it took for good', (of) => lasting(of, ({ writes }) => writes)),
    started_ms: number('when it started', 'startedAtMs'),
    ended_ms: number('when it ended', 'endedAtMs'),
    duration_ms: number('how long it took, with waits', (of) => between(of.startedAtMs, of.endedAtMs)),
    approval_ms: number('how long it waited for approvals', (of) => sum(of.attempts.map(approvalMs))),
    model_text: text('what the model read', 'modelText'),
    value: json('value of the result', 'value'),
    ...columnsWithin(({ usage, run }: RecordedCall) => ({ ...run, usage }), usageColumns),
    residual_effects: json('effects that cannot be rolled back', 'residualEffects'),
    opened_sections: json('sections that it opened', 'openedSections'),
    feedback: json('what feedback providers said', 'feedback'),
    progress: json('what it said while it ran', 'progress'),
    is_redacted: flag('1: something in it was redacted', 'isRedacted'),
  }),
});

/** How many things a call did that lasted. */
function lasting(call: RecordedCall, pick: (attempt: RecordedAttempt) => readonly unknown[]): number {
  if (!call.isFinal) return 0;
  return sum(
    call.attempts.filter(({ outcome }) => outcome === 'committed').map((attempt) => pick(attempt).length),
  );
}

const attempts = queryTable<RecordedCallAttempt>({
  name: 'attempts',
  about: 'one attempt at a call, and where its time went',
  sources: attemptsOf,
  columns: ({ text, number }) => ({
    ...attemptColumns,
    life: number('how often the run had been resumed before it', 'attempt.life'),
    outcome: text('as of a call, or superseded: it conflicted and was tried again', 'attempt.outcome'),
    requested_ms: number('when the model asked for it', 'attempt.phases.requestedAtMs'),
    started_ms: number('when it began', 'attempt.phases.startedAtMs'),
    handler_started_ms: number('when its handler began', 'attempt.phases.handlerStartedAtMs'),
    handler_ended_ms: number('when its handler returned', 'attempt.phases.handlerEndedAtMs'),
    ended_ms: number('when it began to wait for its turn to commit', 'attempt.phases.endedAtMs'),
    start_wait_ms: number('how long it waited for a place', ({ attempt: { phases } }) =>
      between(phases.requestedAtMs, phases.startedAtMs),
    ),
    handler_ms: number('how long its handler ran, with waits', ({ attempt: { phases } }) =>
      between(phases.handlerStartedAtMs, phases.handlerEndedAtMs),
    ),
    approval_ms: number('how long it waited for approvals', ({ attempt }) => approvalMs(attempt)),
    commit_wait_ms: number('how long it waited for its turn to commit', ({ attempt: { phases } }) =>
      between(phases.endedAtMs, phases.settledAtMs),
    ),
    base: number('number of the commit that it began on', 'attempt.base'),
  }),
});

interface CausedConflict {
  readonly what: string;
  readonly by: string | undefined;
}

const conflicts = queryTable<AttemptItem<CausedConflict>>({
  name: 'conflicts',
  about: 'what an attempt had read and another call changed, one row for each call that did',
  sources: (source) =>
    itemsOf(source, ({ conflicts: all }) =>
      all.flatMap(({ what, by }): readonly CausedConflict[] =>
        by.length === 0 ? [{ what, by: undefined }] : by.map((id) => ({ what, by: id })),
      ),
    ),
  columns: ({ text }) => ({
    ...attemptColumns,
    what: text('what was changed, such as file notes.md', 'item.what'),
    by_call: text('the call that changed it (calls.id); NULL: it was changed from outside', 'item.by'),
  }),
});

const commits = queryTable<RecordedCommit>({
  name: 'commits',
  about: 'a call of the root run that was committed for good',
  sources: (source) => source.commits,
  columns: ({ text, number, flag }) => ({
    seq: number('number of the commit', 'seq'),
    at_ms: number('when it was committed', 'atMs'),
    call: text('the call (calls.id)', 'call.id'),
    tool: text('name of the tool', 'call.toolName'),
    turn: number('number of the turn', 'call.turn'),
    attempt: number('the attempt that was committed', 'attempt.number'),
    has_changes: flag('0: the call only read', 'changes'),
    changes: number('how many files it changed', 'attempt.files.length'),
    writes: number('how many steps on slices it took', 'attempt.writes.length'),
  }),
});

const policies = queryTable<AttemptItem<RecordedAttempt['policies'][number]>>({
  name: 'policies',
  about: 'what a policy decided about an attempt; a plain allow before the call is not recorded',
  sources: (source) => itemsOf(source, (attempt) => attempt.policies),
  columns: ({ text, flag }) => ({
    ...attemptColumns,
    policy: text('name of the policy', 'item.policy'),
    policy_prompt: text('the outer prompt whose policy it is', 'item.policyPrompt'),
    about: text('what it judged: call or changes', 'item.about'),
    outcome: text('allow, deny or ask', 'item.outcome'),
    reason: text('why', 'item.reason'),
    is_enforced: flag('0: in a trial', 'item.isEnforced'),
  }),
});

interface CallApproval {
  readonly call: RecordedCall;
  readonly approval: RecordedCall['approvals'][number];
}

const approvals = queryTable<CallApproval>({
  name: 'approvals',
  about: 'an approval that a policy asked for',
  *sources(source) {
    for (const call of source.calls) for (const approval of call.approvals) yield { call, approval };
  },
  columns: ({ text, number, flag }) => ({
    call: text('the call (calls.id)', 'call.id'),
    tool: text('name of the tool', 'call.toolName'),
    run: number('number of the run', 'call.run.index'),
    turn: number('number of the turn', 'call.turn'),
    policy: text('the policy that asked', 'approval.policy'),
    policy_prompt: text('the outer prompt whose policy it is', 'approval.policyPrompt'),
    about: text('what was to be approved: call or changes', 'approval.about'),
    reason: text('why it asked', 'approval.reason'),
    is_approved: flag('1: it was approved', 'approval.approved'),
    answer: text('why it was not approved', 'approval.answer'),
  }),
});

/** The tables of calls, their attempts, and what was decided about them. */
export const callTables: readonly QueryTable[] = [calls, attempts, conflicts, commits, policies, approvals];
