import { describe, expect, it } from 'vitest';
import { readArguments, usage } from '../../bench/harness/arguments.ts';
import { contenderNamed, rowOf } from './rows-support.ts';

const rows = [
  rowOf('loop', [contenderNamed('pi'), contenderNamed('ai')]),
  rowOf('rss', [contenderNamed('pi')]),
];
const read = (...args: readonly string[]) => readArguments(args, rows);

describe('readArguments', () => {
  it('measures everything without arguments', () => {
    expect(read()).toEqual({ kind: 'run', effort: 'full' });
  });

  it('reads every option, lists separated by commas or by repetition', () => {
    expect(
      read('--quick', '--row', 'loop, rss', '--only=pi', '--only', 'ai', '--passes', '4', '--json', 'x'),
    ).toEqual({
      kind: 'run',
      effort: 'quick',
      passes: 4,
      rows: ['loop', 'rss'],
      contenders: ['pi', 'ai'],
      json: 'x',
    });
    expect(read('--tiny')).toEqual({ kind: 'run', effort: 'tiny' });
    expect(read('--headline')).toEqual({ kind: 'run', effort: 'full', headline: true });
  });

  it('takes every row whose id begins with what stands before an asterisk', () => {
    expect(read('--row', 'l*')).toEqual({ kind: 'run', effort: 'full', rows: ['loop'] });
    expect(read('--row', '*')).toMatchObject({ rows: ['loop', 'rss'] });
  });

  it('reads which Node runs the programs', () => {
    expect(read('--node', 'other/node')).toMatchObject({ kind: 'run', node: 'other/node' });
  });

  it('writes reports in the place of measuring', () => {
    expect(read('--write', 'a.json, b.json', '--quick')).toEqual({
      kind: 'write',
      reports: ['a.json', 'b.json'],
    });
  });

  it('leaves what follows "trips" to the program that counts them', () => {
    expect(read('trips', '--source', 'other', '--list')).toEqual({
      kind: 'trips',
      args: ['--source', 'other', '--list'],
    });
  });

  it('leaves what follows "fleet" to the program that measures it', () => {
    expect(read('fleet', '--runs', '10')).toEqual({ kind: 'fleet', args: ['--runs', '10'] });
  });

  it('shows the list or the help, whatever else is asked for', () => {
    expect(read('--list', '--quick')).toEqual({ kind: 'list' });
    expect(read('--help', '--list')).toEqual({ kind: 'help' });
  });

  it.each([
    [['--row', 'lop'], '--row: there is no "lop"; there are loop, rss.'],
    [['--row', 'x*'], '--row: there is no "x*"; there are loop, rss.'],
    [['--only', 'pi,mastra'], '--only: there is no "mastra"; there are pi, ai.'],
    [['--headline', '--row', 'loop'], 'Choose --headline or --row, not both.'],
    [['--quick', '--tiny'], 'Choose --quick or --tiny, not both.'],
    [['--passes', '0'], '--passes is a whole number from 1 to 100, not "0".'],
    [['--passes', 'many'], '--passes is a whole number from 1 to 100, not "many".'],
  ])('refuses %j', (args, message) => {
    expect(read(...args)).toEqual({ kind: 'wrong', message });
  });

  it.each([[['--fast']], [['loop']], [['--json']]])('refuses %j', (args) => {
    expect(read(...args)).toMatchObject({ kind: 'wrong' });
  });

  it('explains every option', () => {
    const known = [
      '--quick',
      '--tiny',
      '--row',
      '--headline',
      '--only',
      '--passes',
      '--json',
      '--node',
      '--write',
    ];
    for (const option of [...known, '--list', '--help']) {
      expect(usage).toContain(option);
    }
  });
});
