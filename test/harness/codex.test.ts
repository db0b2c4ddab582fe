import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, watch, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider/fake-provider.ts';
import { installedFile, mustRun } from '../support/harness-runs/installed.ts';
import { type PrivateFolder, privateFolder } from '../support/harness-runs/private-folder.ts';
import { hanging, twoConflictingEdits, writeReadWrite } from '../support/harness-runs/scripts.ts';

const command = installedFile('codex', '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex');
const wink = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const servedAgent = fileURLToPath(new URL('../support/harness-runs/served-agent.ts', import.meta.url));

/** A folder for Codex, with a workspace in it. */
interface CodexFolder {
  readonly workspace: string;
  /** Appears when a call hangs. */
  readonly flag: string;
  readonly child: ChildProcess;
  /** What it has printed, line by line. */
  lines(): readonly {
    readonly type?: string;
    readonly item?: { readonly type?: string; readonly text?: string };
  }[];
}

/** Codex with a model that follows a script, and with `wink serve` as its server of tools. */
async function startCodex(
  { url }: FakeProvider,
  { path }: PrivateFolder,
  serve: readonly string[] = [],
): Promise<CodexFolder> {
  const workspace = `${path}/work`;
  const home = `${path}/codex`;
  const flags = `${path}/flags`;
  for (const folder of [workspace, home, flags]) await mkdir(folder);
  await writeFile(`${workspace}/config.yaml`, 'a: 1\nb: 2\n');
  const args = [wink, 'serve', ...serve, '--workspace', workspace];
  await writeFile(
    `${home}/config.toml`,
    `model = "scripted"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "read-only"
[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[mcp_servers.wink]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify(args)}
required = true
supports_parallel_tool_calls = true
default_tools_approval_mode = "approve"
[mcp_servers.wink.env]
WINK_TEST_FLAG = "${flags}/hangs"
`,
  );
  const child = spawn(
    command ?? '',
    ['exec', '--json', '--skip-git-repo-check', '-C', workspace, 'Change the files.'],
    {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: path, CODEX_HOME: home, FAKE_KEY: 'no-key' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  return {
    workspace,
    flag: `${flags}/hangs`,
    child,
    lines: () => printed.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])),
  };
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, 'close');
  return code;
}

/** Resolves when the file is there. */
async function appears(file: string): Promise<void> {
  const changes = watch(file.slice(0, file.lastIndexOf('/')));
  if (existsSync(file)) return;
  for await (const _change of changes) if (existsSync(file)) return;
}

describe.skipIf(command === undefined)('Codex, through wink serve', () => {
  test('is denied a write, reads, writes, and is done', async () => {
    await using provider = await startFakeProvider(writeReadWrite);
    await using folder = await privateFolder();
    const { child, lines, workspace } = await startCodex(provider, folder);
    expect(await exitOf(child)).toBe(0);
    expect(await readFile(`${workspace}/config.yaml`, 'utf8')).toBe('changed\n');
    const requests = provider.requests.filter(({ tools }) => tools.length > 0);
    expect(requests).toHaveLength(4);
    expect(JSON.stringify(requests[1]?.body['input'])).toContain('read');
    const said = lines().flatMap(({ item }) => (item?.type === 'agent_message' ? [item.text] : []));
    expect(said.at(-1)).toBe('Done.');
  });

  test('makes two edits of a file at the same time, and both are there', async () => {
    await using provider = await startFakeProvider(twoConflictingEdits);
    await using folder = await privateFolder();
    const { child, workspace } = await startCodex(provider, folder, [servedAgent]);
    expect(await exitOf(child)).toBe(0);
    expect(await readFile(`${workspace}/config.yaml`, 'utf8')).toBe('a: one\nb: two\n');
  });

  test('leaves no trace of a call in which it is killed', async () => {
    await using provider = await startFakeProvider(hanging);
    await using folder = await privateFolder();
    const { child, flag, workspace } = await startCodex(provider, folder, [servedAgent]);
    await appears(flag);
    child.kill('SIGKILL');
    await exitOf(child);
    expect(existsSync(`${workspace}/hung.md`)).toBe(false);
    expect(await readFile(`${workspace}/config.yaml`, 'utf8')).toBe('a: 1\nb: 2\n');
  });
});

test.runIf(command === undefined)('Codex is not installed: its tests are skipped', () => {
  expect(mustRun('codex')).toBe(false);
});
