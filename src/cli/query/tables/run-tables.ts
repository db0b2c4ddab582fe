import { tokenCost } from '../../../core/runtime/index.ts';
import {
  type RecordedEvent,
  type RecordedProblem,
  type RecordedRun,
  type RecordedTurn,
  type RunRecord,
  runCost,
  turnPrices,
} from '../../../record/index.ts';
import {
  between,
  columnsWithin,
  errorColumns,
  type QueryTable,
  queryTable,
  type SourceSpending,
  usageColumns,
} from './table.ts';

const record = queryTable<RunRecord>({
  name: 'record',
  about: 'the record itself, one row',
  sources: (source) => [source],
  columns: ({ text, number, flag, json }) => ({
    run_id: text('id of the run', 'runId'),
    session_id: text('id of the session', 'sessionId'),
    version: text('name of the format', 'version'),
    started_at_ms: number('when it started, in milliseconds since 1970', 'startedAtMs'),
    runtime: text('where it ran', 'runtime'),
    module: text('module of the agent', 'module'),
    workspace: text('name of the folder that the agent worked on', 'workspace'),
    params: json('params that were given for the run', 'params'),
    is_redacted: flag('1: a redaction was in place', 'isRedacted'),
    is_complete: flag('1: the run has ended, and so does the record', 'isComplete'),
    is_torn: flag('1: the last line was cut off, and is left out', 'isTorn'),
    unknown_rows: json('types of rows that this version does not know', 'unknownRows'),
  }),
});

const runs = queryTable<RecordedRun>({
  name: 'runs',
  about: 'an evaluation: the root one is 0, the others are inside of calls',
  sources: (source) => source.runs,
  columns: ({ text, number, json }) => ({
    run: number('number of the run', 'index'),
    parent_call: text('the call that it is inside of (calls.id)', 'parent.call.id'),
    parent_attempt: number('which attempt of that call', 'parent.attempt'),
    policy: text('the policy that made it, where one did', 'parent.policy'),
    prompt: text('name of the prompt', 'promptName'),
    prompt_namespace: text('namespace of the template', 'prompt.namespace'),
    prompt_key: text('key of the template', 'prompt.key'),
    prompt_hash: text('hash of the texts of the template', 'prompt.hash'),
    agent: text('name of the agent', 'agent'),
    adapter: text('name of the adapter', 'adapter'),
    provider: text('name of the provider', 'provider'),
    model: text('name of the model that it begins with', 'model'),
    models: json('the models that it may ask, in their order; NULL: one', 'models'),
    settings: json('settings of the model', 'settings'),
    limits: json('how far it goes; NULL: not known', 'limits'),
    tools: json('the tools with their effects', 'tools'),
    policies: json('names of the policies', 'policies'),
    started_ms: number('when it started', 'startedAtMs'),
    ended_ms: number('when it ended; NULL: the record ends before', 'endedAtMs'),
    duration_ms: number('how long it took', (of) => between(of.startedAtMs, of.endedAtMs)),
    outcome: text('finished or failed; NULL: the record ends before', 'outcome'),
    ...columnsWithin(({ error }: RecordedRun) => error, errorColumns),
    text: text('the last answer', 'text'),
    output: json('the structured output', 'output'),
    turns: number('how many turns it has', 'turns.length'),
    ...columnsWithin(spentByRun, usageColumns),
    evaluation_id: text('id of the evaluation', 'evaluationId'),
  }),
});

const turns = queryTable<RecordedTurn>({
  name: 'turns',
  about: 'a request to the model and its answer',
  sources: (source) => source.turns,
  columns: ({ text, number, json }) => ({
    run: number('number of the run', 'run.index'),
    turn: number('number of the turn in its run, from 1', 'number'),
    started_ms: number('when it started', 'startedAtMs'),
    ended_ms: number('when its last call had ended', 'endedAtMs'),
    duration_ms: number('how long it took, with its calls', (of) => between(of.startedAtMs, of.endedAtMs)),
    model_ms: number('how long the model took', 'response.durationMs'),
    first_piece_ms: number('until the first piece of the answer came', 'response.timeToFirstPieceMs'),
    finish_reason: text('why the model stopped', 'response.finishReason'),
    calls: number('how many tools it called', 'calls.length'),
    text: text('what the model said', 'response.text'),
    reasoning: text('what the model thought, where the provider shows it', 'response.reasoning'),
    ...columnsWithin(({ response }: RecordedTurn) => response?.error, errorColumns),
    ...columnsWithin(spentInTurn, usageColumns),
    instructions_tokens: number('estimate for the instructions', 'request.tokens.instructions'),
    tools_tokens: number('estimate for the tools', 'request.tokens.tools'),
    conversation_tokens: number('estimate for the conversation', 'request.tokens.conversation'),
    added_tokens: number('estimate for what is new in the conversation', 'request.tokens.added'),
    added: json('what is new in the conversation', 'request.added'),
    removed: number('how many items left the conversation', 'request.removed'),
    instructions: text('the instructions, where they are others than in the turn before', ({ request }) =>
      request?.changedInstructions === true ? request.instructions : undefined,
    ),
    tools: json('the tools, where they are others than in the turn before', ({ request }) =>
      request?.changedTools === true ? request.tools : undefined,
    ),
    hosted: json('what hosted tools found', 'response.hosted'),
    response_id: text('id of the answer', 'response.responseId'),
    response_model: text('the model that answered, as its provider names it', 'response.model'),
    service_tier: text('the service tier of the answer, as its provider names it', 'response.serviceTier'),
    answered_by: text('which of several models answered (runs.models)', 'response.answeredBy'),
  }),
});

function spentInTurn(turn: RecordedTurn): SourceSpending {
  return { usage: turn.response?.usage, prices: turnPrices(turn) };
}

/** Each of several models has its own prices. */
function spentByRun(run: RecordedRun): SourceSpending {
  const { models, prices, usage } = run;
  return models === undefined ? { usage, prices } : { usage, cost: runCost(run, usage, tokenCost) };
}

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
    run: number('number of the run', 'turn.run.index'),
    turn: number('number of the turn', 'turn.number'),
    at_ms: number('when it happened', 'recorded.atMs'),
    type: text('type of the event', 'recorded.event.type'),
    event: json('the whole event', 'recorded.event'),
  }),
});

const problems = queryTable<RecordedProblem>({
  name: 'problems',
  about: 'what a reader should know of the run, failures first',
  sources: (source) => source.problems,
  columns: ({ text, number, flag }) => ({
    kind: text('such as failed-call, denied, conflicts, slow, budget', 'kind'),
    is_failure: flag('0: it only cost time', 'isFailure'),
    text: text('one sentence', 'text'),
    run: number('number of the run', (of) => (of.call?.run ?? of.turn?.run)?.index),
    turn: number('number of the turn', (of) => of.call?.turn ?? of.turn?.number),
    call: text('the call (calls.id)', 'call.id'),
    count: number('how often', 'count'),
    duration_ms: number('how much time it took', 'durationMs'),
  }),
});

/** The tables of runs, their turns, and what happened in them. */
export const runTables: readonly QueryTable[] = [record, runs, turns, events, problems];
