import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { type SandboxBackend, SandboxError, shellSection, virtualSandbox } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { doctorCommand } from '../../../../src/cli/doctor/doctor-command.ts';
import type { Finding } from '../../../../src/cli/doctor/finding.ts';
import { findingLines } from '../../../../src/cli/doctor/finding-lines.ts';
import type { Machine, ProgramEnd } from '../../../../src/cli/doctor/machine.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { capturedStream, type FakeEnvironment, fakeEnvironment, ofAgent } from '../support.ts';

const peers = { openai: '^6 || ^7', 'just-bash': '^3.4.2' };

/** Writes the package.json of packages below a new folder, by the folders of the packages. */
function project(packages: Readonly<Record<string, object>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'wink-doctor-'));
  for (const [path, manifest] of Object.entries(packages)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest));
  }
  return folder;
}

/** A project with the package. */
const usual = {
  '.': { dependencies: { weakincentives: '1' } },
  'node_modules/weakincentives': { version: '0.2.0', peerDependencies: peers },
};

function programs(ends: Readonly<Record<string, ProgramEnd>>): Machine['run'] {
  return async (command, args) =>
    ends[[command, ...args].join(' ')] ??
    ends[command] ?? { exitCode: undefined, isFound: false, stdout: '' };
}

const end = (exitCode: number, stdout = ''): ProgramEnd => ({ exitCode, isFound: true, stdout });

/** A machine on which all is well. */
function machineIn(folder: string, more: Partial<Machine> = {}): Machine {
  return {
    nodeVersion: '24.21.0',
    platform: 'linux',
    folder,
    stateFolder: join(folder, 'state'),
    recordsFolder: join(folder, 'records'),
    sqliteVersion: async () => '3.51.3',
    run: programs({ bwrap: end(0, 'bubblewrap 0.8.0\n'), podman: end(0, 'podman version 5.4.2\n') }),
    tryBubblewrap: async () => undefined,
    tryStaging: async () => ({ overlay: true, reflink: false }),
    countRuns: async () => 3,
    load: () => Promise.reject(new Error('It loads.')),
    ...more,
  };
}

interface Asked {
  readonly argv?: readonly string[];
  readonly machine?: Partial<Machine>;
  readonly environment?: Partial<FakeEnvironment>;
}

async function doctor(folder: string, { argv = [], machine, environment }: Asked = {}) {
  const request = readArguments(['doctor', '--json', ...argv]);
  if (request.kind !== 'doctor') throw new Error(JSON.stringify(request));
  const fake = fakeEnvironment({
    version: '0.2.0',
    packageFolder: pathToFileURL(`${folder}/node_modules/weakincentives/`),
    ...environment,
  });
  const code = await doctorCommand(request, fake, machineIn(folder, machine));
  const lines = fake.stdout.text().trimEnd().split('\n');
  const findings = lines.map((line): Finding & { readonly needed: boolean } => JSON.parse(line));
  const of = (subject: string) => findings.find((finding) => finding.subject.startsWith(subject));
  return { code, findings, of, text: fake.stdout.text(), stderr: fake.stderr.text() };
}

/** An agent whose model or sandbox is checked. */
function agentWith(options: {
  readonly adapter?: AnyAgent['adapter'];
  readonly backend?: SandboxBackend;
}): Partial<Machine> {
  const task = section({ title: 'Task', key: 'task', template: 'Work.' });
  const shell = options.backend === undefined ? [] : [shellSection({ backend: options.backend })];
  const template = promptTemplate({ ns: 'test', key: 'checked', sections: [task, ...shell] });
  const adapter = options.adapter ?? scriptedAdapter([]);
  return { load: async () => ofAgent(defineAgent({ template, adapter })) };
}

describe('wink doctor', () => {
  it('finds nothing to repair first on a machine that has what is needed', async () => {
    const { code, stderr, of } = await doctor(project(usual));
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(of('node ')).toMatchObject({ status: 'ok', subject: 'node 24.21.0' });
    expect(of('weakincentives')).toMatchObject({ status: 'ok', about: 'one copy' });
    expect(of('openai')).toEqual({
      status: 'missing',
      subject: 'openai',
      about: '--model openai:NAME',
      repair: 'npm install openai',
      needed: false,
    });
    expect(of('just-bash')).toMatchObject({ repair: 'npm install just-bash@^3.4.2' });
    expect(of('bubblewrap')).toMatchObject({ status: 'ok', subject: 'bubblewrap 0.8.0' });
    expect(of('podman')).toMatchObject({ status: 'ok', subject: 'podman 5.4.2' });
    expect(of('state')).toMatchObject({ status: 'ok', about: 'made when it is needed' });
  });

  it.each([
    ['18.20.0', 'missing', 1],
    ['20.18.3', 'missing', 1],
    ['20.19.0', 'ok', 0],
    ['21.7.0', 'warning', 0],
    ['22.12.0', 'warning', 0],
    ['22.13.0', 'ok', 0],
    ['23.11.0', 'warning', 0],
  ])('finds Node %s: %s', async (nodeVersion, status, expected) => {
    const { code, of, stderr } = await doctor(project(usual), { machine: { nodeVersion } });
    expect(of('node ')?.status).toBe(status);
    expect(code).toBe(expected);
    expect(stderr).toBe(expected === 0 ? '' : `wink: to be repaired first: node ${nodeVersion}.\n`);
  });

  it('finds copies of the package, however deep', async () => {
    const folder = project({
      ...usual,
      '.': { dependencies: { weakincentives: '1', helper: '1' } },
      'node_modules/helper': { version: '1.0.0', dependencies: { weakincentives: '1', zod: '4' } },
      'node_modules/helper/node_modules/weakincentives': { version: '0.1.0' },
      'node_modules/helper/node_modules/zod': { version: '3.25.8' },
      'node_modules/zod': { version: '4.1.0' },
    });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ dependencies: { weakincentives: '1', helper: '1' }, devDependencies: { zod: '4' } }),
    );
    const { code, findings } = await doctor(folder);
    expect(code).toBe(1);
    expect(findings).toContainEqual({
      status: 'warning',
      subject: '2 copies of weakincentives',
      about: expect.stringContaining('0.1.0'),
      repair: 'npm dedupe',
      needed: true,
    });
    expect(findings).toContainEqual({
      status: 'warning',
      subject: '2 copies of zod',
      about: expect.stringContaining('3.25.8'),
      repair: 'npm ls zod',
      needed: false,
    });
  });

  it('takes links to one folder for one copy, and knows pnpm by its lock file', async () => {
    const folder = project({
      '.': { dependencies: { weakincentives: '1', zod: '4', helper: '1' } },
      'store/zod': { version: '4.1.0' },
      'node_modules/weakincentives': { version: '0.2.0', peerDependencies: peers },
      'node_modules/helper': { version: '1.0.0', dependencies: { zod: '4' } },
    });
    writeFileSync(join(folder, 'pnpm-lock.yaml'), '');
    mkdirSync(join(folder, 'node_modules/helper/node_modules'));
    symlinkSync(join(folder, 'store/zod'), join(folder, 'node_modules/zod'));
    symlinkSync(join(folder, 'store/zod'), join(folder, 'node_modules/helper/node_modules/zod'));
    const { of } = await doctor(folder);
    expect(of('2 copies')).toBeUndefined();
    expect(of('openai')?.repair).toBe('pnpm add openai');
  });

  it('finds a package outside of its range', async () => {
    const { of } = await doctor(project({ ...usual, 'node_modules/openai': { version: '5.1.0' } }));
    expect(of('openai')).toMatchObject({
      status: 'warning',
      about: '--model openai:NAME, needs ^6 || ^7',
      repair: 'npm install "openai@^6 || ^7"',
    });
  });

  it('finds the providers of the AI SDK, and which of them are too old', async () => {
    expect((await doctor(project(usual))).of('AI SDK')).toEqual({
      status: 'missing',
      subject: 'AI SDK',
      about: '--model ai-sdk:PACKAGE',
      repair: 'npm install @ai-sdk/google',
      needed: false,
    });
    const dependencies = { '@ai-sdk/provider': '1' };
    const { of } = await doctor(
      project({
        ...usual,
        'node_modules/@ai-sdk/google': { version: '3.0.1', dependencies },
        'node_modules/@ai-sdk/mistral': { version: '2.0.9', dependencies },
        'node_modules/@ai-sdk/react': { version: '3.0.0' },
        'node_modules/@ai-sdk/provider': { version: '3.0.4' },
        'node_modules/@ai-sdk/provider-utils': { version: '4.0.0', dependencies },
        'node_modules/@ai-sdk/mistral/node_modules/@ai-sdk/provider': { version: '2.0.0' },
      }),
    );
    expect(of('@ai-sdk/google')).toMatchObject({ status: 'ok', subject: '@ai-sdk/google 3.0.1' });
    expect(of('@ai-sdk/mistral')).toMatchObject({
      status: 'warning',
      about: 'older than AI SDK 6',
      repair: 'npm install @ai-sdk/mistral@latest',
    });
    expect([of('AI SDK'), of('@ai-sdk/provider'), of('@ai-sdk/react')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    [true, true, 'linux', { status: 'ok', about: 'overlay: yes, reflink: yes' }],
    [false, true, 'darwin', { status: 'ok', about: 'overlay: no, reflink: yes' }],
    [
      false,
      false,
      'linux',
      {
        status: 'warning',
        about: 'overlay: no, reflink: no: staged copies are slower',
        repair: 'set TMPDIR to a folder on XFS or Btrfs',
        needed: false,
      },
    ],
  ])(
    'says how folders are staged: overlay %s, reflink %s, on %s',
    async (overlay, reflink, platform, expected) => {
      const machine = { platform, tryStaging: async () => ({ overlay, reflink }) };
      const { code, of } = await doctor(project(usual), { machine });
      expect(of('staged folders')).toMatchObject(expected);
      expect(code).toBe(0);
    },
  );

  it('says why no folder can be staged', async () => {
    const machine = { tryStaging: () => Promise.reject(new Error('The temporary folder does not exist.')) };
    expect((await doctor(project(usual), { machine })).of('staged folders')).toMatchObject({
      status: 'warning',
      about: 'The temporary folder does not exist',
      repair: 'set TMPDIR to a folder of yours',
    });
  });

  it('names keys that are set, and never prints a value', async () => {
    const secret = 'sk-very-secret';
    const set = await doctor(project(usual), { environment: { variables: { ANTHROPIC_API_KEY: secret } } });
    expect(set.of('keys')).toMatchObject({ status: 'ok', about: 'ANTHROPIC_API_KEY is set' });
    expect(set.text).not.toContain(secret);
    const none = await doctor(project(usual), { environment: { variables: { OPENAI_API_KEY: '' } } });
    expect(none.of('keys')).toMatchObject({ status: 'missing', needed: false });
  });

  it.each([
    ['20.20.2', undefined, undefined, 'node:sqlite', { status: 'missing' }],
    ['20.20.2', undefined, undefined, 'better-sqlite3', { repair: 'npm install better-sqlite3@12' }],
    [
      '20.20.2',
      undefined,
      '13.2.0',
      'better-sqlite3',
      { status: 'warning', repair: 'npm install better-sqlite3@12' },
    ],
    ['20.20.2', undefined, '12.11.1', 'better-sqlite3', { status: 'ok' }],
    [
      '22.13.0',
      '3.51.3',
      '12.4.0',
      'better-sqlite3',
      { status: 'warning', repair: 'npm install better-sqlite3@13' },
    ],
    ['22.13.0', '3.47.1', undefined, 'node:sqlite', { status: 'warning', subject: 'node:sqlite 3.47.1' }],
    ['24.21.0', '3.51.3', '13.2.0', 'better-sqlite3', { status: 'ok' }],
  ])(
    'finds on Node %s with SQLite %s and better-sqlite3 %s: %s',
    async (nodeVersion, sqlite, driver, subject, expected) => {
      const installed = driver === undefined ? {} : { 'node_modules/better-sqlite3': { version: driver } };
      const machine = { nodeVersion, sqliteVersion: async () => sqlite };
      const { code, of } = await doctor(project({ ...usual, ...installed }), { machine });
      expect(of(subject)).toMatchObject(expected);
      expect(code).toBe(0);
    },
  );

  it.each([
    ['no program', {}, undefined, { status: 'missing', repair: 'apt install bubblewrap' }],
    [
      'user namespaces that AppArmor refuses',
      {
        bwrap: end(0, 'bubblewrap 0.8.0'),
        'cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns': end(0, '1\n'),
      },
      'No permissions to create new user namespace',
      { status: 'warning', repair: 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0' },
    ],
    [
      'user namespaces that the kernel refuses',
      { bwrap: end(0, 'bubblewrap 0.8.0'), 'cat /proc/sys/kernel/unprivileged_userns_clone': end(0, '0\n') },
      'No permissions to create new user namespace',
      { status: 'warning', repair: 'sudo sysctl -w kernel.unprivileged_userns_clone=1' },
    ],
    [
      'another failure',
      { bwrap: end(0) },
      'prlimit: not found',
      { status: 'warning', subject: 'bubblewrap', about: 'prlimit: not found' },
    ],
  ])('finds bubblewrap with %s', async (_what, ends, problem, expected) => {
    const machine = { run: programs(ends), tryBubblewrap: async () => problem };
    expect((await doctor(project(usual), { machine })).of('bubblewrap')).toMatchObject(expected);
  });

  it.each([
    ['linux', {}, { status: 'missing', repair: 'apt install podman' }],
    ['darwin', {}, { status: 'missing', repair: 'brew install podman' }],
    [
      'linux',
      { podman: end(0, 'podman version 5.4.2'), 'podman info': end(125) },
      { status: 'warning', repair: 'podman info' },
    ],
    ['darwin', { podman: end(0, '5.4.2'), 'podman info': end(125) }, { repair: 'podman machine start' }],
  ])('finds podman on %s with %j', async (platform, ends, expected) => {
    const machine = { platform, run: programs(ends) };
    expect((await doctor(project(usual), { machine })).of('podman')).toMatchObject(expected);
  });

  it('says what does not hold on another system', async () => {
    expect((await doctor(project(usual))).of('Windows')).toBeUndefined();
    const { code, of } = await doctor(project(usual), { machine: { platform: 'win32' } });
    expect(of('Windows')).toMatchObject({ status: 'warning', needed: false });
    expect(of('bubblewrap')).toMatchObject({ about: '--sandbox bubblewrap, needs Linux' });
    expect(code).toBe(0);
  });

  describe('the state folder', () => {
    function withState(mode: number): { readonly folder: string; readonly state: string } {
      const folder = project(usual);
      const state = join(folder, 'state');
      mkdirSync(state);
      // Not in the state folder: `WINK_RECORDS` may name another one.
      mkdirSync(join(folder, 'records'));
      writeFileSync(join(folder, 'records/review-20260102-030405-7.jsonl'), 'x'.repeat(1024));
      writeFileSync(join(state, 'journal.db'), 'x'.repeat(2048));
      chmodSync(state, mode);
      return { folder, state };
    }

    it('is counted', async () => {
      const { folder } = withState(0o700);
      expect((await doctor(folder)).of('state')).toMatchObject({
        status: 'ok',
        about: '3 runs, 1 record, 3.0 KB',
      });
    });

    it('has a journal that cannot be read here', async () => {
      const { folder } = withState(0o700);
      const machine = { countRuns: () => Promise.reject(new UsageError('it needs Node 22.13.')) };
      const { code, of } = await doctor(folder, { machine });
      expect(of('state')?.about).toContain('a journal that cannot be read here (it needs Node 22.13)');
      expect(code).toBe(0);
    });

    it('is open to other users', async () => {
      const { folder } = withState(0o755);
      const { code, of } = await doctor(folder);
      expect(of('state')).toMatchObject({
        status: 'warning',
        about: 'other users can look into it (mode 755)',
        needed: true,
      });
      expect(code).toBe(1);
    });

    it('cannot be made', async () => {
      const folder = project(usual);
      writeFileSync(join(folder, 'taken'), '');
      const { code, of } = await doctor(folder, { machine: { stateFolder: join(folder, 'taken/state') } });
      expect(of('state')).toMatchObject({ status: 'missing', about: 'a file is in its place', needed: true });
      expect(code).toBe(1);
    });
  });

  describe('the settings of TypeScript', () => {
    it.each([
      [
        '{ "compilerOptions": { "module": "nodenext", "lib": ["es2023", "esnext.disposable"] } }',
        { status: 'ok' },
      ],
      ['{ "compilerOptions": { "module": "nodenext", "target": "esnext" } }', { status: 'ok' }],
      [
        '{ "compilerOptions": { "module": "commonjs" } }',
        {
          about: 'packages with entries are not found; "await using" is not known',
          repair: '"module": "nodenext", "lib": ["es2023", "esnext.disposable"]',
        },
      ],
      [
        '{ "compilerOptions": { "module": "esnext", "moduleResolution": "Node", "lib": ["esnext"] } }',
        { about: 'packages with entries are not found', repair: '"module": "nodenext"' },
      ],
      [
        '{ // ours\n "compilerOptions": { "module": "nodenext", /* old */ "lib": ["es2022"], }, }',
        { status: 'warning', repair: '"lib": ["es2023", "esnext.disposable"]' },
      ],
      ['{ "extends": "./base", "compilerOptions": { "module": "nodenext" } }', { status: 'ok' }],
    ])('are %s', async (text, expected) => {
      const folder = project(usual);
      writeFileSync(join(folder, 'tsconfig.json'), text);
      writeFileSync(join(folder, 'base.json'), '{ "compilerOptions": { "lib": ["esnext"] } }');
      expect((await doctor(folder)).of('tsconfig')).toMatchObject(expected);
    });

    it('are not judged where a package has them, or they cannot be read', async () => {
      for (const text of ['{ "extends": "@tsconfig/node22/tsconfig.json" }', '{']) {
        const folder = project(usual);
        writeFileSync(join(folder, 'tsconfig.json'), text);
        expect((await doctor(folder)).of('tsconfig')).toBeUndefined();
      }
    });
  });

  describe('--agent', () => {
    const withAgent = (): { readonly folder: string; readonly argv: readonly string[] } => {
      const folder = project(usual);
      return { folder, argv: ['--agent', join(folder, 'agent.ts')] };
    };

    it('needs the package and the key of its model', async () => {
      const { argv, folder } = withAgent();
      const machine = agentWith({ adapter: openai({ model: 'gpt-5' }) });
      const { code, of, stderr } = await doctor(folder, { argv, machine });
      expect(code).toBe(1);
      expect(of('agent checked')).toMatchObject({ status: 'ok' });
      expect(of('openai')).toMatchObject({ status: 'missing', needed: true });
      expect(of('key of its model')).toMatchObject({
        status: 'missing',
        repair: 'export OPENAI_API_KEY=...',
      });
      expect(stderr).toBe('wink: to be repaired first: key of its model, openai.\n');
    });

    it('takes a token for a key', async () => {
      const { argv, folder } = withAgent();
      const machine = agentWith({ adapter: anthropic({ model: 'claude' }) });
      const environment = { variables: { ANTHROPIC_AUTH_TOKEN: 'secret' } };
      const { of, text } = await doctor(folder, { argv, machine, environment });
      expect(of('key of its model')).toMatchObject({ status: 'ok', about: 'ANTHROPIC_AUTH_TOKEN is set' });
      expect(text).not.toContain('"secret"');
    });

    it('needs nothing for a scripted model', async () => {
      const { argv, folder } = withAgent();
      const { code, of } = await doctor(folder, { argv, machine: agentWith({}) });
      expect(code).toBe(0);
      expect(of('key of its model')).toBeUndefined();
    });

    it('tries its sandbox', async () => {
      const { argv, folder } = withAgent();
      const backend: SandboxBackend = {
        ...virtualSandbox(),
        prepare: () => Promise.reject(new Error('It does not start.')),
      };
      const { code, of } = await doctor(folder, { argv, machine: agentWith({ backend }) });
      expect(code).toBe(1);
      expect(of('sandbox virtual')).toMatchObject({
        status: 'missing',
        about: 'It does not start',
        needed: true,
      });
      expect(of('just-bash')).toMatchObject({ needed: true });
    });

    it('names the image that its sandbox lacks', async () => {
      const { argv, folder } = withAgent();
      const image = 'docker.io/library/debian:bookworm-slim';
      const backend: SandboxBackend = {
        ...virtualSandbox(),
        name: 'podman',
        prepare: () =>
          Promise.reject(
            new SandboxError('sandbox-unavailable', 'No image.', { details: { backend: 'podman', image } }),
          ),
      };
      const { code, of } = await doctor(folder, { argv, machine: agentWith({ backend }) });
      expect(code).toBe(1);
      expect(of('sandbox podman')).toEqual({
        status: 'missing',
        subject: 'sandbox podman',
        about: 'its image is missing',
        repair: `podman pull ${image}`,
        needed: true,
      });
    });

    it('refuses one that cannot be loaded', async () => {
      const { argv, folder } = withAgent();
      const machine = { load: () => Promise.reject(new UsageError('there is no agent.')) };
      await expect(doctor(folder, { argv, machine })).rejects.toThrow('there is no agent.');
    });
  });

  it('looks at the terminal', async () => {
    const folder = project(usual);
    expect((await doctor(folder)).of('terminal')?.about).toBe('none: plain text');
    const stdout = capturedStream({ isTerminal: true, columns: 120 });
    const variables = { LANG: 'de_DE.ISO-8859-1', NO_COLOR: '1' };
    expect((await doctor(folder, { environment: { stdout, variables } })).of('terminal')).toMatchObject({
      status: 'warning',
      about: '120 columns, no color, no UTF-8',
    });
  });

  it.each([
    [['agent.ts'], 'For what an agent needs write --agent AGENT.'],
    [['--agent'], 'option "--agent" needs a value: --agent AGENT.'],
  ])('refuses %j', (argv, message) => {
    const request = readArguments(['doctor', ...argv]);
    expect(request.kind === 'usage-error' ? request.message : '').toContain(message);
  });
});

describe('the table', () => {
  const findings: readonly Finding[] = [
    { status: 'ok', subject: 'node 24.21.0', about: '20.19, 22.13 or later needed' },
    { status: 'ok', subject: 'weakincentives 0.2.0', about: 'one copy' },
    { status: 'missing', subject: 'openai', about: '--model openai:NAME', repair: 'npm install openai' },
    { status: 'ok', subject: 'node:sqlite', about: '--durable, approvals, rewind' },
    { status: 'ok', subject: 'bubblewrap 0.8.0', about: '--sandbox bubblewrap, unprivileged: yes' },
    { status: 'missing', subject: 'podman', about: '--sandbox podman', repair: 'apt install podman' },
    { status: 'warning', subject: '2 copies of zod', about: '4.1.0, 3.25.8', repair: 'npm dedupe' },
    { status: 'ok', subject: 'state folder', about: '3 runs, 2 records, 81 MB' },
  ];
  const plain = (_tone: string, text: string): string => text;

  it('has a line for each at 80 columns', () => {
    expect(findingLines(findings, 80, plain)).toEqual([
      'ok       node 24.21.0              20.19, 22.13 or later needed',
      'ok       weakincentives 0.2.0      one copy',
      'missing  openai                    --model openai:NAME   npm install openai',
      'ok       node:sqlite               --durable, approvals, rewind',
      'ok       bubblewrap 0.8.0          --sandbox bubblewrap, unprivileged: yes',
      'missing  podman                    --sandbox podman      apt install podman',
      'warning  2 copies of zod           4.1.0, 3.25.8         npm dedupe',
      'ok       state folder              3 runs, 2 records, 81 MB',
    ]);
  });

  it('breaks what was found, and never the line that repairs it', () => {
    const repair = 'npm install @anthropic-ai/claude-agent-sdk@^0.3';
    const long: Finding = {
      status: 'missing',
      subject: 'x'.repeat(40),
      about: 'word '.repeat(30).trim(),
      repair,
    };
    for (const width of [40, 60, 80, 200]) {
      const lines = findingLines([...findings, long], width, plain);
      for (const line of lines) {
        if (!line.includes('npm install @'))
          expect(line.length, line).toBeLessThanOrEqual(Math.max(width, 71));
      }
      // Beside what was found where there is room, else below the name.
      expect(lines).toContain(`         ${repair}`);
    }
    expect(findingLines(findings.slice(2, 3), 40, plain)).toEqual([
      'missing  openai',
      '         --model openai:NAME',
      '         npm install openai',
    ]);
  });

  it('shows by the color what is needed', () => {
    const toned = (finding: Finding): string =>
      findingLines([finding], 80, (tone, text) => `<${tone}>${text}`)[0] ?? '';
    const missing: Finding = { status: 'missing', subject: 'openai', about: '' };
    expect(toned(missing)).toMatch(/^<faint>missing/);
    expect(toned({ ...missing, isNeeded: true })).toMatch(/^<bad>missing/);
    expect(toned({ ...missing, status: 'warning' })).toMatch(/^<warning>warning/);
  });
});
