import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { initCommand } from '../../../../src/cli/init/init-command.ts';
import { checkFolder, writeProject } from '../../../../src/cli/init/write-project.ts';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import { fakeEnvironment } from '../support.ts';

/** A folder that does not exist yet. */
function newFolder(name = 'desk'): string {
  return join(mkdtempSync(join(tmpdir(), 'wink-init-')), name);
}

async function init(argv: readonly string[], options: Parameters<typeof fakeEnvironment>[0] = {}) {
  const request = readArguments(['init', ...argv]);
  if (request.kind !== 'init') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment(options);
  const code = await initCommand(request, environment);
  return { code, stdout: environment.stdout.text() };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

const common = [
  '.github/workflows/test.yml',
  '.gitignore',
  'AGENTS.md',
  'README.md',
  'agent.test.ts',
  'agent.ts',
  'package.json',
  'tsconfig.json',
];

describe('wink init', () => {
  it('makes a project without a question where there is no terminal, and says what comes next', async () => {
    const folder = newFolder();
    const { code, stdout } = await init([folder]);
    expect(code).toBe(0);
    expect(filesBelow(folder)).toEqual(common);
    expect(stdout).toBe(
      `Made a project in ${folder}: 8 files of the template "tools".\n\n  cd ${folder}\n  npm install\n  npm start\n`,
    );
  });

  it.each([
    ['tools', []],
    ['files', ['project/package.json', 'project/sum.sh', 'project/test.sh']],
    ['nightly', ['nightly.ts']],
  ])('makes the files of %s, with nothing left to fill in', async (template, own) => {
    for (const manager of ['npm', 'pnpm']) {
      const folder = newFolder();
      await init([folder, '--template', template, '--package-manager', manager]);
      expect(filesBelow(folder)).toEqual([...common, ...own].sort());
      // The expressions of GitHub stay.
      for (const path of filesBelow(folder)) expect(read(folder, path), path).not.toMatch(/(?<!\$)\{\{/);
      expect(read(folder, 'README.md')).toContain(`\`${manager} test\``);
      expect(read(folder, 'AGENTS.md').split('\n').length).toBeLessThan(60);
    }
  });

  it('asks for exactly the versions of this release', async () => {
    const folder = newFolder();
    await init([folder, '--template', 'files']);
    const own = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
    const made = JSON.parse(read(folder, 'package.json'));
    expect(made.dependencies).toEqual({
      'just-bash': own.peerDependencies['just-bash'].slice(1),
      weakincentives: own.version,
      zod: own.devDependencies.zod,
    });
    expect(made.devDependencies).toEqual({
      '@types/node': own.devDependencies['@types/node'],
      typescript: own.devDependencies.typescript,
      vitest: own.devDependencies.vitest,
    });
  });

  it('makes a valid name of the package, and says so', async () => {
    const folder = newFolder('Mein Büro');
    const { stdout } = await init([folder]);
    expect(JSON.parse(read(folder, 'package.json')).name).toBe('mein-buro');
    expect(stdout).toContain(', the package "mein-buro":');
    expect(stdout).toContain(`  cd '${folder}'\n`);
  });

  it('takes the package manager that has started it', async () => {
    const folder = newFolder();
    const variables = { npm_config_user_agent: 'pnpm/10.34.9 npm/? node/v24.21.0 linux x64' };
    const { stdout } = await init([folder], { variables });
    expect(stdout).toContain('  pnpm install\n  pnpm start\n');
    expect(read(folder, '.github/workflows/test.yml')).toContain('pnpm/action-setup');
  });

  it('asks two questions on a terminal, and again after an answer that is none of the choices', async () => {
    const folder = newFolder();
    const questions: string[] = [];
    const answers = ['4', 'nightly', ''];
    const ask = async (question: string) => {
      questions.push(question);
      return answers.shift() ?? '';
    };
    const { stdout } = await init([folder], { ask });
    expect(questions).toEqual([
      'Template:\n  1 tools     tools, a rule, a typed answer\n  2 files     a folder, a shell, a rule about files\n' +
        '  3 nightly   a job that continues after a crash, and waits for answers\n[tools] ',
      '"4" is not one of them: 1 to 3, or a name. [tools] ',
      'Package manager:\n  1 npm\n  2 pnpm\n[npm] ',
    ]);
    expect(stdout).toContain('of the template "nightly"');
    expect(existsSync(join(folder, 'nightly.ts'))).toBe(true);
  });

  it('does not ask for what was said', async () => {
    const folder = newFolder();
    const ask = () => Promise.reject(new Error('It asks.'));
    await init([folder, '--template', 'files', '--package-manager', 'npm'], { ask });
    expect(existsSync(join(folder, 'project/test.sh'))).toBe(true);
  });

  it('leaves nothing when a question is interrupted', async () => {
    const folder = newFolder();
    const ask = () => Promise.reject(new CliInterruption('interrupted', 130));
    await expect(init([folder], { ask })).rejects.toThrow('interrupted');
    expect(existsSync(folder)).toBe(false);
  });

  it('refuses a folder that is not empty before it asks, and takes it with --force', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const ask = () => Promise.reject(new Error('It asks.'));
    await expect(init([folder], { ask })).rejects.toThrow(
      `the folder "${folder}" is not empty (notes.txt): name another one, or add --force`,
    );
    expect(filesBelow(folder)).toEqual(['notes.txt']);
    await init([folder, '--force']);
    expect(filesBelow(folder)).toEqual([...common, 'notes.txt'].sort());
    expect(read(folder, 'notes.txt')).toBe('mine');
  });

  it('takes a new repository for an empty folder', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '.git'), { recursive: true });
    expect(await init([folder])).toMatchObject({ code: 0 });
  });

  it('names the files that are there, also with --force, and writes nothing', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'README.md'), 'mine');
    symlinkSync('/nowhere', join(folder, 'agent.ts'));
    await expect(init([folder, '--force'])).rejects.toThrow(
      `agent.ts, README.md exist in "${folder}", and would be written over: move them`,
    );
    expect(readdirSync(folder).sort()).toEqual(['README.md', 'agent.ts']);
    expect(read(folder, 'README.md')).toBe('mine');
  });

  it('does not follow a link out of the folder', async () => {
    const folder = newFolder();
    const other = newFolder('other');
    mkdirSync(folder);
    mkdirSync(other);
    symlinkSync(other, join(folder, '.github'));
    await expect(init([folder, '--force'])).rejects.toThrow(/^\.github exists in/);
    expect(readdirSync(other)).toEqual([]);
  });

  it('refuses a file in the place of the folder', async () => {
    const folder = newFolder();
    writeFileSync(folder, '');
    await expect(init([folder])).rejects.toThrow('a part of its path is not a directory');
  });

  it.each([
    [
      ['--template', 'tool'],
      '--template is "tool"; it must be tools, files or nightly. Did you mean "tools"?',
    ],
    [['--package-manager', 'yarn'], '--package-manager is "yarn"; it must be npm or pnpm.'],
    [['one', 'two'], 'wink init takes DIR: 1 at most, not 2.'],
  ])('refuses %j', (argv, message) => {
    expect(readArguments(['init', ...argv])).toMatchObject({ kind: 'usage-error', message });
  });
});

describe('writeProject()', () => {
  it('removes what it has written when a file cannot be written', () => {
    const folder = newFolder('a/b');
    const files = new Map([
      ['one/two/first.txt', ''],
      // A file is in the place of a folder.
      ['one/two/first.txt/second.txt', ''],
    ]);
    expect(() => writeProject(folder, files)).toThrow(
      '"one/two/first.txt/second.txt" cannot be written: it exists already. Nothing was made.',
    );
    expect(existsSync(join(folder, '..'))).toBe(false);
  });

  it('does not write over what has come meanwhile', () => {
    const folder = newFolder();
    checkFolder(folder, ['agent.ts'], false, folder);
    mkdirSync(folder);
    writeFileSync(join(folder, 'agent.ts'), 'mine');
    const files = new Map([
      ['.gitignore', ''],
      ['agent.ts', 'ours'],
    ]);
    expect(() => writeProject(folder, files)).toThrow('"agent.ts" cannot be written: it exists already.');
    expect(filesBelow(folder)).toEqual(['agent.ts']);
    expect(read(folder, 'agent.ts')).toBe('mine');
  });
});

describe('create-weakincentives', () => {
  it('has the version of this package, and asks for it', () => {
    const manifestOf = (path: string) =>
      JSON.parse(readFileSync(new URL(`../../../../${path}package.json`, import.meta.url), 'utf8'));
    const { version } = manifestOf('');
    const created = manifestOf('packages/create-weakincentives/');
    expect(created).toMatchObject({ version, dependencies: { weakincentives: version } });
  });
});
