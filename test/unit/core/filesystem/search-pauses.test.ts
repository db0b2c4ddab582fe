import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem, type MemoryFilesystemOptions } from 'weakincentives';
import { compileGlob, compileGrep } from '../../../../src/core/filesystem/index.ts';
import { type PausingClock, pausingClock } from '../../../support/pausing-clock.ts';
import { openHost, testFolders } from '../../host/host-filesystem/host-workspace.ts';

type Files = Readonly<Record<string, string>>;

/** Each file system with these files and a clock of its own. */
const systems: readonly (readonly [
  string,
  (files: Files, clock: NonNullable<MemoryFilesystemOptions['clock']>) => Promise<Filesystem>,
])[] = [
  ['MemoryFilesystem', async (files, clock) => new MemoryFilesystem({ files, clock })],
  ['HostFilesystem', async (files, clock) => openHost({ ...testFolders(files), clock })],
];

const manyFiles: Files = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`d${index % 10}/f${index}.txt`, `line ${index}\n`]),
);
const paths = Object.keys(manyFiles).toSorted();

/** The clock, with nothing counted of what was done before. */
function reset(clock: PausingClock): PausingClock {
  clock.asked = 0;
  clock.pauses = 0;
  return clock;
}

describe.each(systems)('searching a %s', (_name, make) => {
  it('lets timers in about every 20 milliseconds, and finds the same', async () => {
    const clock = pausingClock();
    const filesystem = await make(manyFiles, clock);
    reset(clock);
    expect(await filesystem.glob('**/*.txt')).toEqual({ paths, truncated: false });
    // 210 entries are as many milliseconds.
    expect(clock.pauses).toBe(10);
    reset(clock);
    expect((await filesystem.grep('^line')).matches.map(({ path }) => path)).toEqual(paths);
    expect(clock.pauses).toBeGreaterThanOrEqual(15);
  });

  it('lets timers in within one long file', async () => {
    const clock = pausingClock();
    const filesystem = await make({ 'a.txt': `${'no\n'.repeat(10_000)}yes\n` }, clock);
    reset(clock);
    expect((await filesystem.grep('^yes$')).matches).toEqual([{ path: 'a.txt', line: 10_001, text: 'yes' }]);
    expect(clock.pauses).toBeGreaterThanOrEqual(5);
  });

  it('never pauses, nor asks for the time, with a clock that cannot let timers in', async () => {
    let asked = 0;
    const filesystem = await make(manyFiles, {
      now: () => {
        asked += 1;
        return 0;
      },
    });
    asked = 0;
    expect((await filesystem.glob('**')).paths).toEqual(paths);
    expect(asked).toBe(0);
  });

  it('ends with the reason of a signal', async () => {
    const clock = pausingClock();
    const filesystem = await make(manyFiles, clock);
    for (const search of [
      (signal: AbortSignal) => filesystem.glob('**', { signal }),
      (signal: AbortSignal) => filesystem.grep('x', { signal }),
    ]) {
      reset(clock);
      const controller = new AbortController();
      clock.onPause = () => controller.abort(new RangeError('enough'));
      await expect(search(controller.signal)).rejects.toThrow(new RangeError('enough'));
      expect(clock).toMatchObject({ pauses: 1 });
      expect(clock.asked).toBeLessThan(30);
      await expect(search(controller.signal)).rejects.toThrow(new RangeError('enough'));
      expect(clock.pauses).toBe(1);
    }
  });

  it('ends when the call that it belongs to has ended', async () => {
    for (const end of ['seal', 'dispose'] as const) {
      const clock = pausingClock();
      const fork = (await make(manyFiles, clock)).fork();
      reset(clock);
      clock.onPause = () => fork[end]();
      await expect(fork.view.glob('**')).rejects.toMatchObject({ code: 'transaction-closed' });
      expect(clock.pauses).toBe(1);
    }
  });

  it('sees nothing of what other calls commit meanwhile, and depends on it', async () => {
    const clock = pausingClock();
    const filesystem = await make(manyFiles, clock);
    const [searching, other] = [filesystem.fork(), filesystem.fork()];
    await other.view.write('d0/new.txt', 'line new\n');
    await other.view.remove('d0/f0.txt');
    reset(clock);
    clock.onPause = async () => {
      if (clock.pauses === 1) filesystem.apply(other.patch());
    };
    // The first pause comes after the first directory, which the other call changes.
    expect((await searching.view.glob('**')).paths).toEqual(paths);
    expect(clock.pauses).toBeGreaterThan(1);
    expect(searching.conflicts()).toEqual(['glob **']);
    const next = filesystem.fork();
    expect((await next.view.glob('d0/*')).paths).toContain('d0/new.txt');
    expect(next.conflicts()).toEqual([]);
  });

  it('returns the result from before or after a call that changes entries it has not reached', async () => {
    const clock = pausingClock();
    const filesystem = await make(manyFiles, clock);
    const [searching, other] = [filesystem.fork(), filesystem.fork()];
    await other.view.remove('d9', { recursive: true });
    await other.view.write('d8/new.txt', 'line new\n');
    reset(clock);
    clock.onPause = async () => {
      if (clock.pauses === 1) filesystem.apply(other.patch());
    };
    const { paths: found } = await searching.view.glob('**');
    const after = (await filesystem.glob('**')).paths;
    const conflicts = searching.conflicts();
    expect(conflicts.length > 0 || JSON.stringify(found) === JSON.stringify(after)).toBe(true);
  });
});

describe('what a search finds', () => {
  const name = fc.constantFrom('a', 'b', 'ab', 'a.b', 'B');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
  const content = fc
    .array(fc.constantFrom('ab', 'b', '', 'aab', 'x'), { maxLength: 5 })
    .map((l) => l.join('\n'));
  const pattern = fc.constantFrom('**', '*', 'a/**', '**/a', '*/*', '{a,b}/*', 'a/b', '**/@(a|b).b', 'ab/*');

  it('is what looking at every file one after the other finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(path, content, { maxKeys: 12 }),
        pattern,
        fc.constantFrom('a', '^a', 'b$', '^$', 'ab'),
        fc.constantFrom('.', 'a'),
        fc.integer({ min: 1, max: 6 }),
        async (wanted, glob, expression, from, limit) => {
          const filesystem = new MemoryFilesystem({ clock: pausingClock(20) });
          const files = new Map<string, string>();
          for (const [file, text] of Object.entries(wanted)) {
            // A file may be where another has its directory.
            await filesystem.write(file, text).then(
              () => files.set(file, text),
              () => undefined,
            );
          }
          fc.pre(from === '.' || [...files.keys()].some((file) => file.startsWith(`${from}/`)));
          const below = [...files.keys()]
            .filter((file) => from === '.' || file.startsWith(`${from}/`))
            .filter((file) => compileGlob(glob).test(from === '.' ? file : file.slice(from.length + 1)))
            .toSorted();
          expect(await filesystem.glob(glob, { path: from, limit })).toEqual({
            paths: below.slice(0, limit),
            truncated: below.length > limit,
          });
          const test = await compileGrep({ pattern: expression });
          const lines = below.flatMap((file) =>
            [...test.matchingLines(files.get(file) ?? '')].flatMap((match) =>
              match === undefined ? [] : [{ path: file, line: match.line, text: match.text }],
            ),
          );
          const options = { path: from, glob: glob.includes('/') ? glob : `./${glob}`, limit };
          expect(await filesystem.grep(expression, options)).toEqual({
            matches: lines.slice(0, limit),
            truncated: lines.length > limit,
            skippedBinary: 0,
          });
        },
      ),
    );
  });
});
