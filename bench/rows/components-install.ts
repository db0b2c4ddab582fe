import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

// The versions of bench/package.json.
const installed = {
  [ours]: { specifier: '' },
  '@tanstack/ai': { specifier: '@tanstack/ai@0.58.0' },
  ai: { specifier: 'ai@6.0.326' },
};

/** What the package costs on the disk. */
export const installRows: readonly BenchRow[] = [
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
