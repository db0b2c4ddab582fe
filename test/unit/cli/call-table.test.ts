import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCallTable } from '../../../src/cli/call-table.ts';
import { callRecord, callRecords } from './call-records.ts';

const plain = { width: 200, maxRows: 48, style: (_tone: string, text: string) => text };

describe('formatCallTable', () => {
  it('says of each call what became of it', () => {
    const lines = formatCallTable(
      [
        callRecord(),
        callRecord({ number: '2', attempts: 2, conflicts: ['slice review.findings'] }),
        callRecord({
          number: '3',
          outcome: 'denied',
          policy: 'read-before-write',
          message: 'The call of "w" was denied by the policy "read-before-write": read first',
        }),
        callRecord({ number: '4', outcome: 'rolled-back', message: 'not complete:\n- one' }),
        callRecord({ number: '5', outcome: 'rejected', message: 'Unknown tool.' }),
        callRecord({ number: '6', outcome: 'aborted', message: 'aborted' }),
      ],
      plain,
    );
    expect(lines).toEqual([
      'turn  call  time  tool       arguments  outcome',
      '1     1     2 ms  read_file  a.md       committed',
      '1     2     2 ms  read_file  a.md       re-run, then committed: slice review.findings had changed (attempt 2)',
      '1     3     2 ms  read_file  a.md       denied by read-before-write: read first',
      '1     4     2 ms  read_file  a.md       rolled back: not complete:',
      '1     5     2 ms  read_file  a.md       rejected: Unknown tool.',
      '1     6     2 ms  read_file  a.md       rolled back: the run was stopped',
    ]);
  });

  it('says what was asked, and what would have been denied', () => {
    const approved = { policy: 'careful', reason: 'sure?', about: 'call', approved: true } as const;
    const finding = { policy: 'closed', outcome: 'deny', reason: 'not\ntoday' } as const;
    const records = [
      callRecord({ approvals: [approved, { ...approved, policy: 'reviewed', about: 'changes' }] }),
      callRecord({ shadow: [finding, { ...finding, policy: 'other' }] }),
      callRecord({ shadow: [{ ...finding, outcome: 'ask' }], outcome: 'rolled-back', message: 'no' }),
      callRecord({
        outcome: 'denied',
        policy: 'careful',
        message: 'The call of "w" needs approval by the policy "careful" (sure?): no.',
        approvals: [{ ...approved, approved: false, answer: 'no.' }],
      }),
    ];
    expect(formatCallTable(records, { ...plain, maxRows: 4 }).map((line) => line.slice(40))).toEqual([
      'outcome',
      'committed; approved for careful: sure?; approved for reviewed (its changes): sure?',
      'committed; would have been denied by closed: not; would have been denied by other: not',
      'rolled back: no; would have been asked about by closed: not',
      'denied by careful, which asked: sure? - the answer: no.',
    ]);
    const many = [...callRecords(20, 20), ...records];
    expect(formatCallTable(many, { ...plain, maxRows: 5 })).toHaveLength(6);
  });

  it('groups the calls of one turn when there are too many rows', () => {
    const lines = formatCallTable(callRecords(40, 10), { ...plain, maxRows: 10 });
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe('1     1-10   20 ms  10 × read_file  file-1.md … file-10.md   committed');
  });

  it('groups over turns when that is not enough', () => {
    const lines = formatCallTable(callRecords(4000, 10), { ...plain, maxRows: 10 });
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('4000 × read_file');
    expect(lines[1]).toContain('1-400');
    expect(lines[1]).toContain('committed, up to 10 in one turn');
  });

  it('keeps calls that were not committed or that changed files out of groups', () => {
    const records = callRecords(60, 20);
    records[30] = callRecord({ number: '31', turn: 2, outcome: 'denied', policy: 'p', message: 'no' });
    records[31] = callRecord({ number: '32', turn: 2, changedFiles: 1 });
    const lines = formatCallTable(records, plain);
    expect(lines.filter((line) => line.includes('denied by p: no'))).toHaveLength(1);
    expect(lines.map((line) => /^\S+\s+(\S+)/.exec(line)?.[1])).toEqual([
      'call',
      '1-20',
      '21-30',
      '31',
      '32',
      '33-40',
      '41-60',
    ]);
  });

  it('says how many calls of a group were re-run', () => {
    const records = callRecords(60, 60, { attempts: 2, conflicts: ['slice s'] });
    expect(formatCallTable(records, plain)[1]).toContain('committed, 60 of them re-run: slice s had changed');
  });

  it('cuts lines to the width', () => {
    const [, line] = formatCallTable([callRecord({ outcome: 'rolled-back', message: 'x'.repeat(500) })], {
      ...plain,
      width: 80,
    });
    expect([...(line ?? '')].length).toBeLessThanOrEqual(80);
  });

  it('spells out control characters of arguments and messages', () => {
    const [, line] = formatCallTable(
      [callRecord({ subject: 'a\u001b[2J', outcome: 'rejected', message: 'b\u0007' })],
      plain,
    );
    expect(line).toContain('a\\x1b[2J');
    expect(line).toContain('b\\x07');
  });

  it('stays within its bound and loses no call, whatever the run was like', () => {
    const record = fc.record({
      outcome: fc.constantFrom('committed', 'denied', 'rolled-back', 'rejected', 'aborted'),
      toolName: fc.constantFrom('ls', 'read_file'),
      changedFiles: fc.integer({ min: 0, max: 1 }),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 120 }), fc.integer({ min: 6, max: 30 }), (calls, maxRows) => {
        const records = calls.map((call, index) =>
          callRecord({ ...call, number: `${index + 1}`, turn: 1 + Math.floor(index / 7) }),
        );
        const [, ...rows] = formatCallTable(records, { ...plain, maxRows });
        // Rows that stand for hidden calls come between the others.
        expect(rows.length).toBeLessThanOrEqual(2 * maxRows + 1);
        const shown = rows.reduce((sum, row) => sum + callsOf(row), 0);
        expect(shown).toBe(records.length);
      }),
    );
  });
});

function callsOf(row: string): number {
  const hidden = /(\d+) calls? not shown/.exec(row)?.[1];
  if (hidden !== undefined) return Number(hidden);
  return Number(/(\d+) × /.exec(row)?.[1] ?? 1);
}
