import type {
  RecordedEvent,
  RecordedProblem,
  RecordedRun,
  RecordedTurn,
  RunRecord,
} from '../../../record/index.ts';
import { between, errorColumns, usageColumns } from './shared-columns.ts';
import { type QueryTable, queryTable } from './table.ts';

const record = queryTable<RunRecord>({
  name: 'record',
  about: 'the record itself, one row',
  sources: (source) => [source],
  columns: ({ text, number, flag, json }) => ({
    run_id: text('id of the run', (of) => of.runId),
    session_id: text('id of the session', (of) => of.sessionId),
    version: text('name of the format', (of) => of.version),
    started_at_ms: number('when it started, in milliseconds since 1970', (of) => of.startedAtMs),
    runtime: text('where it ran', (of) => of.runtime),
    module: text('module of the agent', (of) => of.module),
    workspace: text('name of the folder that the agent worked on', (of) => of.workspace),
    params: json('params that were given for the run', (of) => of.params),
    is_redacted: flag('1: a redaction was in place', (of) => of.isRedacted),
    is_complete: flag('1: the run has ended, and so does the record', (of) => of.isComplete),
    is_torn: flag('1: the last line was cut off, and is left out', (of) => of.isTorn),
    unknown_rows: json('types of rows that this version does not know', (of) => of.unknownRows),
  }),
});

const runs = queryTable<RecordedRun>({
  name: 'runs',
  about: 'an evaluation: the root one is 0, the others are inside of calls',
  sources: (source) => source.runs,
  columns: (make) => ({
    run: make.number('number of the run', (of) => of.index),
    parent_call: make.text('the call that it is inside of (calls.id)', (of) => of.parent?.call.id),
    parent_attempt: make.number('which attempt of that call', (of) => of.parent?.attempt),
    policy: make.text('the policy that made it, where one did', (of) => of.parent?.policy),
    prompt: make.text('name of the prompt', (of) => of.promptName),
    prompt_namespace: make.text('namespace of the template', (of) => of.prompt.namespace),
    prompt_key: make.text('key of the template', (of) => of.prompt.key),
    prompt_hash: make.text('hash of the texts of the template', (of) => of.prompt.hash),
    agent: make.text('name of the agent', (of) => of.agent),
    adapter: make.text('name of the adapter', (of) => of.adapter),
    provider: make.text('name of the provider', (of) => of.provider),
    model: make.text('name of the model', (of) => of.model),
    settings: make.json('settings of the model', (of) => of.settings),
    tools: make.json('the tools with their effects', (of) => of.tools),
    policies: make.json('names of the policies', (of) => of.policies),
    started_ms: make.number('when it started', (of) => of.startedAtMs),
    ended_ms: make.number('when it ended; NULL: the record ends before', (of) => of.endedAtMs),
    duration_ms: make.number('how long it took', (of) => between(of.startedAtMs, of.endedAtMs)),
    outcome: make.text('finished or failed; NULL: the record ends before', (of) => of.outcome),
    ...errorColumns(make, (of) => of.error),
    text: make.text('the last answer', (of) => of.text),
    output: make.json('the structured output', (of) => of.output),
    turns: make.number('how many turns it has', (of) => of.turns.length),
    ...usageColumns(
      make,
      (of) => of.usage,
      (of) => of,
    ),
    evaluation_id: make.text('id of the evaluation', (of) => of.evaluationId),
  }),
});

const turns = queryTable<RecordedTurn>({
  name: 'turns',
  about: 'a request to the model and its answer',
  sources: (source) => source.turns,
  columns: (make) => ({
    run: make.number('number of the run', (of) => of.run.index),
    turn: make.number('number of the turn in its run, from 1', (of) => of.number),
    started_ms: make.number('when it started', (of) => of.startedAtMs),
    ended_ms: make.number('when its last call had ended', (of) => of.endedAtMs),
    duration_ms: make.number('how long it took, with its calls', (of) =>
      between(of.startedAtMs, of.endedAtMs),
    ),
    model_ms: make.number('how long the model took', (of) => of.response?.durationMs),
    first_piece_ms: make.number(
      'until the first piece of the answer came',
      (of) => of.response?.timeToFirstPieceMs,
    ),
    finish_reason: make.text('why the model stopped', (of) => of.response?.finishReason),
    calls: make.number('how many tools it called', (of) => of.calls.length),
    text: make.text('what the model said', (of) => of.response?.text),
    reasoning: make.text(
      'what the model thought, where the provider shows it',
      (of) => of.response?.reasoning,
    ),
    ...errorColumns(make, (of) => of.response?.error),
    ...usageColumns(
      make,
      (of) => of.response?.usage,
      (of) => of.run,
    ),
    instructions_tokens: make.number(
      'estimate for the instructions',
      (of) => of.request?.tokens.instructions,
    ),
    tools_tokens: make.number('estimate for the tools', (of) => of.request?.tokens.tools),
    conversation_tokens: make.number(
      'estimate for the conversation',
      (of) => of.request?.tokens.conversation,
    ),
    added_tokens: make.number(
      'estimate for what is new in the conversation',
      (of) => of.request?.tokens.added,
    ),
    added: make.json('what is new in the conversation', (of) => of.request?.added),
    removed: make.number('how many items left the conversation', (of) => of.request?.removed),
    instructions: make.text(
      'the instructions, where they are others than in the turn before',
      ({ request }) => (request?.changedInstructions === true ? request.instructions : undefined),
    ),
    tools: make.json('the tools, where they are others than in the turn before', ({ request }) =>
      request?.changedTools === true ? request.tools : undefined,
    ),
    hosted: make.json('what hosted tools found', (of) => of.response?.hosted),
    response_id: make.text('id of the answer', (of) => of.response?.responseId),
    response_model: make.text('the model that answered', (of) => of.response?.model),
  }),
});

interface TurnEvent {
  readonly turn: RecordedTurn;
  readonly recorded: RecordedEvent;
}

const events = queryTable<TurnEvent>({
  name: 'events',
  about: 'a run event that no other table holds, such as a retry or a budget that was exceeded',
  *sources(source) {
    for (const turn of source.turns) for (const recorded of turn.events) yield { turn, recorded };
  },
  columns: ({ text, number, json }) => ({
    run: number('number of the run', ({ turn }) => turn.run.index),
    turn: number('number of the turn', ({ turn }) => turn.number),
    at_ms: number('when it happened', ({ recorded }) => recorded.atMs),
    type: text('type of the event', ({ recorded }) => recorded.event.type),
    event: json('the whole event', ({ recorded }) => recorded.event),
  }),
});

const problems = queryTable<RecordedProblem>({
  name: 'problems',
  about: 'what a reader should know of the run, failures first',
  sources: (source) => source.problems,
  columns: ({ text, number, flag }) => ({
    kind: text('such as failed-call, denied, conflicts, slow, budget', (of) => of.kind),
    is_failure: flag('0: it only cost time', (of) => of.isFailure),
    text: text('one sentence', (of) => of.text),
    run: number('number of the run', (of) => (of.call?.run ?? of.turn?.run)?.index),
    turn: number('number of the turn', (of) => of.call?.turn ?? of.turn?.number),
    call: text('the call (calls.id)', (of) => of.call?.id),
    count: number('how often', (of) => of.count),
    duration_ms: number('how much time it took', (of) => of.durationMs),
  }),
});

/** The tables of runs, their turns, and what happened in them. */
export const runTables: readonly QueryTable[] = [record, runs, turns, events, problems];
