import { describe, expect, it } from 'vitest';
import {
  binding,
  defineAgent,
  Filesystem,
  filesExistCompletion,
  MemoryFilesystem,
  promptTemplate,
  section,
} from 'weakincentives';
import { openStagedFolder, type ReadFolderOptions, readFolder } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { createVfsTools } from '../../../src/suite/vfs/vfs-tools.ts';
import { runTool } from '../suite/run-tool.ts';
import { openHost, testFolders } from './host-filesystem/host-workspace.ts';
import { tempFolder } from './temp-folder.ts';

const vfsTools = createVfsTools();

const secretFiles: Files = { 'a.txt': 'x', 'b/app.env': 'secret', 'b/key.pem': 'secret' };
/** Names that are patterns, each beside one that the pattern matches. */
const namedFiles: Files = {
  'app/[slug]/page.tsx': 'x',
  'app/s/page.tsx': 'x',
  'app/{a,b}.tsx': 'x',
  'app/a.tsx': 'x',
  'app/@(modal)/page.tsx': 'x',
  'app/modal/page.tsx': 'x',
};
const secrets = '**/*.@(env|pem)';
const template = promptTemplate({
  ns: 'tests',
  key: 'patterns',
  sections: [section({ title: 'Task', key: 'task', template: () => 'Do it.' })],
});

async function globTool(filesystem: Filesystem, pattern: string): Promise<readonly string[]> {
  const answer = await runTool(vfsTools.glob, filesystem, { pattern });
  if (!answer.success) throw new Error(answer.message);
  return answer.text.split('\n');
}

async function grepTool(filesystem: Filesystem, glob: string): Promise<readonly string[]> {
  const answer = await runTool(vfsTools.grep, filesystem, { pattern: '.', glob });
  if (!answer.success) throw new Error(answer.message);
  return answer.text.split('\n').map((line) => line.slice(0, line.indexOf(':')));
}

async function hostPaths(
  files: Files,
  options: { exclude?: string[]; include?: string[] },
): Promise<readonly string[]> {
  const filesystem = await openHost({ ...testFolders(files), ...options });
  return (await filesystem.glob('**')).paths;
}

async function filesystemOf(
  hostPath: string,
  options: Omit<ReadFolderOptions, 'hostPath' | 'allowedRoots'> = {},
): Promise<MemoryFilesystem> {
  const mount = await readFolder({ hostPath, allowedRoots: [hostPath], ...options });
  return new MemoryFilesystem({ files: mount.files });
}

async function mountedPaths(
  files: Files,
  options: { exclude?: string[]; include?: string[] },
): Promise<readonly string[]> {
  const filesystem = await filesystemOf(tempFolder(files), options);
  return (await filesystem.glob('**')).paths;
}

type Files = Readonly<Record<string, string>>;

/** Everything that takes a pattern: which files are left with this one. */
const takers: readonly (readonly [
  string,
  (pattern: string, files: Files) => Promise<readonly string[]>,
  'left' | 'found',
])[] = [
  ['exclude of a mounted folder', (exclude, files) => mountedPaths(files, { exclude: [exclude] }), 'left'],
  ['include of a mounted folder', (include, files) => mountedPaths(files, { include: [include] }), 'found'],
  ['exclude of a host file system', (exclude, files) => hostPaths(files, { exclude: [exclude] }), 'left'],
  ['include of a host file system', (include, files) => hostPaths(files, { include: [include] }), 'found'],
  [
    'exclude of a staged folder',
    async (exclude, files) => {
      await using staged = await openStagedFolder(new MemoryFilesystem({ files }), { exclude: [exclude] });
      return (await (await filesystemOf(staged.path)).glob('**')).paths;
    },
    'left',
  ],
  ['the tool glob', (pattern, files) => globTool(new MemoryFilesystem({ files }), pattern), 'found'],
  ['the tool grep', (pattern, files) => grepTool(new MemoryFilesystem({ files }), pattern), 'found'],
];

describe.each(takers)('%s', (name, take, kind) => {
  it('takes groups and classes', async () => {
    const expected = kind === 'left' ? ['a.txt'] : ['b/app.env', 'b/key.pem'];
    for (const pattern of [secrets, '**/*.[[:alpha:]][!x]?(m|v)', 'b/{app,key}.+([[:lower:]])']) {
      expect(await take(pattern, secretFiles)).toEqual(expected);
    }
  });

  it.each([
    ['app/[slug]/page.tsx', ['app/[slug]/page.tsx'], ['app/s/page.tsx']],
    ['/app/[slug]/page.tsx', ['app/[slug]/page.tsx'], ['app/s/page.tsx']],
    ['app/[slug]/*', ['app/[slug]/page.tsx'], ['app/s/page.tsx']],
    ['app/[slug]/**', ['app/[slug]/page.tsx'], ['app/s/page.tsx']],
    ['app/{a,b}.tsx', ['app/{a,b}.tsx'], ['app/a.tsx']],
    ['app/@(modal)/page.tsx', ['app/@(modal)/page.tsx'], ['app/modal/page.tsx']],
    ['**/[slug]/page.tsx', ['app/[slug]/page.tsx', 'app/s/page.tsx'], []],
    ['app/[xyz]/page.tsx', [], []],
  ] as const)('takes %s for the path that exists', async (pattern, named, matching) => {
    const isTool = name.startsWith('the tool');
    // What is excluded must not depend on what an agent may create.
    const found: readonly string[] = isTool ? named : [...named, ...matching];
    const all = Object.keys(namedFiles).toSorted();
    if (isTool && found.length === 0) return expect((await take(pattern, namedFiles))[0]).toBe('');
    expect(await take(pattern, namedFiles)).toEqual(
      kind === 'left' ? all.filter((path) => !found.includes(path)) : [...found].toSorted(),
    );
  });

  it('refuses what it cannot take, and never takes it as it is', async () => {
    await expect(take('**/!(*.env)', secretFiles)).rejects.toThrow(/"!\(", which is not supported/);
    await expect(take('!**/*.env', secretFiles)).rejects.toThrow(/starts with "!"/);
    await expect(take('**/*.{env', secretFiles)).rejects.toThrow(/"\{" without "\}"/);
  });
});

describe('glob patterns in options', () => {
  const evaluate = async (fileCreated: string): Promise<unknown> =>
    await scriptedAdapter([{ text: 'Done.' }]).evaluate(
      template.bind({}, { resources: [binding(Filesystem, { instance: new MemoryFilesystem() })] }),
      {
        feedback: [{ name: 'created', triggers: { fileCreated }, provide: () => ({ message: 'A file.' }) }],
      },
    );

  it('refuses a pattern at once', async () => {
    expect(() => filesExistCompletion({ paths: ['!(a)'] })).toThrow(/"!\(", which is not supported/);
    expect(() => defineAgent({ template, workspace: { include: ['!(a)'] } })).toThrow(/unusable glob/);
    await expect(evaluate('!(a)')).rejects.toThrow(/"!\(", which is not supported/);
    await evaluate(secrets);
  });
});
