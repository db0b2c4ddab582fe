import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  type RunJournal,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { type ChangesBack, changesBack, rewindFolder } from '../../../../src/durable/internal.ts';

type Act = (filesystem: Filesystem) => Promise<unknown>;

let base: string;
let root: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'wink-rewind-'));
  root = join(base, 'work');
  mkdirSync(join(root, 'old'), { recursive: true });
  writeFileSync(join(root, 'x'), 'x');
  writeFileSync(join(root, 'run.sh'), 'run');
  chmodSync(join(root, 'x'), 0o640);
  chmodSync(join(root, 'run.sh'), 0o755);
  symlinkSync('x', join(root, 'to-x'));
  symlinkSync('nowhere', join(root, 'dangling'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
});

const open = (writeOn: 'apply' | 'never' = 'apply') =>
  openHostFilesystem({ root, stateDirectory: join(base, 'state'), writeOn });

/** A run with one commit for each act. */
async function run(filesystem: Filesystem, ...acts: readonly Act[]): Promise<RunJournal> {
  const tools = acts.map((act, index) =>
    tool({
      name: `act-${index}`,
      description: 'Changes files.',
      effects: 'state' as const,
      execute: async (_params, context) => {
        if (context.filesystem === undefined) throw new TypeError('There are files.');
        await act(context.filesystem);
        return ToolResult.ok(null, 'Done.');
      },
    }),
  );
  const prompt = promptTemplate({
    ns: 'tests',
    key: 'acts',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Act.', tools })],
  }).bind();
  const journal = memoryJournal();
  const turns = acts.map((_, index) => ({ toolCalls: [{ name: `act-${index}` }] }));
  await scriptedAdapter([...turns, { text: 'Done.' }]).evaluate(prompt, { journal, runId: 'run' });
  return journal;
}

async function ran(...acts: readonly Act[]): Promise<RunJournal> {
  await using filesystem = await open();
  return await run(filesystem, ...acts);
}

const backTo = async (journal: RunJournal, seq: number): Promise<ChangesBack> =>
  changesBack('run', await journal.read('run'), seq);

/** Kind, permissions and content of everything in the folder. */
const tree = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => {
      const stats = lstatSync(join(root, path));
      if (stats.isSymbolicLink()) return [path, `link ${readlinkSync(join(root, path))}`];
      const mode = (stats.mode & 0o7777).toString(8);
      return [path, stats.isFile() ? `${mode} ${readFileSync(join(root, path), 'utf8')}` : 'directory'];
    }),
  );

/** Whether going back was shown before it was done, and nothing is left to do. */
async function rewound(journal: RunJournal, seq = 0): Promise<void> {
  const back = await backTo(journal, seq);
  {
    await using seen = await open('never');
    const before = tree();
    const report = rewindFolder(seen, back);
    expect(report).toMatchObject({ outside: [], left: [] });
    expect(tree()).toEqual(before);
    expect(() => rewindFolder(seen, back, true)).toThrow("writeOn: 'apply'");
  }
  await using filesystem = await open();
  expect(rewindFolder(filesystem, back, true)).toMatchObject({ outside: [], left: [] });
  expect(rewindFolder(filesystem, back)).toMatchObject({ fitting: [], outside: [], left: [] });
}

const acts: readonly (readonly [string, readonly Act[]])[] = [
  ['an empty directory that was made', [(files) => files.mkdir('empty')]],
  ['an empty directory that was removed', [(files) => files.remove('old', { recursive: true })]],
  [
    'a file in whose place a directory is',
    [
      async (files) => {
        await files.remove('x');
        await files.write('x/y', 'y');
      },
      async (files) => {
        await files.write('x/deep/z', 'z');
        await files.remove('x/y');
      },
      (files) => files.remove('x/deep/z'),
    ],
  ],
  [
    'a directory in whose place a file is',
    [
      async (files) => {
        await files.remove('old', { recursive: true });
        await files.write('old', 'new');
      },
    ],
  ],
  [
    'a file with other permissions',
    [
      async (files) => {
        await files.remove('x');
        await files.move('run.sh', 'x');
      },
      (files) => files.write('x', 'written'),
    ],
  ],
  [
    'a file of the same content with other permissions',
    [
      async (files) => {
        await files.write('run.sh', 'x');
        await files.remove('x');
        await files.move('run.sh', 'x');
      },
    ],
  ],
  [
    'links that were moved, removed and replaced',
    [
      (files) => files.move('to-x', 'old/to-x'),
      (files) => files.remove('old/to-x'),
      async (files) => {
        await files.remove('dangling');
        await files.write('dangling', 'a file');
      },
    ],
  ],
  ['a link that was moved to another directory', [(files) => files.move('to-x', 'old/to-x')]],
  [
    'a made directory that has files in it since',
    [(files) => files.mkdir('made'), (files) => files.write('made/y', 'y')],
  ],
];

describe('a folder that is rewound', () => {
  it.each(acts)('has back %s', async (_name, each) => {
    const trees = [tree()];
    const journal = await ran(
      ...each.map(
        (act): Act =>
          async (files) => {
            await act(files);
          },
      ),
    );
    const whole = tree();
    await rewound(journal);
    expect(tree()).toEqual(trees[0]);
    expect(whole).not.toEqual(trees[0]);
  });

  it('goes back to any commit', async () => {
    const journal = await ran(
      (files) => files.mkdir('made'),
      (files) => files.write('made/y', 'y'),
      (files) => files.move('to-x', 'made/to-x'),
    );
    await rewound(journal, 2);
    expect(tree()).toMatchObject({ 'made/y': '644 y', 'to-x': 'link x' });
    await rewound(journal, 1);
    expect(tree()).toMatchObject({ made: 'directory' });
    expect(existsSync(join(root, 'made/y'))).toBe(false);
  });

  it('keeps a directory that has something of another process in it, and puts back the rest', async () => {
    const journal = await ran(
      (files) => files.mkdir('made'),
      (files) => files.write('made/y', 'y'),
      (files) => files.remove('run.sh'),
    );
    writeFileSync(join(root, 'made/theirs'), 'theirs');
    await using filesystem = await open();
    const back = await backTo(journal, 0);
    const report = { fitting: ['made/y', 'run.sh'], present: [], outside: [], left: ['made'] };
    expect(rewindFolder(filesystem, back)).toEqual(report);
    expect(rewindFolder(filesystem, back, true)).toEqual(report);
    expect(tree()).toMatchObject({ 'made/theirs': '644 theirs', 'run.sh': '755 run' });
    expect(existsSync(join(root, 'made/y'))).toBe(false);
  });

  it.each([
    ['a file that it has changed', 'x', () => writeFileSync(join(root, 'x'), 'theirs')],
    ['a file where it has removed one', 'run.sh', () => writeFileSync(join(root, 'run.sh'), 'theirs')],
    [
      'a link in the place of its file',
      'x',
      () => (rmSync(join(root, 'x')), symlinkSync('run', join(root, 'x'))),
    ],
    [
      'a file in the place of a parent',
      'old/deep',
      () => (rmSync(join(root, 'old'), { recursive: true }), writeFileSync(join(root, 'old'), '')),
    ],
    [
      'something in a directory in whose place a file is to be',
      'to-x',
      () => writeFileSync(join(root, 'to-x/theirs'), ''),
    ],
  ])('is left as it is when another process has put there %s', async (_name, path, disturb) => {
    mkdirSync(join(root, 'old/deep'));
    const journal = await ran(
      (files) => files.write('x', 'new'),
      (files) => files.remove('run.sh'),
      (files) => files.remove('old/deep', { recursive: true }),
      async (files) => {
        await files.remove('to-x');
        await files.write('to-x/y', 'y');
      },
    );
    disturb();
    const before = tree();
    await using filesystem = await open();
    expect(rewindFolder(filesystem, await backTo(journal, 0), true).outside).toEqual([path]);
    expect(tree()).toEqual(before);
  });

  it('needs the content that was there, and the target of a link', async () => {
    const journal = await ran(
      (files) => files.remove('run.sh'),
      (files) => files.remove('to-x'),
    );
    const unknown = (await journal.read('run')).map((row) => ({
      ...row,
      line: row.line
        .replace(/"before":\{"hash":"[0-9a-f]+","bytes":3\}/, '"before":{"hash":"","bytes":3,"omitted":true}')
        .replace('"link":"x"', '"link":"\uFFFD"'),
    }));
    const back = changesBack('run', unknown, 0);
    expect(back.missing).toEqual(['run.sh', 'to-x']);
    await using filesystem = await open();
    expect(rewindFolder(filesystem, back, true).outside).toEqual(['run.sh', 'to-x']);
    expect((await backTo(journal, 0)).missing).toEqual([]);
  });

  it('must be on a disk', async () => {
    const filesystem: Filesystem = new MemoryFilesystem({ files: {} });
    const back = await backTo(await run(filesystem, (files) => files.write('a', 'a')), 0);
    expect(() => rewindFolder(filesystem, back)).toThrow('Only files on a disk');
  });
});
