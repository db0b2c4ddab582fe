import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

const imported = {
  'by hand (zod alone)': { specifier: 'zod' },
  [ours]: { specifier: 'weakincentives' },
  '@tanstack/ai': { specifier: '@tanstack/ai' },
  ai: { specifier: 'ai' },
  '@earendil-works/pi-agent-core': { specifier: '@earendil-works/pi-agent-core' },
  '@mariozechner/pi-agent-core': { specifier: '@mariozechner/pi-agent-core' },
};
// The versions of bench/package.json.
const installed = {
  [ours]: { specifier: '' },
  '@tanstack/ai': { specifier: '@tanstack/ai@0.58.0' },
  ai: { specifier: 'ai@6.0.326' },
};

/** What the package costs before it does anything. */
export const installRows: readonly BenchRow[] = [
  {
    id: 'import-cpu',
    title: 'Import into a fresh process, over an empty one: CPU',
    unit: 'ms',
    contenders: contend('cold-import', 'cpu', {}, imported),
    targets: [{ factor: 25 }],
  },
  {
    id: 'import-wall',
    title: 'Import into a fresh process, over an empty one: wall time',
    unit: 'ms',
    contenders: contend('cold-import', 'wall', {}, imported),
    targets: [{ factor: 25 }],
  },
  {
    id: 'installed-size',
    title: 'Installed without peers, bytes of all files',
    unit: 'MiB',
    contenders: contend('installed-size', 'bytes', {}, installed),
    targets: [{ factor: 8 }],
  },
  {
    id: 'installed-disk',
    title: 'Installed without peers, blocks of 4 KiB',
    unit: 'MiB',
    contenders: contend('installed-size', 'disk', {}, installed),
    targets: [],
  },
  {
    id: 'installed-packages',
    title: 'Installed without peers, packages with the package itself',
    unit: 'packages',
    contenders: contend('installed-size', 'packages', {}, installed),
    targets: [{ factor: 7 }],
  },
];
