import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIgnores } from '../../../../src/core/filesystem/index.ts';
import { createVfsTools } from '../../../../src/suite/vfs/vfs-tools.ts';
import { runTool } from '../../suite/run-tool.ts';
import { openHost, testFolders } from './host-workspace.ts';

const { ls } = createVfsTools({ respectGitignore: true });

describe('ignore files of a folder on disk', () => {
  it('are not followed when they are links, as in Git', async () => {
    const folders = testFolders({ rules: '*\n', 'a/kept.txt': '' });
    symlinkSync('../rules', join(folders.root, 'a/.gitignore'));
    const filesystem = await openHost(folders);
    expect(await filesystem.glob('a/*.txt', { respectGitignore: true })).toMatchObject({
      paths: ['a/kept.txt'],
      ignored: 0,
    });
    expect(await readIgnores(filesystem, 'a')).toEqual({ isIgnored: false, scope: undefined });
  });

  it('name links to directories only without a slash at their end, as in Git', async () => {
    const folders = testFolders({ '.gitignore': 'first/\nsecond\n', 'docs/a.md': '' });
    for (const name of ['first', 'second']) symlinkSync('docs', join(folders.root, name));
    const filesystem = await openHost(folders);
    const listed = await runTool(ls, filesystem, {});
    expect(listed.value).toMatchObject({ total: 3, ignored: 1 });
    expect(listed.text).toContain('first (link to docs/)');
    // A search does not enter a link; the one that is ignored is counted.
    expect(await filesystem.glob('**/*.md', { respectGitignore: true })).toMatchObject({
      paths: ['docs/a.md'],
      ignored: 1,
    });
  });

  it('make a search conflict when another process changes them', async () => {
    const folders = testFolders({ 'src/.gitignore': '*.log\n', 'src/a.log': '', 'src/b.ts': '' });
    const filesystem = await openHost(folders);
    const call = filesystem.fork();
    const { paths } = await call.view.glob('**', { path: 'src', respectGitignore: true });
    expect(paths).toEqual(['src/.gitignore', 'src/b.ts']);
    expect(call.conflicts()).toEqual([]);
    writeFileSync(join(folders.root, 'src/.gitignore'), '*.ts\n');
    expect(call.conflicts()).toContain('grep src/.gitignore');
    call.dispose();
  });
});
