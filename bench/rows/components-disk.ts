import type { BenchRow, Contender, Target } from '../harness/row.ts';
import { contend, growthRows, ours } from './contend.ts';

const files = 10_000;
const git = 'git add and write-tree';
const gitBack = 'git checkout-index and clean';
const copy = 'cp -a';

/** Changes to the files of a folder with 10,000, and what they may take: of git's time, and CPU in ms. */
const commits: readonly {
  readonly changed: number;
  readonly cpu: readonly Target[];
  readonly wall: number;
}[] = [
  { changed: 1, cpu: [{ factor: 0.05, comparedTo: git }], wall: 0.15 },
  { changed: 100, cpu: [], wall: 1 },
  { changed: 10_000, cpu: [{ factor: 3_000 }], wall: 3 },
];

/** A folder of the disk. The processes of git are counted, not the one that starts them. */
export const diskRows: readonly BenchRow[] = [
  ...commits.flatMap(({ changed, cpu, wall }) => [
    commitRow(changed, 'cpu', 'CPU', cpu),
    commitRow(changed, 'wall', 'wall time', [{ factor: wall, comparedTo: git }]),
  ]),
  ...growthRows(
    {
      id: 'disk-commit-among',
      title: (size) => `${size} files on the disk, a call changes one of them: wall time`,
      unit: 'ms',
    },
    {
      program: 'cases/disk-change',
      figure: 'wall',
      settings: (size) => ({ way: 'commit', files: size, changed: 1 }),
    },
    { small: 1_000, large: 100_000, factor: 1.5 },
  ).map((row) => ({ ...row, headline: true, leftOutByTiny: true })),
  ...(['cpu', 'wall'] as const).map((figure): BenchRow => {
    const title = figure === 'cpu' ? 'CPU' : 'wall time';
    return {
      id: `disk-rollback-${figure}`,
      title: `10,000 files on the disk, a call changes one and fails: ${title}`,
      unit: 'ms',
      contenders: contend(
        'disk-change',
        figure,
        { files, changed: 1 },
        { [ours]: { way: 'rollback' }, [gitBack]: { way: 'git-restore' } },
      ).map((contender) => ({ ...contender, leftOutByQuick: true })),
      targets: [{ factor: 0.02, comparedTo: gitBack }],
    };
  }),
  {
    id: 'disk-stage',
    title: '10,000 files on the disk, given to a process that changes five, changes collected: wall time',
    unit: 'ms',
    contenders: contend(
      'disk-stage',
      'wall',
      { files },
      {
        [ours]: { way: 'any' },
        [`${ours}, as a copy`]: { way: 'copy' },
        [copy]: { way: 'cp' },
      },
    ).map((contender) => ({
      ...contender,
      isOwn: contender.name.startsWith(`${ours},`),
      leftOutByQuick: true,
      ...(contender.name === ours ? {} : { sampling: 'few' as const }),
    })),
    targets: [{ factor: 1, comparedTo: copy }],
  },
  searchRow('glob', { 'rg --files or find': 'list' }, 'every path'),
  searchRow('grep', { 'grep -rE': 'grepCommand' }, 'ten lines by a pattern'),
  lateRow('glob', 'all paths are listed'),
  lateRow('grep', 'all files are searched'),
];

function commitRow(
  changed: number,
  figure: 'cpu' | 'wall',
  what: string,
  targets: readonly Target[],
): BenchRow {
  return {
    id: `disk-commit-${changed}-${figure}`,
    title: `10,000 files on the disk, a call changes ${changed.toLocaleString('en-US')}: ${what}`,
    unit: 'ms',
    contenders: contend(
      'disk-change',
      figure,
      { files, changed },
      { [ours]: { way: 'commit' }, [git]: { way: 'git' } },
    ),
    targets,
    headline: true,
    leftOutByTiny: changed !== 100,
  };
}

/** Ours and the commands are measured in one process, in turns. */
function searchRow(
  search: 'glob' | 'grep',
  others: Readonly<Record<string, string>>,
  what: string,
): BenchRow {
  return {
    id: `disk-${search}`,
    title: `100,000 files on the disk, ${what}: CPU`,
    unit: 'ms',
    contenders: [
      searcher(ours, `${search}Cpu`),
      ...Object.entries(others).map(([name, figure]) => searcher(name, `${figure}Cpu`)),
    ],
    targets: Object.keys(others).map((comparedTo) => ({ factor: 4, comparedTo })),
    headline: true,
  };
}

function lateRow(search: 'glob' | 'grep', what: string): BenchRow {
  return {
    id: `disk-${search}-late`,
    title: `100,000 files on the disk, ${what}: how late a timer is at most`,
    unit: 'ms',
    contenders: [searcher(ours, `${search}Late`)],
    targets: [{ factor: 50 }],
    headline: true,
  };
}

function searcher(name: string, figure: string): Contender {
  return { name, program: 'cases/disk-search', settings: { files: 100_000 }, figure, leftOutByQuick: true };
}
