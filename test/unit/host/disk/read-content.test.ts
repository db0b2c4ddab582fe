import { appendFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFile } from '../../../../src/host/disk/host-directory.ts';
import { readContent } from '../../../../src/host/disk/read-content.ts';
import { tempFolder } from '../temp-folder.ts';

/** Reads a file that something happens to between the look at its size and the reading. */
async function readAround(content: string, change: (path: string) => void): Promise<Uint8Array | undefined> {
  const path = join(tempFolder({ 'f.txt': content }), 'f.txt');
  // An old time, so that a change within the same tick of the file system's clock shows.
  utimesSync(path, 1, 1);
  const handle = await openFile(path);
  try {
    const stamp = await handle.stat();
    change(path);
    return await readContent(handle, stamp);
  } finally {
    await handle.close();
  }
}

describe('readContent', () => {
  it('reads all of a file that does not change', async () => {
    const text = 'x'.repeat(200_000);
    expect(new TextDecoder().decode(await readAround(text, () => {}))).toBe(text);
    expect(await readAround('', () => {})).toEqual(new Uint8Array(0));
  });

  it.each<[string, (path: string) => void]>([
    ['grown', (path) => appendFileSync(path, 'more')],
    ['shrunk', (path) => truncateSync(path, 2)],
    ['emptied', (path) => truncateSync(path, 0)],
    ['rewritten in the same length', (path) => writeFileSync(path, 'AFTER!')],
  ])('gives nothing of a file that has %s meanwhile', async (_what, change) => {
    expect(await readAround('before', change)).toBeUndefined();
  });
});
