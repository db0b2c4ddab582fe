import type { RecordedAttempt, RecordedCall, RecordedCommit, RunRecord } from '../../../record/index.ts';
import { between, errorColumns, usageColumns } from './shared-columns.ts';
import { type ColumnMakers, type QueryTable, queryTable, type TableOptions } from './table.ts';

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
export function attemptColumns<Source extends RecordedCallAttempt>({
  text,
  number,
  flag,
}: ColumnMakers<Source>): ReturnType<TableOptions<Source>['columns']> {
  return {
    call: text('the call (calls.id)', ({ call }) => call.id),
    tool: text('name of the tool', ({ call }) => call.toolName),
    attempt: number('number of the attempt, from 1', ({ attempt }) => attempt.number),
    run: number('number of the run', ({ call }) => call.run.index),
    turn: number('number of the turn', ({ call }) => call.turn),
    is_final: flag(
      '1: it lasted; 0: the attempt was superseded, or the call was not committed for good',
      ({ call, attempt }) => attempt.outcome === 'committed' && call.isFinal,
    ),
    seq: number('number of the commit, where it was committed', ({ call, attempt }) =>
      attempt.outcome === 'committed' ? call.seq : undefined,
    ),
    at_ms: number(
      'when the attempt was committed or ended otherwise',
      ({ attempt }) => attempt.phases.settledAtMs,
    ),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const approvalMs = ({ phases }: RecordedAttempt): number =>
  sum(phases.approvals.map(({ fromMs, toMs }) => toMs - fromMs));

const calls = queryTable<RecordedCall>({
  name: 'calls',
  about: 'a tool call, with all its attempts',
  sources: (source) => source.calls,
  columns: (make) => ({
    id: make.text('unique: the ids of the calls around it and its own', (of) => of.id),
    run: make.number('number of the run', (of) => of.run.index),
    turn: make.number('number of the turn', (of) => of.turn),
    call_id: make.text('its id in the conversation', (of) => of.callId),
    tool: make.text('name of the tool', (of) => of.toolName),
    effects: make.text('what the tool may do', (of) => of.effects),
    params: make.json('its arguments', (of) => of.params),
    outcome: make.text(
      'committed, rolled-back, denied, rejected or aborted; NULL: the record ends before',
      (of) => of.outcome,
    ),
    reason: make.text('why it was not committed, such as threw, timeout, conflict', (of) => of.reason),
    message: make.text('message of the result', (of) => of.message),
    policy: make.text('the policy that denied it', (of) => of.policy),
    ...errorColumns(make, (of) => of.error),
    seq: make.number('number of its commit', (of) => of.seq),
    is_final: make.flag('1: committed for good', (of) => of.isFinal),
    attempts: make.number(
      'how often it was tried; above 1: because of conflicts',
      (of) => of.attempts.length,
    ),
    changes: make.number('how many files it changed for good', (of) => lasting(of, ({ files }) => files)),
    writes: make.number('how many steps on slices it took for good', (of) =>
      lasting(of, ({ writes }) => writes),
    ),
    started_ms: make.number('when it started', (of) => of.startedAtMs),
    ended_ms: make.number('when it ended', (of) => of.endedAtMs),
    duration_ms: make.number('how long it took, with waits', (of) => between(of.startedAtMs, of.endedAtMs)),
    approval_ms: make.number('how long it waited for approvals', (of) => sum(of.attempts.map(approvalMs))),
    model_text: make.text('what the model read', (of) => of.modelText),
    value: make.json('value of the result', (of) => of.value),
    ...usageColumns(
      make,
      (of) => of.usage,
      (of) => of.run,
    ),
    residual_effects: make.json('effects that cannot be rolled back', (of) => of.residualEffects),
    opened_sections: make.json('sections that it opened', (of) => of.openedSections),
    feedback: make.json('what feedback providers said', (of) => of.feedback),
    progress: make.json('what it said while it ran', (of) => of.progress),
    is_redacted: make.flag('1: something in it was redacted', (of) => of.isRedacted),
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
  columns: (make) => ({
    ...attemptColumns(make),
    outcome: make.text(
      'as of a call, or superseded: it conflicted and was tried again',
      ({ attempt }) => attempt.outcome,
    ),
    requested_ms: make.number(
      'when the model asked for it',
      ({ attempt: { phases } }) => phases.requestedAtMs,
    ),
    started_ms: make.number('when it began', ({ attempt: { phases } }) => phases.startedAtMs),
    handler_started_ms: make.number(
      'when its handler began',
      ({ attempt: { phases } }) => phases.handlerStartedAtMs,
    ),
    handler_ended_ms: make.number(
      'when its handler returned',
      ({ attempt: { phases } }) => phases.handlerEndedAtMs,
    ),
    ended_ms: make.number(
      'when it began to wait for its turn to commit',
      ({ attempt: { phases } }) => phases.endedAtMs,
    ),
    start_wait_ms: make.number('how long it waited for a place', ({ attempt: { phases } }) =>
      between(phases.requestedAtMs, phases.startedAtMs),
    ),
    handler_ms: make.number('how long its handler ran, with waits', ({ attempt: { phases } }) =>
      between(phases.handlerStartedAtMs, phases.handlerEndedAtMs),
    ),
    approval_ms: make.number('how long it waited for approvals', ({ attempt }) => approvalMs(attempt)),
    commit_wait_ms: make.number('how long it waited for its turn to commit', ({ attempt: { phases } }) =>
      between(phases.endedAtMs, phases.settledAtMs),
    ),
    base: make.number('number of the commit that it began on', ({ attempt }) => attempt.base),
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
  columns: (make) => ({
    ...attemptColumns(make),
    what: make.text('what was changed, such as file notes.md', ({ item }) => item.what),
    by_call: make.text(
      'the call that changed it (calls.id); NULL: it was changed from outside',
      ({ item }) => item.by,
    ),
  }),
});

const commits = queryTable<RecordedCommit>({
  name: 'commits',
  about: 'a call of the root run that was committed for good',
  sources: (source) => source.commits,
  columns: ({ text, number, flag }) => ({
    seq: number('number of the commit', (of) => of.seq),
    at_ms: number('when it was committed', (of) => of.atMs),
    call: text('the call (calls.id)', (of) => of.call.id),
    tool: text('name of the tool', (of) => of.call.toolName),
    turn: number('number of the turn', (of) => of.call.turn),
    attempt: number('the attempt that was committed', (of) => of.attempt.number),
    has_changes: flag('0: the call only read', (of) => of.changes),
    changes: number('how many files it changed', (of) => of.attempt.files.length),
    writes: number('how many steps on slices it took', (of) => of.attempt.writes.length),
  }),
});

const policies = queryTable<AttemptItem<RecordedAttempt['policies'][number]>>({
  name: 'policies',
  about: 'what a policy decided about an attempt; a plain allow before the call is not recorded',
  sources: (source) => itemsOf(source, (attempt) => attempt.policies),
  columns: (make) => ({
    ...attemptColumns(make),
    policy: make.text('name of the policy', ({ item }) => item.policy),
    policy_prompt: make.text('the outer prompt whose policy it is', ({ item }) => item.policyPrompt),
    about: make.text('what it judged: call or changes', ({ item }) => item.about),
    outcome: make.text('allow, deny or ask', ({ item }) => item.outcome),
    reason: make.text('why', ({ item }) => item.reason),
    is_enforced: make.flag('0: in a trial', ({ item }) => item.isEnforced),
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
    call: text('the call (calls.id)', ({ call }) => call.id),
    tool: text('name of the tool', ({ call }) => call.toolName),
    run: number('number of the run', ({ call }) => call.run.index),
    turn: number('number of the turn', ({ call }) => call.turn),
    policy: text('the policy that asked', ({ approval }) => approval.policy),
    policy_prompt: text('the outer prompt whose policy it is', ({ approval }) => approval.policyPrompt),
    about: text('what was to be approved: call or changes', ({ approval }) => approval.about),
    reason: text('why it asked', ({ approval }) => approval.reason),
    is_approved: flag('1: it was approved', ({ approval }) => approval.approved),
    answer: text('why it was not approved', ({ approval }) => approval.answer),
  }),
});

/** The tables of calls, their attempts, and what was decided about them. */
export const callTables: readonly QueryTable[] = [calls, attempts, conflicts, commits, policies, approvals];
