import type { Filesystem, MemoryFilesystem } from 'weakincentives';

/** The conflicts of two forks after another call changed a file: one looked at what it had prepared, one did not. */
export async function applyConcurrently(
  filesystem: MemoryFilesystem,
  prepare: (view: Filesystem) => Promise<{ readonly look: () => unknown }>,
): Promise<{ readonly looked: readonly string[]; readonly notLooked: readonly string[] }> {
  const [looking, other, writing] = [filesystem.fork(), filesystem.fork(), filesystem.fork()];
  const { look } = await prepare(looking.view);
  await prepare(other.view);
  look();
  await writing.view.write('a', 'changed');
  filesystem.apply(writing.patch());
  return { looked: looking.conflicts(), notLooked: other.conflicts() };
}
