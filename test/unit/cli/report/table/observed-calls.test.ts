import { describe, expect, it } from 'vitest';
import { formatObservedCalls } from '../../../../../src/cli/report/table/run-report.ts';
import { callRecord } from '../calls/call-records.ts';

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
      'Call 3, write a.md, was rolled back. It left no effects. Message to the model:',
      'Call 4, write a.md, was rolled back. It had moved a, moved b: all of it was rolled back. Message to the model:',
      'Call 5, send, was rolled back. Remaining effects: effects outside, resource m. Message to the model:',
      'Call 6, send a.md, was rolled back. It had dialled. Remaining effects: effects<U+001B> outside. Message to the model:',
      'Call 7, read_file a.md, was denied by closed<U+001B>. It left no effects. Message to the model:',
    ]);
    expect(lines.slice(0, 4)).toEqual(['', lines[1], '  no<U+0007>', '  really']);
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
