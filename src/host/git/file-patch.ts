import { linesOf, readBlob } from './blobs.ts';
import { plainPatchOptions } from './commits.ts';
import type { FileChangeEntry } from './file-changes.ts';
import { GitRefusal } from './git-error.ts';
import type { PrivateRepository } from './private-repository.ts';

/**
 * The lines that a change removes and adds, as hunks of a unified diff, or a phrase in brackets where there are none to show.
 *
 * Versions are compared by the ids of their contents and never by path, so that no pattern and no directory in the place of a file can bring in
 * another file.
 */
export async function filePatch(repository: PrivateRepository, change: FileChangeEntry): Promise<string> {
  try {
    return await patchOf(repository, change);
  } catch (error) {
    // One missing or damaged object says nothing about the other files; the time limit ends with the next one.
    if (error instanceof GitRefusal) return `[${error.message}]`;
    throw error;
  }
}

async function patchOf(repository: PrivateRepository, { before, after }: FileChangeEntry): Promise<string> {
  const modes =
    before === undefined || after === undefined || before.mode === after.mode
      ? []
      : [`[mode ${before.mode} before, ${after.mode} now]`];
  if (before?.id === after?.id) return modes.join('\n');
  const [old, now] = [
    before === undefined ? undefined : await readBlob(repository, before),
    after === undefined ? undefined : await readBlob(repository, after),
  ];
  if (old?.kind === 'note' || now?.kind === 'note') {
    const describe = (content: typeof old): string =>
      content === undefined ? 'nothing' : content.kind === 'note' ? content.note : 'text';
    return [...modes, `[before: ${describe(old)}; now: ${describe(now)}]`].join('\n');
  }
  if (old === undefined || now === undefined || before === undefined || after === undefined) {
    const lines = linesOf(old?.text ?? now?.text ?? '');
    const sign = old === undefined ? '+' : '-';
    const range = `${lines.length === 0 ? 0 : 1},${lines.length}`;
    const header = old === undefined ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`;
    return lines.length === 0 ? '[empty]' : [header, ...lines.map((line) => `${sign}${line}`)].join('\n');
  }
  const { stdout } = await repository.run([
    'diff',
    ...plainPatchOptions,
    '--unified=3',
    before.id,
    after.id,
    '--',
  ]);
  const text = stdout.toString('utf8');
  // The header names the ids in place of paths.
  const start = text.indexOf('\n@@');
  return [...modes, ...(start < 0 ? [] : [text.slice(start + 1).trimEnd()])].join('\n');
}
