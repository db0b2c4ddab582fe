import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { FilesystemError } from 'weakincentives';
import { draws, seenAtLeast } from '../../../support/draws.ts';
import { openHost, testFolders } from './host-workspace.ts';

const reads = draws(20_000);
/** How often each state of the folder is to be met. */
const enough = seenAtLeast(100);

/** Swaps `folder` and `link` as fast as it can until it is terminated. */
const swapping = `
  const { renameSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const { folder, link, aside, swaps } = workerData;
  require('node:worker_threads').parentPort.postMessage('started');
  for (;;) {
    renameSync(folder, aside); renameSync(link, folder);
    renameSync(folder, link); renameSync(aside, folder);
    Atomics.add(swaps, 0, 1);
  }`;

describe('a folder that is swapped for a link out of the root while it is read and written', () => {
  it(`leads to nothing outside, ${reads} times and more`, async () => {
    const folders = testFolders({ 'place/file.txt': 'inside' });
    const outside = testFolders({ 'file.txt': 'outside' }).root;
    const link = join(folders.root, '..', 'link');
    const aside = join(folders.root, '..', 'aside');
    symlinkSync(outside, link);
    const filesystem = await openHost(folders);
    const swaps = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(swapping, {
      eval: true,
      workerData: { folder: join(folders.root, 'place'), link, aside, swaps },
    });
    await new Promise((resolve) => worker.once('message', resolve));
    const seen = { inside: 0, refused: 0, leaked: 0 };
    // The race is none before both states were met many times, however the two threads get their turns.
    for (let read = 0; read < reads || seen.inside <= enough || seen.refused <= enough; read += 1) {
      if (read % 100 === 0) await new Promise(setImmediate);
      try {
        const text = (await filesystem.read('place/file.txt')).text;
        if (text.toLowerCase() === 'inside') seen.inside += 1;
        else seen.leaked += 1;
        if (read % 100 === 0) {
          const newText = text === 'inside' ? 'INSIDE' : 'inside';
          await filesystem.edit('place/file.txt', [{ oldText: text, newText }]);
        }
      } catch (error) {
        if (!FilesystemError.isInstance(error)) throw error;
        seen.refused += 1;
      }
    }
    // Still at it: nothing that was done here has got in its way.
    const swapped = Atomics.load(swaps, 0);
    while (Atomics.load(swaps, 0) === swapped) await new Promise(setImmediate);
    await worker.terminate();
    expect(seen.leaked).toBe(0);
    expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('outside');
    expect(readdirSync(outside)).toEqual(['file.txt']);
  });
});
