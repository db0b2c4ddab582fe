import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { command, type Ending, ending, run, start } from '../cli/wink.ts';
import { noPgBoss, pgBossSuite } from './support/boss.ts';
import { openPool, type PostgresServer, startPostgres } from './support/postgres.ts';

const agent = `
import { defineAgent, jsonSchema, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
const task = section({
  title: 'Task', key: 'task',
  params: jsonSchema({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }),
  template: (p) => 'Greet ' + p.name + '.',
});
export default defineAgent({
  template: promptTemplate({ ns: 'docs', key: 'greeter', sections: [task] }),
  adapter: () => scriptedAdapter(async (conversation, _turn, { signal }) => {
    const text = JSON.stringify(conversation);
    if (text.includes('slowly')) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return { text: 'Hello.' };
  }),
});
`;

const agentWithServer = `
import { defineAgent, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
const task = section({ title: 'Task', key: 'task', template: 'Read the notes.' });
const read = { name: 'files_read_file', arguments: { file_path: 'notes.md' } };
export default defineAgent({
  template: promptTemplate({ ns: 'docs', key: 'reader', sections: [task] }),
  adapter: () => scriptedAdapter([{ toolCalls: [read] }, { text: 'Done.' }]),
});
`;

describe.skipIf(noPgBoss !== undefined)(pgBossSuite('wink worker and wink submit'), () => {
  let server: PostgresServer;
  let variables: Readonly<Record<string, string>>;
  beforeAll(async () => {
    expect(inject('buildProblem')).toBe('');
    server = await startPostgres();
  });
  beforeEach(async () => {
    const pool = openPool(server);
    const database = server.freshSchema();
    await pool.query(`create database ${database}`);
    variables = { WINK_JOURNAL: server.url.replace(/[^/]*$/, database) };
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A project that has pg-boss, with the agent. */
  function project(): string {
    const folder = mkdtempSync(join(tmpdir(), 'wink-fleet-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'agent.mjs'), agent);
    const packages = fileURLToPath(new URL('../peers/engines/node_modules', import.meta.url));
    symlinkSync(packages, join(folder, 'node_modules'));
    return folder;
  }

  /** Starts a worker, which takes jobs when this resolves. */
  async function work(cwd: string, ...options: readonly string[]) {
    const child = start(['worker', 'agent.mjs', ...options], { cwd, variables });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = ending(child);
    let errors = '';
    let output = '';
    const ready = new Promise<void>((resolve) => {
      child.stderr.on('data', (data: Buffer) => {
        errors += data.toString();
        if (errors.includes('takes jobs of')) resolve();
      });
    });
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    const early = ended.then((end) => Promise.reject(new Error(JSON.stringify(end))));
    early.catch(() => undefined);
    await Promise.race([early, ready]);
    return { child, ended, output: () => output, errors: () => errors };
  }

  const ok = (stdout: string): Partial<Ending> => ({ code: 0, stdout, stderr: '' });

  it('run what was submitted, and drain when they are terminated', async () => {
    const cwd = project();
    expect(await run(['journal', 'migrate'], { cwd, variables })).toMatchObject({ code: 0 });
    const submit = ['submit', 'greeter', '--params', '{"name":"Ann"}', '--input', 'Hi.'];
    expect(await run([...submit, '--run-id', 'r1', '--priority=-2'], { cwd, variables })).toEqual(ok('r1\n'));
    expect(await run([...submit, '--run-id', 'r1'], { cwd, variables })).toEqual(ok('r1\n'));
    expect(await run([...submit, '--run-id', 'late', '--start-after', '1d'], { cwd, variables })).toEqual(
      ok('late\n'),
    );
    expect(await run(['submit', 'greeter', '--run-id', 'wrong'], { cwd, variables })).toEqual(ok('wrong\n'));
    const { child, ended, output, errors } = await work(cwd, '--concurrency', '3', '--drain', '5s');
    await expect.poll(output).toBe('r1 has ended\n');
    await expect.poll(errors).toContain('run wrong: ');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stdout: 'r1 has ended\n' });
    const { stdout } = await run(['runs', '--json'], { cwd, variables });
    expect(stdout.split('\n').filter((line) => line !== '')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ runId: 'r1', status: 'finished' });
  });

  it('keep long rows where they are told', async () => {
    const cwd = project();
    await run(['journal', 'migrate'], { cwd, variables });
    mkdirSync(join(cwd, 'blobs'));
    const params = JSON.stringify({ name: 'Ann'.repeat(30_000) });
    await run(['submit', 'greeter', '--params', params, '--run-id', 'r'], { cwd, variables });
    const { child, ended, output } = await work(cwd, '--drain', '5s', '--blobs', 'blobs');
    await expect.poll(output).toBe('r has ended\n');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(readdirSync(join(cwd, 'blobs'))).toHaveLength(1);
    const query = ['query', 'r', 'select count(*) from turns'];
    expect((await run(query, { cwd, variables })).stderr).toContain('WINK_BLOBS');
    expect(await run(query, { cwd, variables: { ...variables, WINK_BLOBS: 'blobs' } })).toMatchObject({
      code: 0,
    });
  });

  it('share the servers of a file', async () => {
    const cwd = project();
    await run(['journal', 'migrate'], { cwd, variables });
    writeFileSync(join(cwd, 'agent.mjs'), agentWithServer);
    const serve = [command, 'serve', '--workspace', 'served', '--no-durable', '--apply=never'];
    mkdirSync(join(cwd, 'served'));
    writeFileSync(join(cwd, 'served', 'notes.md'), 'Known to the server.\n');
    const files = { command: process.execPath, args: serve };
    writeFileSync(join(cwd, 'servers.json'), JSON.stringify({ mcpServers: { files } }));
    for (const runId of ['r1', 'r2']) await run(['submit', 'reader', '--run-id', runId], { cwd, variables });
    const { child, ended, output } = await work(cwd, '--mcp', 'servers.json');
    await expect.poll(() => output().split('\n').sort()).toEqual(['', 'r1 has ended', 'r2 has ended']);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    for (const runId of ['r1', 'r2']) {
      expect((await run(['runs', 'export', runId, '--out', `${runId}.jsonl`], { cwd, variables })).code).toBe(
        0,
      );
      expect(readFileSync(join(cwd, `${runId}.jsonl`), 'utf8')).toContain('Known to the server.');
    }
  });

  it('interrupt what does not end, and end at once at the second interrupt', async () => {
    const cwd = project();
    await run(['journal', 'migrate'], { cwd, variables });
    const submit = ['submit', 'greeter', '--params', '{"name":"Ann"}', '--input', 'slowly', '--run-id', 'r'];
    await run(submit, { cwd, variables });
    const statuses = async (): Promise<string> => (await run(['runs', '--json'], { cwd, variables })).stdout;
    const first = await work(cwd, '--drain', '2s');
    await expect.poll(statuses).toContain('"running"');
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 0, stdout: '' });
    expect(await statuses()).toContain('"interrupted"');
    const second = await work(cwd, '--drain', '20m');
    await expect.poll(statuses).toContain('"running"');
    second.child.kill('SIGINT');
    await expect.poll(second.errors).toContain('takes no more jobs; 1 run in hand.');
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(null);
  });

  it.each([
    [['worker', 'agent.mjs', '--journal', 'runs.db'], 'workers need a journal in PostgreSQL'],
    [['submit', 'greeter', '--journal', 'runs.db'], 'workers need a journal in PostgreSQL'],
    [['worker', 'agent.mjs', '--journal', 'postgres://u:very-secret@127.0.0.1:1/d'], '127.0.0.1:1/d'],
    [['submit', 'greeter', '--journal', 'postgres://u:very-secret@127.0.0.1:1/d'], '127.0.0.1:1/d'],
    [['worker', 'agent.mjs'], 'wink journal migrate'],
    [['worker', 'agent.mjs', '--blobs', 'absent'], '"absent" does not exist'],
    [['worker', 'missing.mjs'], 'missing.mjs'],
    [['submit', 'greeter', '--start-after', '2026-13-01T00:00:00Z'], 'startAfter'],
  ])('say what is missing: %j', async (args, message) => {
    const { code, stdout, stderr } = await run(args, { cwd: project(), variables });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
    expect(stderr).not.toContain('very-secret');
    expect(stderr).not.toContain(server.password);
  });
});
