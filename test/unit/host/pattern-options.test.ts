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

const files = { 'a.txt': 'x', 'b/app.env': 'secret', 'b/key.pem': 'secret' };
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

async function hostPaths(options: { exclude?: string[]; include?: string[] }): Promise<readonly string[]> {
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

async function mountedPaths(options: { exclude?: string[]; include?: string[] }): Promise<readonly string[]> {
  const filesystem = await filesystemOf(tempFolder(files), options);
  return (await filesystem.glob('**')).paths;
}

/** Everything that takes a pattern: which files are left with this one. */
const takers: readonly (readonly [
  string,
  (pattern: string) => Promise<readonly string[]>,
  'left' | 'found',
])[] = [
  ['exclude of a mounted folder', (exclude) => mountedPaths({ exclude: [exclude] }), 'left'],
  ['include of a mounted folder', (include) => mountedPaths({ include: [include] }), 'found'],
  ['exclude of a host file system', (exclude) => hostPaths({ exclude: [exclude] }), 'left'],
  ['include of a host file system', (include) => hostPaths({ include: [include] }), 'found'],
  [
    'exclude of a staged folder',
    async (exclude) => {
      await using staged = await openStagedFolder(new MemoryFilesystem({ files }), { exclude: [exclude] });
      return (await (await filesystemOf(staged.path)).glob('**')).paths;
    },
    'left',
  ],
  ['the tool glob', (pattern) => globTool(new MemoryFilesystem({ files }), pattern), 'found'],
  ['the tool grep', (pattern) => grepTool(new MemoryFilesystem({ files }), pattern), 'found'],
];

describe.each(takers)('%s', (_name, take, kind) => {
  it('takes groups and classes', async () => {
    const expected = kind === 'left' ? ['a.txt'] : ['b/app.env', 'b/key.pem'];
    for (const pattern of [secrets, '**/*.[[:alpha:]][!x]?(m|v)', 'b/{app,key}.+([[:lower:]])']) {
      expect(await take(pattern)).toEqual(expected);
    }
  });

  it('refuses what it cannot take, and never takes it as it is', async () => {
    await expect(take('**/!(*.env)')).rejects.toThrow(/"!\(", which is not supported/);
    await expect(take('!**/*.env')).rejects.toThrow(/starts with "!"/);
    await expect(take('**/*.{env')).rejects.toThrow(/"\{" without "\}"/);
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
