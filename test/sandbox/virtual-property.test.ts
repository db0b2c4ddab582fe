import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';
import { virtualSandbox } from 'weakincentives/sandbox';
import { draws } from '../support/draws.ts';

const files = { a: 'one\n', 'd/b': 'two\n', 'd/e/c': 'three\n' };

/** Every entry by path; a directory is null. */
type Tree = Record<string, string | null>;

async function treeOf(filesystem: Filesystem, at = '.', tree: Tree = {}): Promise<Tree> {
  for (const { path, kind } of await filesystem.list(at)) {
    if (kind === 'directory') {
      tree[path] = null;
      await treeOf(filesystem, path, tree);
    } else tree[path] = Buffer.from(await filesystem.readBytes(path)).toString('latin1');
  }
  return tree;
}

function treeOfFolder(root: string): Tree {
  const tree: Tree = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    tree[path.slice(root.length + 1)] = entry.isDirectory() ? null : readFileSync(path, 'latin1');
  }
  return tree;
}

const path = fc.constantFrom(
  'a',
  'd',
  'd/b',
  'd/e',
  'd/e/c',
  'f',
  'd/g',
  'h',
  'h/i',
  "'sp ace'",
  '../workspace/a',
);
const word = fc.constantFrom('x', 'yy', '"z z"', 'é');
/** Commands that fail in the same way everywhere. A redirection into a missing directory is not one of them. */
const command = fc.oneof(
  fc.tuple(path).map(([p]) => `mkdir ${p}`),
  fc.tuple(path).map(([p]) => `mkdir -p ${p}`),
  fc.tuple(word, path).map(([w, p]) => `[ -d "$(dirname ${p})" ] && [ ! -d ${p} ] && echo ${w} >${p}`),
  fc.tuple(word, path).map(([w, p]) => `[ -d "$(dirname ${p})" ] && [ ! -d ${p} ] && echo ${w} >>${p}`),
  fc.tuple(path, path).map(([p, q]) => `[ -f ${p} ] && [ -f ${q} ] && cat ${p} >>new && cat new >${q}`),
  fc.tuple(path, path).map(([p, q]) => `mv ${p} ${q}`),
  fc.tuple(path, path).map(([p, q]) => `cp ${p} ${q}`),
  fc
    .tuple(path, path)
    // A folder copied into itself leaves something else with every `cp`.
    .filter(([p, q]) => p !== q && !q.startsWith(`${p}/`))
    .map(([p, q]) => `[ -d "$(dirname ${q})" ] && cp -r ${p} ${q}`),
  fc.tuple(path).map(([p]) => `rm ${p}`),
  fc.tuple(path).map(([p]) => `rm -rf ${p}`),
  fc.tuple(path).map(([p]) => `rmdir ${p}`),
  fc.tuple(path).map(([p]) => `[ -d "$(dirname ${p})" ] && touch ${p}`),
  fc.tuple(path).map(([p]) => `[ -f ${p} ] && : >${p}`),
  fc.tuple(path).map(([p]) => `[ -f ${p} ] && sed -i s/o/0/ ${p}`),
);

const hasShell = spawnSync('sh', ['-c', 'true']).status === 0;

describe.skipIf(!hasShell)(`the virtual shell${hasShell ? '' : ' (skipped: there is no sh)'}`, () => {
  const backend = virtualSandbox();
  const prepared = backend.prepare();
  afterAll(async () => (await prepared)[Symbol.asyncDispose]());

  it('leaves the files that sh leaves', async () => {
    await prepared;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 12 }), async (commands) => {
        const script = `${commands.join('\n')}\ntrue\n`;
        const outer = mkdtempSync(join(tmpdir(), 'wink-virtual-'));
        const root = join(outer, 'workspace');
        try {
          for (const [name, text] of Object.entries(files)) {
            mkdirSync(dirname(join(root, name)), { recursive: true });
            writeFileSync(join(root, name), text);
          }
          spawnSync('sh', ['-c', script], { cwd: root, input: '' });
          const filesystem = new MemoryFilesystem({ files });
          await using sandbox = await backend.start({ filesystem });
          const { exitCode, stderr } = await sandbox.exec({ command: script });
          expect(exitCode, stderr.text).toBe(0);
          const before = await treeOf(filesystem);
          const report = await sandbox.collect();
          const after = await treeOf(filesystem);
          expect(after).toStrictEqual(treeOfFolder(root));
          // The report is the difference.
          const isFile = (tree: Tree, name: string): boolean => typeof tree[name] === 'string';
          const isSameKind = (name: string): boolean =>
            name in before && name in after && isFile(before, name) === isFile(after, name);
          expect(report.created).toStrictEqual(
            Object.keys(after)
              .filter((name) => !isSameKind(name))
              .sort(),
          );
          expect(report.removed).toStrictEqual(
            Object.keys(before)
              .filter((name) => !isSameKind(name))
              .sort(),
          );
          expect(report.modified).toStrictEqual(
            Object.keys(after)
              .filter((name) => isSameKind(name) && before[name] !== after[name])
              .sort(),
          );
        } finally {
          rmSync(outer, { recursive: true });
        }
      }),
      { numRuns: draws(30), seed: 1 },
    );
  });
});
