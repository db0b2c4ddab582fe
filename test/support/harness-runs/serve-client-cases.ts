import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../fake-provider/fake-provider.ts';
import { mustRun } from './installed.ts';
import { privateFolder } from './private-folder.ts';
import { hanging, twoConflictingEdits, twoEdits, writeReadWrite } from './scripts.ts';

/** What a harness is configured with. */
export interface ServeClientSetup {
  /** A folder that only the test has; the home of the harness. */
  readonly home: string;
  /** The folder that it is started in. */
  readonly workspace: string;
  /** Without a path: `http://127.0.0.1:PORT`. */
  readonly providerUrl: string;
  /** `wink serve`: a program and its arguments. */
  readonly server: { readonly command: string; readonly args: readonly string[] };
  /** Variables for `wink serve`. */
  readonly serverEnv: Readonly<Record<string, string>>;
}

/** How a harness is started, once its files are written. */
export interface ServeClientStart {
  readonly args: readonly string[];
  /** Beside `PATH` and `HOME`. */
  readonly env: Readonly<Record<string, string>>;
}

/** A real harness that starts `wink serve`, with a model that follows a script. */
export interface ServeClientUnderTest {
  readonly title: string;
  /** What `npm run test:harness` calls it. */
  readonly name: string;
  /** Its program; undefined when it is not installed. */
  readonly command: string | undefined;
  /** Whether it runs the calls of an answer at the same time when they write. */
  readonly runsCallsTogether: boolean;
  /** Writes its configuration as the guide shows it. */
  readonly configure: (setup: ServeClientSetup) => Promise<ServeClientStart>;
}

interface Started {
  readonly workspace: string;
  /** Appears when a call hangs. */
  readonly flag: string;
  readonly child: ChildProcess;
  /** What it has printed. */
  printed(): string;
}

const wink = fileURLToPath(new URL('../../../dist/entries/wink.js', import.meta.url));
const servedAgent = fileURLToPath(new URL('served-agent.ts', import.meta.url));

/** What every harness does with `wink serve`. */
export function testServeClient({
  command,
  configure,
  name,
  runsCallsTogether,
  title,
}: ServeClientUnderTest): void {
  async function start({ url }: FakeProvider, path: string, agent: readonly string[] = []): Promise<Started> {
    const [workspace, flags] = [`${path}/work`, `${path}/flags`];
    for (const folder of [workspace, flags]) await mkdir(folder);
    await writeFile(`${workspace}/config.yaml`, 'a: 1\nb: 2\n');
    const flag = `${flags}/hangs`;
    const { args, env } = await configure({
      home: path,
      workspace,
      providerUrl: url,
      server: { command: process.execPath, args: [wink, 'serve', ...agent, '--workspace', '.'] },
      serverEnv: { WINK_TEST_FLAG: flag },
    });
    const child = spawn(command ?? '', args, {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: path, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
    return { workspace, flag, child, printed: () => printed };
  }

  describe.skipIf(command === undefined)(`${title}, through wink serve`, () => {
    test('is denied a write, reads, writes, and is done', async () => {
      await using provider = await startFakeProvider(writeReadWrite);
      await using folder = await privateFolder();
      const { child, printed, workspace } = await start(provider, folder.path);
      expect(await exitOf(child)).toBe(0);
      expect(await readFile(`${workspace}/config.yaml`, 'utf8')).toBe('changed\n');
      expect(printed()).toContain('Done.');
      const requests = provider.requests.filter(({ tools }) =>
        tools.some((tool) => tool.endsWith('read_file')),
      );
      expect(requests).toHaveLength(4);
      expect(JSON.stringify(requests[1]?.body)).toContain('has not been read');
    });

    test('makes two edits of a file in one answer, and both are there', async () => {
      await using provider = await startFakeProvider(runsCallsTogether ? twoConflictingEdits : twoEdits);
      await using folder = await privateFolder();
      const { child, workspace } = await start(provider, folder.path, [servedAgent]);
      expect(await exitOf(child)).toBe(0);
      expect(await readFile(`${workspace}/config.yaml`, 'utf8')).toBe('a: one\nb: two\n');
    });

    test('leaves no trace of a call in which it is killed', async () => {
      await using provider = await startFakeProvider(hanging);
      await using folder = await privateFolder();
      const { child, flag, workspace } = await start(provider, folder.path, [servedAgent]);
      await expect.poll(() => existsSync(flag)).toBe(true);
      child.kill('SIGKILL');
      await exitOf(child);
      expect(existsSync(`${workspace}/hung.md`)).toBe(false);
      expect(await readFile(`${workspace}/config.yaml`, 'utf8')).toBe('a: 1\nb: 2\n');
    });
  });

  test.runIf(command === undefined)(`${title} is not installed: its tests are skipped`, () => {
    expect(mustRun(name)).toBe(false);
  });
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'close');
  return code;
}
