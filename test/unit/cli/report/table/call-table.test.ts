import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndedCall } from '../../../../../src/cli/report/calls/call.ts';
import { formatCallTable } from '../../../../../src/cli/report/table/call-table.ts';
import { callRecord, callRecords } from '../calls/call-records.ts';

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
      '1     2     2 ms  read_file  a.md       committed, on new state: slice review.findings had changed',
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
      callRecord({ unenforced: [finding, { ...finding, policy: 'other' }] }),
      callRecord({ unenforced: [{ ...finding, outcome: 'ask' }], outcome: 'rolled-back', message: 'no' }),
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
      'denied by careful, which asked for approval: sure? - the answer: no.',
    ]);
    const many = [...callRecords(20, 20), ...records];
    expect(formatCallTable(many, { ...plain, maxRows: 5 })).toHaveLength(6);
  });

  it('says what a failed call left standing, and what had changed before it failed', () => {
    const [, line] = formatCallTable(
      [
        callRecord({
          outcome: 'rolled-back',
          message: 'The tool "send" failed: no line',
          attempts: 2,
          conflicts: ['file a.md', 'file a.md', 'slice s'],
          residualEffects: ['effects outside', 'resource mail: could not be rolled back'],
        }),
      ],
      plain,
    );
    expect(line?.slice(40)).toBe(
      'rolled back: no line; it ran 2 times: file a.md, slice s had changed; remaining effects: effects outside, resource mail: could not be rolled back',
    );
  });

  it('names some of many, and all of them in full', () => {
    const conflicts = ['a', 'b', 'c', 'd', 'e'];
    const long = callRecord({ outcome: 'rolled-back', message: 'x'.repeat(300), attempts: 3, conflicts });
    const short = formatCallTable([long], plain).join(' ');
    expect(short).toContain('a, b, c, 2 more had changed');
    expect(short).not.toContain('x'.repeat(161));
    const full = formatCallTable([long], { ...plain, width: 1000, maxRows: Number.POSITIVE_INFINITY }).join(
      ' ',
    );
    expect(full).toContain('a, b, c, d, e had changed');
    expect(full).toContain('x'.repeat(300));
  });

  it('shows calls inside of others under them', () => {
    const inner = [
      callRecord({ number: '1.1', turn: 4, toolName: 'note', undoneWith: '1' }),
      callRecord({
        number: '1.2',
        turn: 5,
        toolName: 'dig',
        durationMs: undefined,
        outcome: 'aborted',
        message: 'it was cancelled when call 1 ended',
        inner: [callRecord({ number: '1.2.1', turn: 1, toolName: 'note' })],
      }),
    ];
    const records = [
      callRecord({ toolName: 'look', subject: '', outcome: 'rolled-back', message: 'no', inner }),
      callRecord({ number: '2' }),
    ];
    expect(formatCallTable(records, plain)).toEqual([
      'turn  call   time  tool       arguments  outcome',
      '1     1      2 ms  look                  rolled back: no',
      '      1.1    2 ms   note      a.md       committed, then undone with call 1',
      '      1.2           dig       a.md       rolled back: it was cancelled when call 1 ended',
      '      1.2.1  2 ms    note     a.md       committed',
      '1     2      2 ms  read_file  a.md       committed',
    ]);
  });

  it('puts calls inside of others together only with their like', () => {
    const within = (number: string, more: Partial<EndedCall> = {}): EndedCall =>
      callRecord({ number, toolName: 'note', ...more });
    const inner = [
      within('1.1'),
      within('1.2'),
      within('1.3', { undoneWith: '1' }),
      within('1.4', { undoneWith: '1' }),
    ];
    const records = [callRecord({ toolName: 'note', inner }), callRecord({ number: '2', toolName: 'note' })];
    const rows = formatCallTable(records, { ...plain, maxRows: 4 }).map((row) => row.slice(6, 15).trim());
    expect(rows).toEqual(['call', '1', '1.1-1.2', '1.3-1.4', '2']);
  });

  it('leaves out the column of arguments when no call has any', () => {
    expect(formatCallTable([callRecord({ subject: '' })], plain)[0]).toBe(
      'turn  call  time  tool       outcome',
    );
  });

  it('cuts arguments, then tools, to leave the outcome room beside them', () => {
    const record = callRecord({
      toolName: 'a_tool_with_a_name',
      subject: `folder/${'x'.repeat(40)}.md`,
      outcome: 'rolled-back',
      message: 'there is no such file in there',
    });
    expect(formatCallTable([record], { ...plain, width: 76 })).toEqual([
      'turn  call  time  tool            arguments   outcome',
      '1     1     2 ms  a_tool…_a_name  fold…xx.md  rolled back: there is no such',
      `${' '.repeat(46)}file in there`,
    ]);
  });

  it('continues below the call where there is no room beside it', () => {
    const record = callRecord({
      outcome: 'rolled-back',
      message: 'one two three',
      residualEffects: ['effects outside'],
    });
    expect(formatCallTable([callRecord(), record], { ...plain, width: 44 })).toEqual([
      'turn  call  time  tool       arguments',
      '1     1     2 ms  read_file  a.md',
      '  committed',
      '1     1     2 ms  read_file  a.md',
      '  rolled back: one two three; remaining',
      '  effects: effects outside',
    ]);
  });

  it('stays within the width, and loses no word but to it, however narrow it is', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '\u001b', '𝒳'), maxLength: 60 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text, text), { maxLength: 8 }),
        fc.integer({ min: 40, max: 200 }),
        (all, width) => {
          const records = all.map(([subject, message, standing], index) =>
            callRecord({
              number: `${index + 1}.${index + 1}`,
              subject,
              outcome: 'rolled-back',
              message,
              residualEffects: [`${standing}!`],
            }),
          );
          const lines = formatCallTable(records, { ...plain, width });
          for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
          expect(lines.join('').split('!')).toHaveLength(records.length + 1);
        },
      ),
    );
  });

  it('groups the calls of one turn when there are too many rows', () => {
    const lines = formatCallTable(callRecords(40, 10), { ...plain, maxRows: 10 });
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe('1     1-10   20 ms  10 x read_file  file-1.md … file-10.md   committed');
  });

  it('groups over turns when that is not enough', () => {
    const lines = formatCallTable(callRecords(4000, 10), { ...plain, maxRows: 10 });
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('4000 x read_file');
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
    expect(formatCallTable(records, plain)[1]).toContain(
      'committed, 60 of them on new state: slice s had changed',
    );
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
    expect(line).toContain('a<U+001B>[2J');
    expect(line).toContain('b<U+0007>');
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
  return Number(/(\d+) x /.exec(row)?.[1] ?? 1);
}
