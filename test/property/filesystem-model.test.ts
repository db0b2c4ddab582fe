import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Filesystem, FilesystemError, type FilesystemSnapshot, MemoryFilesystem } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import type { FilePatch, FilesystemFork } from '../../src/core/filesystem/index.ts';
import { draws } from '../support/draws.ts';
import { FileModel, type ModelOutcome } from './filesystem/file-model.ts';

/** A file system whose commit happens in one synchronous step. */
interface View extends Filesystem {
  fork(): Fork;
  apply(patch: FilePatch): void;
}

interface Fork extends FilesystemFork {
  readonly view: View;
  conflicts(): readonly string[];
}

/** One operation, on the file system and on its model. */
interface Operation {
  readonly label: string;
  readonly onView: (view: View) => Promise<ModelOutcome>;
  readonly onModel: (model: FileModel) => ModelOutcome;
}

type Step =
  | { readonly kind: 'operation'; readonly operation: Operation }
  | { readonly kind: 'fork' | 'commit' | 'discard' | 'snapshot' }
  | { readonly kind: 'restore'; readonly pick: number };

const path = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd.ts'), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'));
const directory = fc.oneof(fc.constant('.'), path);
const text = fc.constantFrom('', 'one', 'two\n', 'three and more');

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(path, text, fc.constantFrom('create' as const, 'overwrite' as const, 'append' as const))
      .map(([to, data, mode]) => ({
        label: `write ${to} ${mode}`,
        onView: async (view: View) => {
          const { created, bytes } = await view.write(to, data, { mode });
          return `${created ? 'created' : 'wrote'} ${bytes}`;
        },
        onModel: (model: FileModel) => model.write(to, data, mode),
      })),
  },
  path.map((from) => ({
    label: `read ${from}`,
    onView: async (view: View) => `text ${(await view.read(from)).text}`,
    onModel: (model: FileModel) => model.read(from),
  })),
  directory.map((at) => ({
    label: `stat ${at}`,
    onView: async (view: View) => (await view.stat(at))?.kind ?? 'absent',
    onModel: (model: FileModel) => model.kind(at),
  })),
  directory.map((at) => ({
    label: `list ${at}`,
    onView: async (view: View) => (await view.list(at)).map(({ name }) => name).join(' '),
    onModel: (model: FileModel) => model.list(at),
  })),
  path.map((at) => ({
    label: `mkdir ${at}`,
    onView: async (view: View) => ((await view.mkdir(at)).created ? 'created' : 'exists'),
    onModel: (model: FileModel) => model.mkdir(at),
  })),
  fc.tuple(directory, fc.boolean()).map(([at, recursive]) => ({
    label: `remove ${at} ${recursive}`,
    onView: async (view: View) => {
      const { files, directories } = await view.remove(at, { recursive });
      return `${files} ${directories}`;
    },
    onModel: (model: FileModel) => model.remove(at, recursive),
  })),
  {
    weight: 2,
    arbitrary: fc
      .tuple(directory, path, fc.constantFrom('move' as const, 'copy' as const))
      .map(([from, to, action]) => ({
        label: `${action} ${from} ${to}`,
        onView: async (view: View) => {
          await view[action](from, to);
          return 'done';
        },
        onModel: (model: FileModel) => model.transfer(from, to, action),
      })),
  },
  fc.constantFrom('', '.ts', 'a').map((suffix) => ({
    label: `glob **/*${suffix}`,
    onView: async (view: View) => (await view.glob(`**/*${suffix}`)).paths.join(' '),
    onModel: (model: FileModel) => model.filesEndingWith(suffix),
  })),
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: operation.map((each) => ({ kind: 'operation' as const, operation: each })) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('fork', 'snapshot') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('commit', 'discard') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), pick: fc.nat(20) }) },
);

/** The file system and its open forks, the innermost last; each with its model. */
interface Level {
  readonly view: View;
  readonly fork: Fork | undefined;
  readonly model: FileModel;
  readonly snapshots: { readonly snapshot: FilesystemSnapshot; readonly entries: FileModel['entries'] }[];
}

async function outcomeOf(onView: Operation['onView'], view: View): Promise<ModelOutcome> {
  try {
    return await onView(view);
  } catch (error) {
    if (FilesystemError.isInstance(error)) return error.code;
    throw error;
  }
}

/** Every path with its text; directories end with a slash. */
async function contentOf(view: View): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (at: string): Promise<void> => {
    for (const { path: each, kind } of await view.list(at)) {
      found.push(kind === 'directory' ? `${each}/` : `${each} ${(await view.read(each)).text}`);
      if (kind === 'directory') await walk(each);
    }
  };
  await walk('.');
  return found.sort();
}

function expectedContent(entries: FileModel['entries']): readonly string[] {
  return [...entries].map(([each, data]) => (data === undefined ? `${each}/` : `${each} ${data}`)).sort();
}

function endFork(levels: Level[], isKept: boolean): void {
  const inner = levels.at(-1);
  const outer = levels.at(-2);
  if (inner?.fork === undefined || outer === undefined) return;
  expect(inner.fork.conflicts()).toEqual([]);
  if (isKept) {
    outer.view.apply(inner.fork.patch());
    levels.splice(-2, 2, { ...outer, model: inner.model });
  } else levels.pop();
  inner.fork.dispose();
}

async function takeStep(levels: Level[], step: Step): Promise<void> {
  const level = levels.at(-1);
  if (level === undefined) return;
  const { view, model } = level;
  switch (step.kind) {
    case 'operation': {
      const { label, onView, onModel } = step.operation;
      expect(`${label}: ${await outcomeOf(onView, view)}`).toBe(`${label}: ${onModel(model)}`);
      return;
    }
    case 'fork': {
      const fork = view.fork();
      levels.push({
        view: fork.view,
        fork,
        model: new FileModel(model.entries),
        snapshots: [...level.snapshots],
      });
      return;
    }
    case 'commit':
    case 'discard':
      endFork(levels, step.kind === 'commit');
      return;
    case 'snapshot':
      level.snapshots.push({ snapshot: await view.snapshot(), entries: model.entries });
      return;
    case 'restore': {
      const chosen = level.snapshots[step.pick % Math.max(1, level.snapshots.length)];
      if (chosen === undefined) return;
      await view.restore(chosen.snapshot);
      levels.splice(-1, 1, { ...level, model: new FileModel(chosen.entries) });
    }
  }
}

async function followModel(root: View, steps: readonly Step[]): Promise<void> {
  const levels: Level[] = [{ view: root, fork: undefined, model: new FileModel(), snapshots: [] }];
  for (const each of steps) await takeStep(levels, each);
  for (const { view, model } of levels) expect(await contentOf(view)).toEqual(expectedContent(model.entries));
}

const manySteps = fc.array(anyStep, { minLength: 5, maxLength: 60, size: 'max' });

it('a memory file system does what a map of paths does, through forks, snapshots and restores', async () => {
  await fc.assert(
    fc.asyncProperty(manySteps, (steps) => followModel(new MemoryFilesystem(), steps)),
    { numRuns: draws(400) },
  );
});

it('so does a folder of the disk', async () => {
  await fc.assert(
    fc.asyncProperty(manySteps, async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'host-model-'));
      const root = join(folder, 'root');
      mkdirSync(root);
      const filesystem = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
      try {
        await followModel(filesystem, steps);
      } finally {
        await filesystem[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: draws(80) },
  );
});
