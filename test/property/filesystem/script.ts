import fc from 'fast-check';
import { type Filesystem, FilesystemError, type FilesystemSnapshot, MemoryFilesystem } from 'weakincentives';
import { describeError } from '../../../src/core/error/index.ts';
import type { FilesystemFork } from '../../../src/core/filesystem/index.ts';

/** One thing that a call does with its files. */
export type Step =
  | {
      readonly do: 'write';
      readonly path: string;
      readonly data: string;
      readonly mode: 'create' | 'overwrite' | 'append';
    }
  | { readonly do: 'edit'; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly do: 'read' | 'readBytes' | 'stat' | 'list' | 'mkdir'; readonly path: string }
  | { readonly do: 'remove'; readonly path: string; readonly recursive: boolean }
  | { readonly do: 'move' | 'copy'; readonly path: string; readonly to: string }
  | {
      readonly do: 'glob';
      readonly path: string;
      readonly pattern: string;
      readonly limit: number;
      readonly respectGitignore: boolean;
    }
  | {
      readonly do: 'grep';
      readonly path: string;
      readonly pattern: string;
      readonly glob: string | undefined;
      readonly respectGitignore: boolean;
    }
  | { readonly do: 'changes' | 'changesBefore' | 'readPaths' | 'diffSinceStart' | 'restoreStart' }
  | { readonly do: 'nested'; readonly steps: readonly Step[]; readonly commits: boolean };

/** A call: its steps, and whether its patch is kept. */
export interface Call {
  readonly steps: readonly Step[];
  readonly succeeds: boolean;
}

const name = fc.constantFrom('a', 'b', 'c.ts');
/** Few short paths, so that calls meet each other; some wrong ones. */
export const path: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')) },
  { weight: 1, arbitrary: fc.constantFrom('.', '/a/./b', 'a/../b', '../a', 'a//b') },
);
const data = fc.constantFrom('', 'x', 'y\n', 'xy', 'x\r\ny\r\n', 'a much longer text', '\0\u0001');
const plainStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    path,
    data,
    mode: fc.constantFrom('create', 'overwrite', 'append'),
  }),
  fc.record({ do: fc.constant('write' as const), path, data, mode: fc.constant('overwrite' as const) }),
  fc.record({
    do: fc.constant('edit' as const),
    path,
    oldText: fc.constantFrom('x', 'y', '\n'),
    newText: data,
  }),
  fc.record({ do: fc.constantFrom('read', 'readBytes', 'stat', 'list', 'mkdir'), path }),
  fc.record({ do: fc.constant('remove' as const), path, recursive: fc.boolean() }),
  // A directory with one file, and that file: so that directories become empty, or do not.
  fc.record({
    do: fc.constant('remove' as const),
    path: fc.constantFrom('a/b', 'a/b/c.ts'),
    recursive: fc.constant(false),
  }),
  fc.record({ do: fc.constantFrom('move', 'copy'), path, to: path }),
  fc.record({
    do: fc.constant('glob' as const),
    path: fc.oneof(fc.constant('.'), path),
    pattern: fc.constantFrom('**', '*', '**/*.ts', 'a/*', '{a,b}/**'),
    limit: fc.constantFrom(2, 99),
    respectGitignore: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('grep' as const),
    path: fc.oneof(fc.constant('.'), path),
    pattern: fc.constantFrom('x', '^y$', '.'),
    glob: fc.constantFrom(undefined, '*.ts', 'a/**'),
    respectGitignore: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('write' as const),
    path: fc.constantFrom('.gitignore', 'a/.gitignore'),
    data: fc.constantFrom('', 'b\n', 'a/*\n!c.ts\n', '*.ts\nb/\n'),
    mode: fc.constant('overwrite' as const),
  }),
  fc.record({ do: fc.constantFrom('changes', 'changesBefore', 'readPaths', 'diffSinceStart') }),
);
const rareStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('nested' as const),
    steps: fc.array(plainStep, { minLength: 1, maxLength: 3 }),
    commits: fc.boolean(),
  }),
  fc.record({ do: fc.constant('restoreStart' as const) }),
);
const anyStep = fc.oneof({ weight: 12, arbitrary: plainStep }, { weight: 1, arbitrary: rareStep });

/** Calls that mostly succeed: a failed one changes nothing, so that less is seen of it. */
export const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    steps: fc.array(anyStep, { minLength: 1, maxLength: 4 }),
    succeeds: fc.integer({ min: 0, max: 4 }).map((number) => number > 0),
  }),
  { minLength: 2, maxLength: 4 },
);

const tightPath = fc.constantFrom('a', 'a/b', 'a/b/c.ts', 'a/c.ts');
const tightStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    path: tightPath,
    data: fc.constant('x'),
    mode: fc.constant('overwrite' as const),
  }),
  fc.record({ do: fc.constantFrom('mkdir', 'stat', 'list'), path: tightPath }),
  fc.record({ do: fc.constant('remove' as const), path: tightPath, recursive: fc.boolean() }),
  fc.record({ do: fc.constantFrom('move', 'copy'), path: tightPath, to: tightPath }),
);
const tightSteps = (arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> =>
  fc.array(arbitrary, { minLength: 1, maxLength: 3 });

/** Calls that make, move and remove the same few files and directories: what one leaves behind is what another needs. */
export const tightCalls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    steps: tightSteps(
      fc.oneof(
        { weight: 9, arbitrary: tightStep },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constant('nested' as const),
            steps: tightSteps(tightStep),
            commits: fc.constant(true),
          }),
        },
      ),
    ),
    succeeds: fc.constant(true),
  }),
  { minLength: 2, maxLength: 3 },
);

/** What a handler sees of an outcome: everything, as text. */
async function observe(action: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await action()) ?? 'undefined';
  } catch (error) {
    const code = FilesystemError.isInstance(error) ? error.code : 'other';
    return `${code}: ${describeError(error)} ${JSON.stringify(FilesystemError.isInstance(error) ? error.details : {})}`;
  }
}

async function runPlain(
  fork: FilesystemFork,
  step: Exclude<Step, { do: 'nested' }>,
  start: FilesystemSnapshot,
): Promise<unknown> {
  const { view } = fork;
  switch (step.do) {
    case 'write':
      return view.write(step.path, step.data, { mode: step.mode });
    case 'edit':
      return view.edit(step.path, [{ oldText: step.oldText, newText: step.newText, replaceAll: true }]);
    case 'read':
      return view.read(step.path, { limit: 1 });
    case 'readBytes':
      return [...(await view.readBytes(step.path))];
    case 'stat':
      return view.stat(step.path);
    case 'list':
      return view.list(step.path);
    case 'mkdir':
      return view.mkdir(step.path);
    case 'remove':
      return view.remove(step.path, { recursive: step.recursive });
    case 'move':
      return view.move(step.path, step.to);
    case 'copy':
      return view.copy(step.path, step.to);
    case 'glob':
      return view.glob(step.pattern, {
        path: step.path,
        limit: step.limit,
        respectGitignore: step.respectGitignore,
      });
    case 'grep':
      return view.grep(step.pattern, {
        path: step.path,
        respectGitignore: step.respectGitignore,
        ...(step.glob === undefined ? {} : { glob: step.glob }),
      });
    case 'changes':
      return fork
        .changes()
        .map(({ path: changed, kind, entry, after }) => [changed, kind, entry, after?.text()]);
    case 'changesBefore':
      return fork.changes().map(({ path: changed, before }) => [changed, before?.bytes]);
    case 'readPaths':
      return fork.readPaths();
    case 'diffSinceStart':
      return MemoryFilesystem.diff(start, await view.snapshot()).map(({ path: changed, before }) => [
        changed,
        before?.text(),
      ]);
    case 'restoreStart':
      return view.restore(start);
  }
}

/** Runs steps on a fork; returns what each of them showed. */
export async function runSteps(
  fork: FilesystemFork,
  steps: readonly Step[],
  tick: () => void,
): Promise<readonly string[]> {
  const start = await fork.view.snapshot();
  const seen: string[] = [];
  for (const step of steps) {
    tick();
    if (step.do === 'nested') {
      const nested = fork.fork();
      seen.push(...(await runSteps(nested, step.steps, tick)));
      if (step.commits) seen.push(await observe(() => fork.view.apply(nested.patch())));
      nested.dispose();
    } else seen.push(await observe(() => runPlain(fork, step, start)));
  }
  return seen;
}

/** Every file and directory of a file system, with content. */
export async function manifest(filesystem: Filesystem): Promise<readonly string[]> {
  const lines: string[] = [];
  const walk = async (directory: string): Promise<void> => {
    for (const entry of await filesystem.list(directory)) {
      if (entry.kind === 'directory') {
        lines.push(`${entry.path}/`);
        await walk(entry.path);
      } else {
        const time = (await filesystem.stat(entry.path))?.modifiedAtMs;
        lines.push(`${entry.path} ${time} ${[...(await filesystem.readBytes(entry.path))]}`);
      }
    }
  };
  await walk('.');
  return lines;
}
