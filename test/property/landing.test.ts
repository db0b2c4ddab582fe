import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Filesystem, FilesystemError } from 'weakincentives';
import { type HostFilesystem, openHostFilesystem } from 'weakincentives/node';
import type { LandableChange, LandingReport } from '../../src/core/filesystem/index.ts';
import { draws } from '../support/draws.ts';
import { landableChanges } from '../support/landable-changes.ts';
import { removeTestFolder } from '../support/ordinary-user.ts';
import { rawTree } from '../support/raw-tree.ts';

/** Each run makes three folders on the disk. */

const files = ['a/x', 'a/b/y', 'c/z', 'run.sh', 'top'];
const links = { 'to-top': 'top', 'a/up': '../top', 'c/folder': '../a', dangling: 'nowhere' };
const paths = [...files, ...Object.keys(links), 'a', 'a/b', 'c', 'n', 'n/m', 'a/n', 'c/n'];

type Operation =
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly to: string }
  | { readonly op: 'remove' | 'mkdir'; readonly path: string }
  | { readonly op: 'write'; readonly path: string; readonly text: string };

const path = fc.constantFrom(...paths);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), from: path, to: path }),
  fc.record({ op: fc.constantFrom('remove' as const, 'mkdir' as const), path }),
  fc.record({ op: fc.constant('write' as const), path, text: fc.constantFrom('one', 'two', 'a/x') }),
);

function build(root: string): void {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), file);
  }
  chmodSync(join(root, 'run.sh'), 0o755);
  mkdirSync(join(root, 'a/empty'));
  for (const [link, text] of Object.entries(links)) symlinkSync(text, join(root, link));
}

async function act(view: Filesystem, one: Operation): Promise<void> {
  try {
    if ('from' in one) await view[one.op](one.from, one.to);
    else if (one.op === 'remove') await view.remove(one.path, { recursive: true });
    else if (one.op === 'mkdir') await view.mkdir(one.path);
    else if ('text' in one) await view.write(one.path, one.text);
  } catch (error) {
    if (!FilesystemError.isInstance(error)) throw error;
  }
}

/** Kind, permissions and content of everything in a folder. */
function treeOf(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...rawTree(root)].map(([at, { kind, content }]) => {
      const mode = kind === 'link' ? '' : (lstatSync(join(root, at)).mode & 0o7777).toString(8);
      return [at, `${kind} ${mode} ${kind === 'link' ? readlinkSync(join(root, at)) : content}`];
    }),
  );
}

function land(filesystem: HostFilesystem, changes: readonly LandableChange[]): LandingReport {
  const report = filesystem['~land']?.(changes);
  if (report === undefined) throw new Error('the file system lands nothing');
  return report;
}

it('a recorded commit is done again as it was done, and doing it once more changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 1, maxLength: 8 }),
      fc.option(fc.constantFrom('a/x', 'run.sh', 'a/b/new', 'n', 'c/n')),
      async (operations, disturbed) => {
        const base = mkdtempSync(join(tmpdir(), 'landing-'));
        const [done, undone] = [join(base, 'done'), join(base, 'undone')];
        mkdirSync(done);
        build(done);
        cpSync(done, undone, { recursive: true, verbatimSymlinks: true });
        const stateDirectory = join(base, 'state');
        const first = await openHostFilesystem({ root: done, stateDirectory });
        const second = await openHostFilesystem({ root: undone, stateDirectory });
        try {
          const fork = first.fork();
          for (const one of operations) await act(fork.view, one);
          const changes = landableChanges(fork.changes());
          first.apply(fork.patch());
          fork.dispose();
          const after = treeOf(done);
          expect(land(first, changes)).toMatchObject({ landed: [], outside: [] });
          expect(treeOf(done)).toEqual(after);
          if (disturbed !== null) {
            // Another process has written something: it stays, and is named if the commit is about it.
            rmSync(join(undone, disturbed), { recursive: true, force: true });
            writeFileSync(join(undone, disturbed), 'theirs');
            const report = land(second, changes);
            const isOwn = changes.some(({ path: at }) => at === disturbed);
            if (isOwn) expect(report.outside).toContain(disturbed);
            expect(treeOf(undone)[disturbed]).toContain(Buffer.from('theirs').toString('hex'));
            return;
          }
          const report = land(second, changes);
          expect(report.outside).toEqual([]);
          expect(treeOf(undone)).toEqual(after);
          expect(land(second, changes)).toMatchObject({ landed: [], outside: [] });
          expect(treeOf(undone)).toEqual(after);
        } finally {
          await first[Symbol.asyncDispose]();
          await second[Symbol.asyncDispose]();
          removeTestFolder(base);
        }
      },
    ),
    { numRuns: draws(100) },
  );
});
