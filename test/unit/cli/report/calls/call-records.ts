import type { EndedCall } from '../../../../../src/cli/report/calls/call.ts';

/** A committed call with everything a table needs. */
export function callRecord(overrides: Partial<EndedCall> = {}): EndedCall {
  return {
    number: '1',
    turn: 1,
    toolName: 'read_file',
    callId: 'c1',
    outerCalls: [],
    startedAtMs: 0,
    progress: undefined,
    subject: 'a.md',
    argumentsKey: '',
    outcome: 'committed',
    message: 'a.md - lines 1-2 of 2',
    attempts: 1,
    conflicts: [],
    durationMs: 2,
    changedFiles: 0,
    approvals: [],
    unenforced: [],
    residualEffects: [],
    steps: [],
    inner: [],
    undoneWith: undefined,
    ...overrides,
  };
}

/** `count` calls, `perTurn` to a turn. */
export function callRecords(count: number, perTurn: number, overrides: Partial<EndedCall> = {}): EndedCall[] {
  return Array.from({ length: count }, (_, index) =>
    callRecord({
      number: `${index + 1}`,
      turn: Math.floor(index / perTurn) + 1,
      subject: `file-${index + 1}.md`,
      ...overrides,
    }),
  );
}
