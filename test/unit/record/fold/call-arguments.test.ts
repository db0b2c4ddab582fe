import { describe, expect, it } from 'vitest';
import { callArguments } from '../../../../src/record/fold/call-arguments.ts';

describe('the arguments of a call in one line', () => {
  it.each([
    ['nothing', undefined, ''],
    ['no object', [1, 2], '[2]'],
    ['an object without members', {}, ''],
    ['names and values', { ticket: 'T-4711', board: 'archive' }, 'ticket=T-4711 board=archive'],
    [
      'other kinds of values',
      { on: true, many: [1, 2, 3], deep: { a: 1, b: 2 } },
      'on=true many=[3] deep={2}',
    ],
    ['null and nothing', { a: null, b: '' }, 'a=null b=""'],
    ['more values than fit', { a: 1, b: 2, c: 3, d: 4, e: 5 }, 'a=1 b=2 c=3 +2'],
    ['a path without its content', { file_path: 'src/sum.sh', content: 'x\n' }, 'src/sum.sh'],
    [
      'a path with the numbers beside it',
      { file_path: 'src/sum.sh', offset: 20, all: true },
      'src/sum.sh offset=20',
    ],
    ['a pattern and a path', { pattern: '*.ts', path: 'src' }, '*.ts src'],
    ['the end of a long path', { path: 'packages/billing/src/invoice/round.ts' }, '…/src/invoice/round.ts'],
    [
      'a long text to the end of a word',
      { command: 'npm test -- billing --reporter=dot' },
      'npm test -- billing…',
    ],
    [
      'a text with blanks in quotes',
      { note: 'the half cents', target: 'prod' },
      'note="the half cents" target=prod',
    ],
    ['lines as one', { command: 'sh\n  test.sh' }, 'sh test.sh'],
    ['a path that is no text', { path: 3 }, 'path=3'],
  ])('has %s', (_name, params, text) => {
    expect(callArguments(params)).toBe(text);
  });

  it('has the order of the schema, what it does not know last', () => {
    const inputSchema = { type: 'object', properties: { article: {}, pieces: {} } };
    expect(callArguments({ size: 1, pieces: 'two', article: 'nut' }, { inputSchema })).toBe(
      'article=nut pieces=two size=1',
    );
  });

  it('is cleaned before it is cut', () => {
    const clean = (text: string): string => text.replaceAll('hunter2-hunter2-hunter2', '[secret]');
    expect(callArguments({ word: 'aaaaaaaaaahunter2-hunter2-hunter2' }, { clean })).toBe(
      'word=aaaaaaaaaa[secret]',
    );
  });

  it('never ends in half of a surrogate pair', () => {
    const text = callArguments({ word: '🚀'.repeat(40) });
    expect(text.isWellFormed?.() ?? true).toBe(true);
    expect(text).toBe(`word=${'🚀'.repeat(23)}…`);
  });
});
