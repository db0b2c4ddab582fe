import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binding, Filesystem, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { expectCode } from '../../../contract/filesystem-setup.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

/** A folder with a link of every kind. */
function foldersWithLinks(): TestFolders {
  const folders = testFolders({ 'docs/a.md': 'alpha\n', 'b.md': 'beta\n', '.secret/key': 'x' });
  const outside = testFolders({ 'out.md': 'alpha outside\n' }).root;
  const links = {
    'to-file': 'docs/a.md',
    'to-folder': 'docs',
    'to-root': '.',
    dangling: 'missing.md',
    circle: 'circle',
    'out-file': join(outside, 'out.md'),
    'out-folder': outside,
    'out-up': '../..',
    'to-pipe': 'pipe',
    'to-secret': '.secret/key',
  };
  for (const [path, text] of Object.entries(links)) symlinkSync(text, join(folders.root, path));
  execFileSync('mkfifo', [join(folders.root, 'pipe')]);
  return folders;
}

const leads = {
  circle: { leads: 'nowhere' },
  dangling: { leads: 'nowhere' },
  'out-file': { leads: 'outside' },
  'out-folder': { leads: 'outside' },
  'out-up': { leads: 'outside' },
  'to-file': { leads: 'file', path: 'docs/a.md' },
  'to-folder': { leads: 'directory', path: 'docs' },
  'to-pipe': { leads: 'other', path: 'pipe' },
  'to-root': { leads: 'directory', path: '.' },
  'to-secret': { leads: 'outside' },
};

describe('links in a folder', () => {
  it('are listed as links, with where they lead', async () => {
    const filesystem = await openHost({ ...foldersWithLinks(), exclude: ['.secret', '.secret/**'] });
    const listed = (await filesystem.list()).filter(({ kind }) => kind === 'link');
    expect(Object.fromEntries(listed.map(({ name, link }) => [name, link]))).toEqual(leads);
    for (const { bytes } of listed) expect(bytes).toBe(0);
    expect((await filesystem.list()).filter(({ link }) => link !== undefined)).toEqual(listed);
    // A fork that changes other things reports the same.
    const fork = filesystem.fork();
    await fork.view.write('new.md', 'x');
    expect((await fork.view.list()).filter(({ kind }) => kind === 'link')).toEqual(listed);
  });

  it('are followed by stat when they lead to something, and are links when they do not', async () => {
    const filesystem = await openHost({ ...foldersWithLinks(), exclude: ['.secret', '.secret/**'] });
    for (const [path, link] of Object.entries(leads)) {
      const found = await filesystem.stat(path);
      expect(found?.link, path).toEqual(link);
      if (link.leads === 'file') expect(found).toMatchObject({ path: 'docs/a.md', kind: 'file', bytes: 6 });
      else if (link.leads === 'directory') expect(found).toMatchObject({ kind: 'directory' });
      else expect(found).toMatchObject({ path, kind: 'link', bytes: 0 });
    }
    expect(await filesystem.stat('docs/a.md')).not.toHaveProperty('link');
    expect(await filesystem.stat('out-folder/out.md')).toBeUndefined();
  });

  it('are named by glob beside the files', async () => {
    const filesystem = await openHost({ ...foldersWithLinks(), exclude: ['.secret', '.secret/**'] });
    const { paths, links } = await filesystem.glob('*');
    for (const path of Object.keys(links ?? {})) expect(paths).toContain(path);
    const { 'to-folder': _folder, 'to-root': _root, ...others } = leads;
    expect({ ...links }).toEqual(others);
    expect(await filesystem.glob('*.md')).not.toHaveProperty('links');
    // A link that leads nowhere does not count as a binary file.
    expect(await filesystem.grep('alpha', { glob: '{dangling,out-file,circle}' })).toMatchObject({
      matches: [],
      skippedBinary: 0,
    });
  });

  it('are a conflict when they are turned elsewhere after a search', async () => {
    const folders = foldersWithLinks();
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.glob('dang*');
    execFileSync('ln', ['-sfn', 'b.md', join(folders.root, 'dangling')]);
    expect(fork.conflicts()).not.toEqual([]);
  });

  it('that lead out are named without where they lead', async () => {
    const folders = foldersWithLinks();
    const filesystem = await openHost(folders);
    for (const path of ['out-file', 'out-folder', 'out-up']) {
      await expect(filesystem.read(path)).rejects.toMatchObject({
        code: 'path-outside-root',
        message: expect.stringContaining('leads out of the workspace'),
        details: { path, link: 'outside' },
      });
    }
    for (const act of [
      () => filesystem.read('out-folder/out.md'),
      () => filesystem.write('out-folder/new.md', 'x'),
      () => filesystem.mkdir('out-folder/new'),
      () => filesystem.move('b.md', 'out-folder/b.md'),
    ]) {
      await expect(act()).rejects.toMatchObject({
        code: 'path-not-directory',
        message: expect.stringContaining('"out-folder" is a symbolic link that leads out of the workspace'),
      });
    }
    expect(JSON.stringify([await filesystem.list(), await filesystem.glob('**')])).not.toContain(
      readlinkSync(join(folders.root, 'out-folder')),
    );
    expect(readdirSync(readlinkSync(join(folders.root, 'out-folder')))).toEqual(['out.md']);
  });

  it('that lead nowhere can be removed and written anew', async () => {
    const folders = foldersWithLinks();
    const filesystem = await openHost(folders);
    await expectCode(filesystem.write('dangling', 'x'), 'path-not-found');
    expect(readlinkSync(join(folders.root, 'dangling'))).toBe('missing.md');
    await filesystem.remove('dangling');
    await filesystem.write('dangling', 'x');
    expect(await filesystem.stat('dangling')).toEqual({
      path: 'dangling',
      kind: 'file',
      bytes: 1,
      modifiedAtMs: expect.any(Number),
    });
  });
});

describe('the file tools', () => {
  /** The results that the model gets, call by call. */
  async function answers(
    folders: TestFolders,
    calls: readonly (readonly [name: string, args: object])[],
  ): Promise<readonly string[]> {
    const filesystem = await openHost({ ...folders, exclude: ['.secret', '.secret/**'] });
    const template = promptTemplate({ ns: 'test', key: 'links', sections: [vfsToolsSection()] });
    const adapter = scriptedAdapter([
      ...calls.map(([name, args]) => ({ toolCalls: [{ name, arguments: args }] })),
      { text: 'done' },
    ]);
    const { conversation } = await adapter.evaluate(
      template.bind({}, { resources: [binding(Filesystem, { instance: filesystem })] }),
    );
    return conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  }

  it('show links as links', async () => {
    const folders = foldersWithLinks();
    const [listing = '', found = '', read = ''] = await answers(folders, [
      ['ls', {}],
      ['glob', { pattern: '{to,dang,out}*' }],
      ['read_file', { file_path: 'to-file' }],
    ]);
    expect(listing.split('\n')).toEqual([
      '. - 2 files, 1 directory, 10 links',
      '',
      'b.md (5 bytes)',
      'circle (link that leads nowhere)',
      'dangling (link that leads nowhere)',
      'docs/',
      'out-file (link that leads out of the workspace)',
      'out-folder (link that leads out of the workspace)',
      'out-up (link that leads out of the workspace)',
      'pipe (0 bytes)',
      'to-file (link to docs/a.md)',
      'to-folder (link to docs/)',
      'to-pipe (link to pipe, which cannot be read)',
      'to-root (link to ./)',
      'to-secret (link that leads out of the workspace)',
    ]);
    expect(found).toContain('to-file (link to docs/a.md)');
    expect(found).toContain('dangling (link that leads nowhere)');
    expect(read).toBe('docs/a.md - lines 1-1 of 1\n\n1 | alpha');
    expect(`${listing}${found}`).not.toContain(readlinkSync(join(folders.root, 'out-folder')));
  });

  it('give advice that can be followed', async () => {
    const folders = foldersWithLinks();
    const results = await answers(folders, [
      ['read_file', { file_path: 'out-file' }],
      ['write_file', { file_path: 'out-file', content: 'x' }],
      ['read_file', { file_path: 'dangling' }],
      ['write_file', { file_path: 'dangling', content: 'x' }],
      ['rm', { path: 'dangling' }],
      ['write_file', { file_path: 'dangling', content: 'x' }],
      ['read_file', { file_path: 'out-folder/out.md' }],
      ['ls', { path: 'out-folder' }],
      ['read_file', { file_path: 'to-folder' }],
    ]);
    for (const index of [0, 1, 6, 7]) {
      expect(results[index]).toContain('leads out of the workspace');
      expect(results[index]).not.toMatch(/\.\.|There is no|[Rr]ead .*first/);
    }
    for (const index of [2, 3]) {
      expect(results[index]).toContain('is a symbolic link that leads nowhere');
      expect(results[index]).toContain('Remove it');
      expect(results[index]).not.toMatch(/There is no|[Rr]ead .*first/);
    }
    expect(results[4]).toContain('Removed dangling');
    expect(results[5]).toBe('Created dangling (1 byte).');
    expect(results[8]).toMatch(/^docs - 1 file, 0 directories/);
    expect(results.join('\n')).not.toContain(readlinkSync(join(folders.root, 'out-folder')));
    mkdirSync(join(folders.root, 'unused'));
  });
});
