import type { BenchRow } from '../harness/row.ts';
import { contend, ours } from './contend.ts';

const many = 100_000;

/** Sessions and files in memory: what keeping a state, changing it and going back to it cost. */
export const stateRows: readonly BenchRow[] = [
  ...[1_000, many].map(
    (items): BenchRow => ({
      id: `session-snapshot-${items}`,
      title: `Session of ${items.toLocaleString('en-US')} items, snapshot and restore: CPU`,
      unit: 'µs',
      contenders: contend(
        'session-snapshot',
        'each',
        { items },
        {
          structuredClone: { by: 'structuredClone' },
          [ours]: { by: 'session' },
        },
      ),
      targets: [{ factor: 2 }],
    }),
  ),
  {
    id: 'append',
    title: 'Append to 100,000 items, the list alone: CPU',
    unit: 'µs',
    contenders: contend(
      'append',
      'each',
      { items: many },
      {
        'by hand': { way: 'push' },
        [ours]: { way: 'vector' },
        'immutable List': { way: 'immutable-list' },
        'spread of an array': { way: 'spread' },
        immer: { way: 'immer' },
      },
    ),
    targets: [{ factor: 1 }],
  },
  {
    id: 'append-event',
    title: 'Append to 100,000 items by an event, checked and frozen: CPU',
    unit: 'µs',
    contenders: contend(
      'append',
      'each',
      { items: many },
      {
        [ours]: { way: 'event' },
        immer: { way: 'immer' },
      },
    ),
    targets: [],
  },
  {
    id: 'memory-files',
    title: '10,000 files in memory, snapshot, one write, restore: CPU',
    unit: 'µs',
    contenders: contend(
      'memory-filesystem',
      'each',
      { files: 10_000 },
      {
        [ours]: { way: 'weakincentives' },
        'memfs toJSON and fromJSON': { way: 'memfs' },
      },
    ),
    targets: [{ factor: 60 }],
  },
];
