import { describe, expect, it } from 'vitest';
import { formatObservedCalls } from '../../../../src/cli/report/run-report.ts';
import { callRecord } from './call-records.ts';

const plain = (_tone: string, text: string): string => text;
const failed = { outcome: 'rolled-back', message: 'no\u0007\nreally' } as const;

describe('formatObservedCalls', () => {
  it('tells of the calls that were to change something and did not, and what is left of them', () => {
    const records = [
      callRecord(),
      callRecord({ number: '2', toolName: 'ls', ...failed }),
      callRecord({ number: '3', toolName: 'write', ...failed }),
      callRecord({ number: '4', toolName: 'write', ...failed, steps: ['moved a', 'moved b'] }),
      callRecord({
        number: '5',
        toolName: 'send',
        subject: '',
        ...failed,
        residualEffects: ['effects outside', 'resource m'],
      }),
      callRecord({
        number: '6',
        toolName: 'send',
        ...failed,
        steps: ['dialled'],
        residualEffects: ['effects\u001b outside'],
      }),
      callRecord({
        number: '7',
        outcome: 'denied',
        policy: 'closed\u001b',
        message: 'The call of "w" was denied by the policy "closed": not today',
      }),
    ];
    const lines = formatObservedCalls(records, new Set(['ls']), plain);
    expect(lines.filter((line) => line.startsWith('Call'))).toEqual([
      'Call 3, write a.md, was rolled back. It left nothing behind. The model was told:',
      'Call 4, write a.md, was rolled back. Before that it had moved a, moved b: all of it is undone. The model was told:',
      'Call 5, send, was rolled back. Left standing: effects outside, resource m. The model was told:',
      'Call 6, send a.md, was rolled back. Before that it had dialled. Left standing: effects\\x1b outside. The model was told:',
      'Call 7, read_file a.md, was denied by closed\\x1b. It left nothing behind. The model was told:',
    ]);
    expect(lines.slice(0, 4)).toEqual(['', lines[1], '  no\\x07', '  really']);
    expect(lines.at(-1)).toBe('  not today');
  });

  it('tells only so much', () => {
    const long = { ...failed, message: 'line\n'.repeat(40) };
    const lines = formatObservedCalls(
      Array.from({ length: 9 }, () => callRecord(long)),
      new Set(),
      plain,
    );
    expect(lines).toHaveLength(5 * (2 + 12 + 1));
    expect(lines.at(-1)).toBe('  … 29 more lines');
  });
});
