import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

const files = 10_000;
const git = 'git add and write-tree';
const gitBack = 'git checkout-index and clean';
const copy = 'cp -a';

/** A folder of the disk with 10,000 files. The processes of git are counted, not the one that starts them. */
export const diskRows: readonly BenchRow[] = [
  ...(['cpu', 'wall'] as const).flatMap((figure): readonly BenchRow[] => {
    const title = figure === 'cpu' ? 'CPU' : 'wall time';
    return [
      {
        id: `disk-commit-${figure}`,
        title: `10,000 files on the disk, one changed and kept: ${title}`,
        unit: 'ms',
        contenders: contend(
          'disk-change',
          figure,
          { files },
          {
            [ours]: { way: 'commit' },
            [git]: { way: 'git' },
          },
        ),
        targets: [{ factor: 0.05, comparedTo: git }],
      },
      {
        id: `disk-rollback-${figure}`,
        title: `10,000 files on the disk, one changed and taken back: ${title}`,
        unit: 'ms',
        contenders: contend(
          'disk-change',
          figure,
          { files },
          {
            [ours]: { way: 'rollback' },
            [gitBack]: { way: 'git-restore' },
          },
        ).map((contender) => ({ ...contender, leftOutByQuick: true })),
        targets: [{ factor: 0.02, comparedTo: gitBack }],
      },
    ];
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
    })),
    targets: [{ factor: 1, comparedTo: copy }],
  },
];
