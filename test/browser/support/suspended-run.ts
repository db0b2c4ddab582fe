import { commitRow, headerRow, responseRow } from './rows.ts';

const rows = [
  headerRow(),
  responseRow(1, 10, 'I look first.'),
  commitRow(1, 1, 20),
  {
    type: 'event',
    t: 40,
    event: { type: 'run-resumed', turn: 2, runId: 'run-1', commits: 1, changed: ['tools'] },
  },
  responseRow(2, 50, 'I publish it.'),
  {
    type: 'event',
    t: 60,
    event: { type: 'tool-call-start', turn: 2, callId: 'call-2', toolName: 'publish', effects: 'external' },
  },
  {
    type: 'event',
    t: 70,
    event: {
      type: 'approval-pending',
      turn: 2,
      callId: 'call-2',
      toolName: 'publish',
      policy: 'first',
      reason: 'Publish this?',
      about: 'call',
      id: 'run-1/2.call-2/1/first',
      digest: '0',
    },
  },
  { type: 'end', t: 80, outcome: 'suspended', turns: 2, usage: { inputTokens: 203, outputTokens: 20 } },
];

/** The record of a run that was resumed once, and then ended with a question. */
export const suspendedRun: readonly string[] = rows.map((row) => JSON.stringify(row));

const question = {
  id: 'run-1/2/call-2/1/first',
  digest: '0',
  turn: 2,
  callId: 'call-2',
  toolName: 'note',
  key: 'run-1/2/call-2',
  attempt: 1,
  params: {},
  policy: 'first',
  reason: 'Publish this?',
  askedAtMs: Date.UTC(2026, 0, 2, 3, 4) + 4_000,
};

/** The row of a call that ended with a question, as a journal has it. */
function askingRow(t: number): object {
  const { seq: _seq, result: _result, ...attempt } = commitRow(2, 2, t);
  return { ...attempt, type: 'attempt', why: 'superseded', conflicts: [] };
}

/** The record of a run that ended with a question after 4 seconds, was answered after 54, and continued after 64. */
export const answeredRun: readonly string[] = [
  headerRow(),
  responseRow(1, 1_000, 'I look first.'),
  commitRow(1, 1, 2_000),
  responseRow(2, 3_000, 'I publish it.'),
  askingRow(3_900),
  { type: 'pending', t: 4_000, questions: [question] },
  { type: 'end', t: 4_000, outcome: 'suspended', turns: 2, usage: {} },
  {
    type: 'answer',
    t: 54_000,
    id: question.id,
    digest: question.digest,
    approved: true,
    atMs: question.askedAtMs + 50_000,
  },
  { type: 'resumed', t: 64_000, atMs: question.askedAtMs + 60_000, turn: 2, changed: [] },
  commitRow(2, 2, 65_000),
  {
    type: 'end',
    t: 67_000,
    outcome: 'finished',
    text: 'Done.',
    turns: 2,
    usage: { inputTokens: 203, outputTokens: 20 },
  },
].map((row) => JSON.stringify(row));
