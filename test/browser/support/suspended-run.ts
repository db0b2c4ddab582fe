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
