import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFolder } from 'weakincentives/node';
import { draws } from '../../../support/draws.ts';
import { tempFolder } from '../temp-folder.ts';

describe('limits of a mount', () => {
  it('skips files that no longer fit, by name, and continues with those that do', async () => {
    const folder = tempFolder({ a: 'x'.repeat(60), b: 'x'.repeat(60), c: 'x'.repeat(40), d: 'x' });
    const { files, report } = await readFolder({
      hostPath: folder,
      allowedRoots: [folder],
      maxBytes: 100,
    });
    expect(Object.keys(files)).toEqual(['a', 'c']);
    expect(report).toMatchObject({ files: 2, bytes: 100, complete: false, skippedCount: 2 });
    expect(report.skipped).toEqual([
      { path: 'b', reason: 'mount-full' },
      { path: 'd', reason: 'mount-full' },
    ]);
    expect(report.stoppedBy).toBeUndefined();
  });

  it('ends at the number of files and says so', async () => {
    const folder = tempFolder({ a: '', b: '', 'c/d': '', 'c/e': '' });
    const { files, report } = await readFolder({ hostPath: folder, allowedRoots: [folder], maxFiles: 3 });
    expect(Object.keys(files)).toEqual(['a', 'b', 'c/d']);
    expect(report).toMatchObject({ files: 3, stoppedBy: 'max-files', complete: false });
    const exact = await readFolder({ hostPath: folder, allowedRoots: [folder], maxFiles: 4 });
    expect(exact.report).toMatchObject({ files: 4, complete: true });
  });

  it('ends at the number of entries looked at', async () => {
    const folder = tempFolder(
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`d${index}/f`, 'x'])),
    );
    const { report } = await readFolder({ hostPath: folder, allowedRoots: [folder], maxEntries: 25 });
    expect(report).toMatchObject({ files: 5, stoppedBy: 'max-entries', complete: false });
    const exact = await readFolder({ hostPath: folder, allowedRoots: [folder], maxEntries: 40 });
    expect(exact.report).toMatchObject({ files: 20, complete: true });
  });

  it('names the first 1,000 things left out and counts the others', async () => {
    const folder = tempFolder(
      Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`f${index}`, 'xx'])),
    );
    const { report } = await readFolder({ hostPath: folder, allowedRoots: [folder], maxFileBytes: 1 });
    expect(report.skipped).toHaveLength(1000);
    expect(report.skippedCount).toBe(1100);
  });

  it('takes, for any tree and limits, exactly what the order of names and the sizes decide', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'B', 'é', '_');
    const path = fc
      .array(name, { minLength: 1, maxLength: 3 })
      .map((parts) => `${parts.map((part) => `${part}-`).join('/')}f`);
    const sizes = fc.dictionary(path, fc.integer({ min: 0, max: 40 }), { maxKeys: 25 });
    const limits = fc.record({
      maxBytes: fc.integer({ min: 0, max: 300 }),
      maxFileBytes: fc.integer({ min: 0, max: 40 }),
      maxFiles: fc.integer({ min: 0, max: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(sizes, limits, async (tree, bounds) => {
        const folder = tempFolder(
          Object.fromEntries(Object.entries(tree).map(([at, size]) => [at, 'x'.repeat(size)])),
        );
        const { files, report } = await readFolder({
          hostPath: folder,
          allowedRoots: [folder],
          ...bounds,
        });
        const expected = model(tree, bounds);
        expect(Object.keys(files)).toEqual(expected.taken);
        expect(report.skipped).toEqual(expected.skipped);
        expect(report.stoppedBy).toBe(expected.stoppedBy);
        expect(report.bytes).toBe(expected.taken.reduce((sum, at) => sum + (tree[at] ?? 0), 0));
      }),
      { numRuns: draws(60) },
    );
  });
});

interface Bounds {
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
}

/** The same decisions, one file after the other: files of a directory before its subdirectories. */
function model(tree: Readonly<Record<string, number>>, bounds: Bounds) {
  const taken: string[] = [];
  const skipped: { path: string; reason: string }[] = [];
  let bytes = 0;
  for (const path of Object.keys(tree).toSorted(readingOrder)) {
    const size = tree[path] ?? 0;
    if (size > bounds.maxFileBytes) skipped.push({ path, reason: 'file-too-large' });
    else if (taken.length >= bounds.maxFiles) return result('max-files');
    else if (bytes + size > bounds.maxBytes) skipped.push({ path, reason: 'mount-full' });
    else {
      taken.push(path);
      bytes += size;
    }
  }
  return result(undefined);

  function result(stoppedBy: string | undefined) {
    return { taken, skipped: skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1)), stoppedBy };
  }
}

function readingOrder(left: string, right: string): number {
  const [first, second] = [left.split('/'), right.split('/')];
  for (let level = 0; ; level += 1) {
    const [a = '', b = ''] = [first[level], second[level]];
    const isFile = [level === first.length - 1, level === second.length - 1];
    if (isFile[0] !== isFile[1]) return isFile[0] ? -1 : 1;
    if (a !== b) return a < b ? -1 : 1;
    if (isFile[0]) return 0;
  }
}
