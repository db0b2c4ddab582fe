import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';

/** What a fork of these files says of its changes, as `kind path` or `kind path < from`. */
async function changesOf(work: (view: Filesystem) => unknown): Promise<readonly string[]> {
  const files = new MemoryFilesystem({ files: { a: 'a', b: 'b', 'dir/x': 'x', 'dir/deep/y': 'y' } });
  const fork = files.fork();
  await work(fork.view);
  return fork
    .changes()
    .map(({ kind, path, from }) => `${kind} ${path}${from === undefined ? '' : ` < ${from}`}`);
}

describe('the origin of a change', () => {
  it('is named for what was moved or copied, by files and by folders', async () => {
    expect(await changesOf((view) => view.move('a', 'new/a'))).toEqual(['removed a', 'created new/a < a']);
    expect(await changesOf((view) => view.copy('a', 'c'))).toEqual(['created c < a']);
    expect(await changesOf((view) => view.copy('dir', 'copy'))).toEqual([
      'created copy/deep/y < dir/deep/y',
      'created copy/x < dir/x',
    ]);
  });

  it('is at its path at the time of the fork, after any number of moves', async () => {
    const origins = await changesOf(async (view) => {
      await view.move('dir', 'tmp');
      await view.copy('tmp/deep', 'deep');
      await view.move('deep/y', 'last');
    });
    expect(origins).toContain('created last < dir/deep/y');
    expect(origins).toContain('created tmp/x < dir/x');
  });

  it('is named for files that changed places, and for what took the place of another', async () => {
    const swapped = await changesOf(async (view) => {
      await view.move('a', 'tmp');
      await view.move('b', 'a');
      await view.move('tmp', 'b');
    });
    expect(swapped).toEqual(['modified a < b', 'modified b < a']);
    const replaced = await changesOf(async (view) => {
      await view.remove('b');
      await view.copy('a', 'b');
    });
    expect(replaced).toEqual(['modified b < a']);
  });

  it('is not named for what was written, before or after it was moved', async () => {
    const written = await changesOf(async (view) => {
      await view.write('temporary', 'new');
      await view.move('temporary', 'c');
      await view.copy('a', 'd');
      await view.write('d', 'a');
      await view.write('b', 'over');
      await view.copy('b', 'e');
    });
    expect(written).toEqual(['modified b', 'created c', 'created d', 'created e']);
  });

  it('is the right one after a restore', async () => {
    const restored = await changesOf(async (view) => {
      await view.copy('b', 'c');
      const snapshot = await view.snapshot();
      await view.remove('c');
      await view.copy('a', 'c');
      await view.restore(snapshot);
    });
    expect(restored).toEqual(['created c < b']);
  });

  it('goes with the patch of an inner fork into the outer one', async () => {
    const inherited = await changesOf(async (view) => {
      await view.move('a', 'z');
      const inner = view.fork();
      await inner.view.move('z', 'inner');
      await inner.view.copy('dir/x', 'x');
      view.apply(inner.patch());
    });
    expect(inherited).toEqual(['removed a', 'created inner < a', 'created x < dir/x']);
  });
});
