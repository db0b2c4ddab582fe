import type { BenchRow, Contender } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

const turns = 1_000;
const disk = 'by hand (two fdatasync of 3.5 kB)';
const none = 'no journal';
const content = 'content alone';
const parsed = 'by hand (rows read and parsed)';

/** The library in these rows is a run whose journal has a file of its own. */
const others = {
  'in a file, not waiting for the disk': { journal: 'file-normal' },
  'in a database of the caller': { journal: 'database' },
  'in memory': { journal: 'memory' },
} as const;

/** What it costs to run with a journal, that the cost of a turn does not grow, and how long a resumed run takes. */
export const journalRows: readonly BenchRow[] = [
  {
    id: 'journal-first',
    title:
      'First 1,000 turns of a process, with a journal in a file and without waiting for the disk: CPU a turn',
    unit: 'µs',
    contenders: own(
      contend(
        'journal-loop',
        'cpuPerTurn',
        { turns },
        {
          [ours]: { journal: 'file-normal' },
          'waiting for the disk': { journal: 'file' },
          'in memory': { journal: 'memory' },
          [none]: { journal: 'none' },
        },
      ),
    ).map((contender) => ({ ...contender, sampling: 'fresh' })),
    targets: [{ factor: 900 }, { factor: 2.6, comparedTo: none }],
  },
  {
    id: 'journal-bytes',
    title: 'Turns 901 to 1,000 of a run with a journal: bytes of rows a turn',
    unit: 'bytes',
    contenders: own([
      ...contend('journal-growth', 'lastBytes', { turns, journal: 'memory' }, { [ours]: {} }),
      ...contend('journal-growth', 'content', { turns, journal: 'memory' }, { [content]: {} }),
    ]),
    targets: [{ factor: 2.9, comparedTo: content }],
  },
  loopRow('cpu', 'CPU', 'cpuPerTurn'),
  loopRow('wall', 'wall time', 'wallPerTurn'),
  growthRow('bytes', 'bytes', 'bytes of rows', 1.02),
  growthRow('cpu', 'µs', 'CPU', 1.2),
  {
    id: 'journal-resume',
    title: 'Run of 1,000 turns, read and repeated until it asks the model: wall time',
    unit: 'ms',
    contenders: own(
      contend(
        'journal-resume',
        'wall',
        { turns, way: 'resume' },
        {
          [ours]: { journal: 'file' },
          'in a database of the caller': { journal: 'database' },
          'in memory': { journal: 'memory' },
          [parsed]: { journal: 'file', way: 'parse' },
        },
      ),
    ),
    targets: [{ factor: 250 }, { factor: 6, comparedTo: parsed }],
  },
];

function loopRow(what: 'cpu' | 'wall', title: string, figure: string): BenchRow {
  return {
    id: what === 'cpu' ? 'journal-loop' : 'journal-loop-wall',
    title: `Loop of 1,000 turns with a journal: ${title} a turn`,
    unit: 'µs',
    contenders: own(
      contend(
        'journal-loop',
        figure,
        { turns },
        {
          [ours]: { journal: 'file' },
          ...others,
          [none]: { journal: 'none' },
          [disk]: { journal: 'fdatasync' },
        },
      ),
    ),
    targets: [],
  };
}

function growthRow(figure: string, unit: BenchRow['unit'], title: string, factor: number): BenchRow {
  const early = 'turns 1 to 100';
  const look = (name: string, window: string, journal: string): readonly Contender[] =>
    contend(
      'journal-growth',
      `${window}${figure === 'cpu' ? 'Cpu' : 'Bytes'}`,
      { turns, journal },
      { [name]: {} },
    );
  const inFile =
    figure === 'cpu'
      ? [...look('in a file, turns 1 to 100', 'first', 'file'), ...look('in a file', 'last', 'file')]
      : [];
  return {
    id: `journal-growth-${figure}`,
    title: `Turns 901 to 1,000 of a run with a journal in memory: ${title} a turn`,
    unit,
    contenders: own([...look(ours, 'last', 'memory'), ...look(early, 'first', 'memory'), ...inFile]),
    targets: [{ factor, comparedTo: early }],
  };
}

/** All of them are the library with other settings, but for the floor. */
function own(contenders: readonly Contender[]): readonly Contender[] {
  return contenders.map((contender) => ({ ...contender, isOwn: contender.name !== ours }));
}
