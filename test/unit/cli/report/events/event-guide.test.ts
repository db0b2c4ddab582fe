import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunEvent, RunPathStep, ToolInvokedPayload } from 'weakincentives';
import { eventLine, type ResultRecord } from '../../../../../src/cli/report/events/event-record.ts';
import { Redactor } from '../../../../../src/core/runtime/index.ts';
import type { EventPart } from '../../../../support/event-places.ts';

/** What every event of a run has. */
const place: Pick<RunEvent, 'evaluationId' | 'path'> = { evaluationId: 'e1', path: [] };

type Told = EventPart | ResultRecord;
/** For each type events with every member it can have, and the smallest one: the compiler sees that none is forgotten. */
type Samples = {
  readonly [Type in Told['type']]: {
    readonly full: readonly Required<Extract<Told, { readonly type: Type }>>[];
    readonly least: Extract<Told, { readonly type: Type }>;
  };
};

const usage = { inputTokens: 1 };
const turn = 1;
const call = { callId: 'c1', toolName: 'look' };
const asked = { ...call, policy: 'careful', reason: 'sure?', about: 'call' } as const;
const least: ToolInvokedPayload = {
  eventId: 'event',
  evaluationId: 'evaluation',
  promptName: 'review',
  adapter: 'scripted model',
  sessionId: 'session',
  ...call,
  turn,
  success: true,
  outcome: 'committed',
  message: 'Seen.',
  rendered: '',
  modelText: 'Seen.',
  attempts: 1,
  conflicts: [],
  startedAtMs: 0,
  durationMs: 1,
  changes: [],
};
const invocation: Required<ToolInvokedPayload> = {
  ...least,
  parentCallIds: ['c0'],
  providerKind: 'openai.shell',
  params: {},
  reason: 'threw',
  policy: 'careful',
  policyPrompt: 'lead',
  once: 'done',
  resultId: '0123456789ab',
  value: null,
  attachments: [{ type: 'file', mediaType: 'text/csv', name: 'rows.csv', characters: 8 }],
  error: { name: 'Error', message: 'no' },
  residualEffects: ['effects outside'],
  usage,
  approvals: [
    {
      policy: 'careful',
      policyPrompt: 'lead',
      reason: 'sure?',
      about: 'call',
      approved: false,
      answer: 'no',
    },
  ],
  unenforced: [{ policy: 'closed', policyPrompt: 'lead', outcome: 'deny', reason: 'no' }],
  openedSections: [{ section: 'guide', visibility: 'full' }],
  feedback: [{ provider: 'hints', atMs: 1, outcome: 'silent' }],
};
const started = {
  type: 'run-start',
  promptName: 'review',
  adapter: 'scripted model',
  tools: [],
  sessionId: 's1',
  isSessionGiven: false,
  isRedacted: false,
  prompt: { namespace: 'acme', key: 'review', hash: '1-2' },
  model: 'scripted-1',
  settings: {},
  effects: {},
  toolsHash: '2-3',
  policies: [],
} as const;
const answered = {
  type: 'model-call-end',
  turn,
  text: '',
  toolCalls: [],
  finishReason: 'stop',
  durationMs: 5,
} as const;
const retried = {
  type: 'model-call-retry',
  turn,
  attempt: 2,
  delayMs: 5,
  reason: 'rate-limit',
  message: 'busy',
} as const;
const changed = {
  type: 'model-changed',
  turn,
  from: 'one/a',
  to: 'two/b',
  reason: 'server-error',
  message: 'down',
} as const;
const dropped = { type: 'tool-results-dropped', turn, callIds: [], characters: 3 } as const;
const waiting = {
  type: 'approval-pending',
  turn,
  ...call,
  policy: 'closed',
  reason: 'really',
  about: 'call',
  id: 'r1/1.c1/1/closed',
  digest: 'ab',
} as const;
const resumed = { type: 'run-resumed', runId: 'r1', turn: 2, commits: 1, changed: ['prompt'] } as const;
const ran = { type: 'run-end', outcome: 'finished', turns: 1, usage: {} } as const;
const shadow = {
  type: 'policy-unenforced',
  turn,
  ...call,
  attempt: 1,
  policy: 'closed',
  outcome: 'deny',
  reason: 'no',
} as const;
const feedback = { type: 'feedback-recorded', turn, ...call, provider: 'hints', atMs: 1 } as const;
const check = { type: 'completion-checked', turn, checker: 'plan', check: 1, outcome: 'complete' } as const;

const asItIs = new Redactor(
  (text) => text,
  () => undefined,
);

/** An event that always has the same members. */
const always = <Event extends Told>(
  event: Event & Required<Event>,
): { readonly full: [Event & Required<Event>]; readonly least: Event } => ({
  full: [event],
  least: event,
});

const samples: Samples = {
  'run-start': {
    full: [
      {
        ...started,
        agent: 'reviewer',
        provider: 'testing',
        prices: { inputPerMillion: 1, outputPerMillion: 2 },
        models: [{ name: 'one/a', model: 'a' }],
        limits: { maxTurns: 20, maxRepeatedFailures: 5 },
        context: {
          compact: { atInputTokens: 2_000, toInputTokens: 1_000 },
          results: { maxCharacters: 1_000, maxTotalCharacters: 9_000 },
          maxTurns: 4,
          overflow: 'error',
        },
        isToolRuntime: true,
        idempotent: ['search'],
        params: { topic: 'tests' },
        sources: { 'skill pdf': '3-4' },
      },
    ],
    least: started,
  },
  'run-resumed': { full: [{ ...resumed, interruptions: 2, model: 'two' }], least: resumed },
  'approval-pending': { full: [{ ...waiting, policyPrompt: 'lead' }], least: waiting },
  'turn-start': always({ type: 'turn-start', turn }),
  'input-taken': {
    full: [{ type: 'input-taken', turn, ids: ['m1'], by: 'ann', text: 'Use blue.' }],
    least: { type: 'input-taken', turn, ids: ['m1'], text: 'Use blue.' },
  },
  'model-call-start': always({ type: 'model-call-start', turn }),
  'model-call-retry': { full: [{ ...retried, voidCharacters: { text: 3, reasoning: 0 } }], least: retried },
  'model-changed': { full: [{ ...changed, voidCharacters: { text: 3, reasoning: 0 } }], least: changed },
  'answer-restarted': always({ type: 'answer-restarted', turn }),
  'model-call-end': {
    full: [
      {
        ...answered,
        usage,
        timeToFirstPieceMs: 3,
        responseId: 'r1',
        responseModel: 'scripted-1',
        serviceTier: 'flex',
        isCompacted: true,
        cache: { hit: false, missed: 1_024, reason: 'tools_changed' },
        answeredBy: 'one/a',
      },
    ],
    least: answered,
  },
  'text-delta': always({ type: 'text-delta', turn, text: 'So' }),
  'reasoning-delta': always({ type: 'reasoning-delta', turn, text: 'Hm' }),
  'usage-counted': always({ type: 'usage-counted', turn, usage, total: usage }),
  'hosted-tool-called': always({
    type: 'hosted-tool-called',
    turn,
    toolName: 'search',
    output: { status: 'completed' },
    citations: [],
  }),
  'hosted-approval-answered': {
    full: [
      {
        type: 'hosted-approval-answered',
        turn,
        toolName: 'wiki',
        name: 'read',
        approved: false,
        reason: 'no',
      },
    ],
    least: { type: 'hosted-approval-answered', turn, toolName: 'wiki', name: 'read', approved: true },
  },
  'tool-results-dropped': {
    full: [{ ...dropped, voidCharacters: { text: 3, reasoning: 0 } }],
    least: dropped,
  },
  'context-compacted': always({
    type: 'context-compacted',
    turn,
    turns: 3,
    inputTokensBefore: 1_200,
    inputTokensAfter: 400,
    edits: [],
  }),
  'turns-dropped': always({ type: 'turns-dropped', turn, turns: 2, callIds: [] }),
  'turn-end': always({ type: 'turn-end', turn, finishReason: 'stop', toolCalls: 0 }),
  'budget-exceeded': always({ type: 'budget-exceeded', turn, limit: 'maxTotalTokens', value: 2, maximum: 1 }),
  'tool-call-start': {
    full: [
      {
        type: 'tool-call-start',
        turn,
        ...call,
        params: {},
        subject: 'ticket 17',
        trace: { traceparent: '00-1-2-01' },
      },
    ],
    least: { type: 'tool-call-start', turn, ...call },
  },
  'tool-call-retry': always({ type: 'tool-call-retry', turn, ...call, attempt: 2, conflicts: [] }),
  'approval-start': {
    full: [{ type: 'approval-start', turn, ...asked, policyPrompt: 'lead', changes: [] }],
    least: { type: 'approval-start', turn, ...asked },
  },
  'approval-end': {
    full: [{ type: 'approval-end', turn, ...asked, policyPrompt: 'lead', approved: false, answer: 'no' }],
    least: { type: 'approval-end', turn, ...asked, approved: true },
  },
  'policy-unenforced': { full: [{ ...shadow, policyPrompt: 'lead' }], least: shadow },
  'tool-call-progress': always({ type: 'tool-call-progress', turn, ...call, update: 1 }),
  'tool-call-heartbeat': always({ type: 'tool-call-heartbeat', turn, ...call }),
  'feedback-recorded': {
    full: [
      { ...feedback, outcome: 'given', severity: 'info', message: 'Well done.', suggestions: [] },
      { ...feedback, outcome: 'failed', error: { name: 'Error', message: 'no', code: 'x' } },
    ],
    least: { ...feedback, outcome: 'silent' },
  },
  'output-rejected': always({ type: 'output-rejected', turn, repair: 1, problem: 'It holds no JSON.' }),
  'completion-checked': { full: [{ ...check, outcome: 'incomplete', feedback: 'Continue.' }], least: check },
  // The cause of a failure is an object of the program and not written.
  'tool-call-end': {
    full: [{ type: 'tool-call-end', turn, ...call, invocation, cause: new Error('no') }],
    least: { type: 'tool-call-end', turn, ...call, invocation: least },
  },
  'run-end': {
    full: [
      {
        ...ran,
        text: 'Done.',
        output: { sum: 3 },
        error: { name: 'Error', message: 'no', code: 'x' },
      },
    ],
    least: ran,
  },
  'command-result': {
    full: [
      {
        type: 'command-result',
        exitCode: 0,
        outcome: 'done',
        text: '',
        output: {},
        hostedOutputs: {},
        failure: 'none',
        ending: { kind: 'finished', problems: [] },
        runId: 'r',
        questions: [],
        changes: [],
        application: { kind: 'skipped' },
        usage,
        cost: 0.02,
        budgetExceeded: { limit: 'maxCost', value: 0.02, maximum: 0.01 },
      },
    ],
    least: { type: 'command-result', exitCode: 1, outcome: 'failed', changes: [] },
  },
};

const read = (path: string): string =>
  readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
const specification = read('docs/spec/command.md');
const section = specification.slice(
  specification.indexOf('\n## 10. Events\n'),
  specification.indexOf('\n### Secrets\n'),
);
const [events = '', members = ''] = section.split('| member | is |');

const ticked = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
const rowsOf = (table: string): readonly (readonly [string, string])[] =>
  [...table.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)].map(([, first, second]) => [first ?? '', second ?? '']);

/** Members as the documents write them: with a question mark where not every event has them. */
const documented: ReadonlyMap<string, readonly string[]> = new Map([
  ...read('guides/reference/events.md')
    .split(/^## /m)
    .slice(1)
    .map((part): [string, string[]] => [
      part.slice(0, part.indexOf('\n')),
      rowsOf(part).flatMap(([name]) => ticked(name)),
    ]),
  ...rowsOf(events.split('| --- | --- |')[1] ?? '').map(([type, text]): [string, string[]] => [
    ticked(type).join(),
    [...ticked(text.split(/[:;]/, 1)[0] ?? '')],
  ]),
]);

/** What the events of the library have and the lines do not, as the specification says. */
const notWritten = new Set(['tool-call-end cause?', 'feedback-recorded atMs']);

/** Members of objects in the same way, of which the last has the fewest. */
function membersOf(objects: readonly object[]): readonly string[] {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...names].map((name) => (objects.every((object) => name in object) ? name : `${name}?`)).toSorted();
}

function written(event: Told): object {
  const line = eventLine(event.type === 'command-result' ? event : { ...event, ...place }, 7, asItIs);
  const { type, atMs, evaluationId, path, ...rest } = Object(JSON.parse(line));
  expect({ type, atMs }).toEqual({ type: event.type, atMs: 7 });
  if (type !== 'command-result') expect({ evaluationId, path }).toEqual(place);
  return rest;
}

describe('the documents of the events of wink run', () => {
  it('names every type', () => {
    expect([...documented.keys()].toSorted()).toEqual(Object.keys(samples).toSorted());
  });

  it.each(Object.entries(samples))('names every member of %s, and which may be absent', (type, sample) => {
    const lines = [...sample.full, sample.least].map((event) => written(event));
    const names = (documented.get(type) ?? []).filter((name) => !notWritten.has(`${type} ${name}`));
    expect(names.toSorted()).toEqual(membersOf(lines));
  });

  it('names what every event has, and every member of a step of its path', () => {
    const step: Required<RunPathStep> = {
      turn,
      ...call,
      attempt: 1,
      evaluation: 1,
      policy: 'careful',
    };
    expect(ticked(events)).toEqual(expect.arrayContaining(Object.keys(place)));
    const [, list = ''] = /A step of `path` has ([^:]+):/.exec(events) ?? [];
    const { policy: _policy, ...first } = step;
    expect(ticked(list).toSorted()).toEqual(membersOf([step, first]));
  });

  it('names every member of the record of a call', () => {
    const named = rowsOf(members).flatMap(([names]) => ticked(names));
    expect([...named].toSorted()).toEqual(membersOf([invocation, least]));
  });
});
