import { commitRow, headerRow, responseRow } from './rows.ts';

type Row = Readonly<Record<string, unknown>>;

const startedAtMs = Date.UTC(2026, 0, 2, 3, 4);
const lines = (rows: readonly object[]): readonly string[] => rows.map((row) => JSON.stringify(row));

/** What the model gets in the first turn. */
function requestRow(t: number, text: string): Row {
  return {
    type: 'request',
    t,
    turn: 1,
    instructions: 'Do as you are told.',
    tools: '[]',
    settings: {},
    toolChoice: 'auto',
    edits: [{ at: 0, remove: 0, insert: [{ type: 'user', content: [{ type: 'text', text }] }] }],
    length: 1,
    tokens: { instructions: 5, tools: 0, conversation: 5, added: 5 },
  };
}

/** An attempt that failed, and the call with it. */
function failedRow(turn: number, t: number, more: Row, result: Row = {}): Row {
  const { seq: _seq, result: ok, ...attempt } = commitRow(turn, turn, t, more);
  return {
    ...attempt,
    type: 'attempt',
    why: 'failed',
    conflicts: [],
    result: {
      ...(ok as Row),
      outcome: 'rolled-back',
      reason: 'threw',
      message: 'The tool "deploy" failed: connect ECONNREFUSED 10.0.0.7:443',
      modelText: 'The tool "deploy" failed: connect ECONNREFUSED 10.0.0.7:443',
      ...result,
    },
  };
}

const header = headerRow({
  agent: 'release',
  prompt: { namespace: 'ops', key: 'release', hash: 'hash' },
  model: 'gpt-5',
  prices: { inputPerMillion: 1.25, outputPerMillion: 10 },
  limits: { maxTurns: 20, maxRepeatedFailures: 5, maxCost: 0.02 },
  apply: 'end',
  tools: [
    { name: 'write_file', effects: 'state' },
    { name: 'deploy', effects: 'external' },
  ],
});
const deploy = { toolName: 'deploy', effects: 'external', params: { target: 'prod' } };
const failure =
  'deploy failed in 5 turns in a row with the same arguments and the same reason: connect ECONNREFUSED 10.0.0.7:443 (prompt "release", turn 6)';

/** A call fails in five turns with the same arguments, and the run with it. */
export const failedRun: readonly string[] = lines([
  header,
  requestRow(0, 'Release it.'),
  responseRow(1, 900, ''),
  commitRow(1, 1, 1_000, {
    toolName: 'write_file',
    params: { path: 'CHANGES.md' },
    writes: [],
    files: [
      { path: 'CHANGES.md', kind: 'created', entry: 'file', after: { hash: 'h', bytes: 3, omitted: true } },
    ],
  }),
  ...[2, 3, 4, 5, 6].flatMap((turn) => [
    responseRow(turn, turn * 1_000, turn === 2 ? 'I deploy it.' : ''),
    failedRow(turn, turn * 1_000 + 100, { ...deploy, callId: `call-${turn}` }),
  ]),
  {
    type: 'end',
    t: 7_000,
    outcome: 'failed',
    turns: 6,
    usage: { inputTokens: 16_946, outputTokens: 214, cachedInputTokens: 10_500 },
    error: { name: 'PromptEvaluationError', code: 'evaluation-failures-repeated', message: failure },
  },
]);

/** The process was killed while a call ran. */
export const interruptedRun: readonly string[] = lines([
  header,
  requestRow(0, 'Release it.'),
  responseRow(1, 900, 'I write it down.'),
  commitRow(1, 1, 1_000, { toolName: 'write_file', params: { path: 'CHANGES.md' } }),
  responseRow(2, 2_000, 'I deploy it.'),
  {
    type: 'event',
    t: 2_100,
    event: { type: 'tool-call-start', turn: 2, callId: 'call-2', toolName: 'deploy', effects: 'external' },
  },
]);

/** A run without anything that went wrong. */
export const finishedRun: readonly string[] = lines([
  header,
  requestRow(0, 'Release it.'),
  responseRow(1, 900, 'I write it down.'),
  commitRow(1, 1, 1_000, { toolName: 'write_file', params: { path: 'CHANGES.md' } }),
  responseRow(2, 2_000, ''),
  {
    type: 'end',
    t: 2_100,
    outcome: 'finished',
    turns: 2,
    usage: { inputTokens: 203, outputTokens: 20 },
    output: { version: '1.2.0', changed: 3, notes: ['first', 'second'] },
  },
]);

const before = 'set -e\necho $(( $1 - $2 ))\n';
const after = 'set -e\necho $(( $1 + $2 ))\n';

/** The changes of a call wait for a person. */
export const waitingRun: readonly string[] = lines([
  { ...header, agent: 'coder' },
  requestRow(0, 'Make the tests pass.'),
  responseRow(1, 900, 'I run the tests.'),
  failedRow(
    1,
    1_000,
    { toolName: 'shell_execute', params: { command: 'sh test.sh' } },
    { message: 'exit code 1' },
  ),
  responseRow(2, 2_000, ''),
  { type: 'blob', hash: 'before', text: before },
  { type: 'blob', hash: 'after', text: after },
  {
    ...failedRow(2, 2_100, {
      toolName: 'edit_file',
      params: { path: 'src/sum.sh' },
      files: [
        {
          path: 'src/sum.sh',
          kind: 'changed',
          entry: 'file',
          before: { hash: 'before', bytes: before.length },
          after: { hash: 'after', bytes: after.length },
        },
      ],
    }),
    why: 'superseded',
    result: undefined,
  },
  {
    type: 'pending',
    t: 2_200,
    questions: [
      {
        id: 'run-1/2/call-2/1/protect-src',
        digest: '3fa4c1d2e5f6',
        turn: 2,
        callId: 'call-2',
        toolName: 'edit_file',
        key: 'run-1/2/call-2',
        attempt: 1,
        params: { path: 'src/sum.sh' },
        policy: 'protect-src',
        reason: 'Sources need a person.',
        askedAtMs: startedAtMs + 2_200,
        expiresAtMs: startedAtMs + 7 * 86_400_000,
      },
    ],
  },
  { type: 'end', t: 2_200, outcome: 'suspended', turns: 2, usage: { inputTokens: 9_578, outputTokens: 402 } },
]);
