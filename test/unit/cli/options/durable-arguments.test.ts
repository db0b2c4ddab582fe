import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';

const refused = (...argv: readonly string[]): string => {
  const read = readArguments(argv);
  return read.kind === 'usage-error' ? read.message : `taken as ${read.kind}`;
};

describe('wink run --durable', () => {
  it('keeps the task that a resume needs, with absolute paths', () => {
    const words = ['a.ts', '--params', '{"a":1}', '--model', 'openai:x', '--apply', '--json', '--log', 'l'];
    const more = [
      '--no-enforce',
      '--overrides',
      'texts',
      '--mcp=servers.json',
      '--durable',
      '--run-id',
      'nightly-1',
      '--max-turns=3',
    ];
    expect(readArguments(['run', ...words, ...more])).toMatchObject({
      durable: {
        journalNames: undefined,
        runId: 'nightly-1',
        task: {
          agent: resolve('a.ts'),
          params: { a: 1 },
          model: { kind: 'openai', model: 'x' },
          apply: 'end',
          maxTurns: 3,
          overrides: { root: resolve('texts') },
          mcpFile: resolve('servers.json'),
          isEnforced: false,
        },
        resumed: undefined,
      },
    });
  });

  it('is implied by --journal', () => {
    expect(readArguments(['run', 'a.ts', '--journal', 'j.db'])).toMatchObject({
      durable: { journalNames: { journal: 'j.db', blobs: undefined }, runId: undefined },
    });
  });

  it('takes the place of long rows, as all commands that open the journal', () => {
    expect(readArguments(['run', 'a.ts', '--durable', '--blobs', 'b'])).toMatchObject({
      durable: { journalNames: { journal: undefined, blobs: 'b' } },
    });
    for (const words of [
      ['runs'],
      ['runs', 'prune', 'r'],
      ['approvals', 'answer', 'r', '--yes'],
      ['rewind', 'r', '--to', '1'],
      ['view', 'r'],
      ['query', 'r'],
      ['replay', 'r'],
      ['resume', 'r'],
      ['worker', 'a.ts'],
    ]) {
      const names = { journalNames: { journal: 'j', blobs: 'b' } };
      expect(readArguments([...words, '--journal', 'j', '--blobs', 'b']), words.join(' ')).toMatchObject(
        names,
      );
    }
    expect(readArguments(['fork', 'r', '--at', '1', '--blobs', 'b'])).toMatchObject({
      resume: { journalNames: { journal: undefined, blobs: 'b' } },
    });
    for (const command of ['journal', 'once', 'submit'])
      expect(refused(command, '--blobs=b')).toContain('"--blobs"');
  });

  it.each([
    [['--run-id', 'x'], '--run-id requires --durable or --journal.'],
    [['--blobs', 'x'], '--blobs requires --durable or --journal.'],
    [['--durable', '--blobs='], '--blobs is empty.'],
    [['--journal='], '--journal is empty.'],
    [['--durable', '--run-id='], '--run-id is ""; it must have'],
    [['--durable', '--run-id', 'a b'], '--run-id is "a b"; it must have'],
    [['--durable', `--run-id=${'x'.repeat(101)}`], 'it must have 1 to 100 letters'],
  ])('refuses %j', (argv, message) => {
    expect(refused('run', 'a.ts', ...argv)).toContain(message);
  });
});

describe('wink resume', () => {
  it('passes on what may be given anew', () => {
    const argv = [
      'resume',
      'r',
      '--strict',
      '--model',
      'openai:y',
      '--json',
      '--journal',
      'j',
      '--input',
      'Continue.',
    ];
    expect(readArguments(argv)).toMatchObject({
      kind: 'resume',
      runId: 'r',
      journalNames: { journal: 'j', blobs: undefined },
      isStrict: true,
      files: undefined,
      input: 'Continue.',
      limits: { model: { kind: 'openai', model: 'y' }, maxTurns: undefined, budget: {} },
      outputs: { isJson: true, hasDeltas: false },
      isVerbose: false,
    });
    for (const files of ['check', 'restore', 'as-is'])
      expect(readArguments(['resume', 'r', '--files', files])).toMatchObject({ files });
    expect(readArguments(['resume', '--help'])).toMatchObject({ kind: 'help' });
  });

  it.each([
    [[], 'no run given: wink resume RUN; "wink runs" lists them.'],
    [['a', 'b'], 'wink resume takes RUN: 1 at most, not 2.'],
    [['a', '--journal='], '--journal is empty.'],
    [['a', '--input='], 'the input is empty.'],
    [['a', '--files', 'merge'], '--files is "merge"; it must be check, restore or as-is.'],
    [['a', '--apply'], 'unknown option "--apply".'],
    [['a', '--record'], 'unknown option "--record".'],
  ])('refuses %j', (argv, message) => {
    expect(refused('resume', ...argv)).toBe(message);
  });
});

describe('wink runs', () => {
  it('lists, prunes and stops', () => {
    const common = { kind: 'runs', journalNames: undefined, isVerbose: false };
    const list = {
      ...common,
      action: 'list',
      folder: undefined,
      isJson: false,
      limit: 50,
      status: undefined,
    };
    expect(readArguments(['runs'])).toEqual(list);
    expect(readArguments(['runs', '--json', '--folder', 'd', '--journal', 'j'])).toEqual({
      ...list,
      folder: 'd',
      isJson: true,
      journalNames: { journal: 'j', blobs: undefined },
    });
    const stop = {
      ...common,
      action: 'stop',
      runId: 'r',
      isForGood: false,
      by: undefined,
      reason: undefined,
    };
    expect(readArguments(['runs', 'stop', 'r'])).toEqual(stop);
    const forGood = ['runs', 'stop', 'r', '--for-good', '--by', 'ann', '--reason', 'obsolete'];
    expect(readArguments(forGood)).toEqual({ ...stop, isForGood: true, by: 'ann', reason: 'obsolete' });
    expect(readArguments(['runs', 'prune', '--older-than', '30d', '--keep', '0', '--dry-run'])).toEqual({
      ...common,
      action: 'prune',
      runIds: [],
      folder: undefined,
      olderThanMs: 30 * 24 * 3_600_000,
      keep: 0,
      onceOlderThanMs: undefined,
      budgetsOlderThanMs: undefined,
      choosesRuns: true,
      isDryRun: true,
    });
    expect(readArguments(['runs', '-h'])).toMatchObject({ kind: 'help' });
  });

  it.each([
    [['start'], 'unknown action "start" of wink runs; it has list, prune, stop, settle, export.'],
    [['list', 'x'], 'wink runs lists all runs: leave the name out.'],
    [['stop'], 'name one run: wink runs stop RUN; "wink runs" lists them.'],
    [['stop', 'a', 'b'], 'name one run: wink runs stop RUN; "wink runs" lists them.'],
    [['stop', 'a', '--json'], '--json is not an option of wink runs stop.'],
    [['stop', 'a', '--by', 'ann'], '--by and --reason are kept with a run that is stopped --for-good.'],
    [['--keep', '1'], '--keep is not an option of wink runs list.'],
    [['--folder='], '--folder is empty.'],
    [['--journal='], '--journal is empty.'],
    [['prune'], 'say which runs to remove: --older-than 30d, --keep N, or their names.'],
    [
      ['prune', 'a', '--keep', '1'],
      'name runs, or choose them with --folder, --older-than and --keep, not both.',
    ],
    [['prune', '--older-than', '30'], '--older-than is "30"; it must be a time such as 30m, 12h or 30d.'],
    [
      ['prune', '--keep', '-1'],
      'option "--keep" needs a value: --keep N. For one that begins with a dash write --keep=-1.',
    ],
    [['prune', '--keep=-1'], '--keep is "-1"; it must be a whole number from 0 on.'],
  ])('refuses %j', (argv, message) => {
    expect(refused('runs', ...argv)).toBe(message);
  });
});
