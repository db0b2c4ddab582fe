import { expect, test } from 'vitest';
import { DistinctCallIds } from '../../../../../src/providers/kit/wire/distinct-call-ids.ts';

const answered = (callId: string) =>
  ({ type: 'tool-result', callId, toolName: 'a', text: '', isError: false }) as const;

test('names of calls stay as they are, where they are names and differ', () => {
  const ids = new DistinctCallIds({ turn: 2, conversation: [] });
  expect(['x', 'x', '', undefined, 7, 'y'].map((id) => ids.take(id))).toEqual([
    'x',
    'call-2-2',
    'call-2-3',
    'call-2-4',
    'call-2-5',
    'y',
  ]);
});

test('a name that is made is none of this turn, nor of an earlier conversation that is gone on with', () => {
  const ids = new DistinctCallIds({ turn: 1, conversation: [answered('call-1-2'), answered('call-1-4')] });
  expect(['call-1-1', '', '', 'call-1-3', ''].map((id) => ids.take(id))).toEqual([
    'call-1-1',
    'call-1-3',
    'call-1-5',
    'call-1-6',
    'call-1-7',
  ]);
});
