import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { removeTestFolder } from '../../support/ordinary-user.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { peerFile, peerSuite } from '../support/peers.ts';
import { noRestate, pause, type RestateServer, startRestate } from '../support/restate.ts';

const sessions = 200;

interface Worker {
  kill(): Promise<void>;
}

describe.skipIf(noRestate !== undefined)(peerSuite('runs on the steps of Restate', noRestate), () => {
  let server: RestateServer;
  beforeAll(async () => {
    server = await startRestate();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** An address of workers, and a log of what they really did. */
  async function openDesk() {
    const folder = mkdtempSync(join(tmpdir(), 'desk-'));
    onTestFinished(() => removeTestFolder(folder));
    const file = join(folder, 'log');
    writeFileSync(file, '');
    const balancer = await startBalancer();
    return {
      start: (version?: string) => startWorker(balancer, file, version),
      address: balancer.address,
      /** Lines without the process, of those that begin so. */
      log: (begin: string): readonly string[] =>
        readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '' && line.startsWith(begin))
          .map((line) => line.slice(0, line.lastIndexOf(' '))),
    };
  }

  /** Each session has sent its letter once, or was in doubt about it; never twice. */
  function expectOnce(log: readonly string[], answers: ReadonlyMap<string, string>): void {
    expect(new Set(log).size).toBe(log.length);
    const unsent = [...answers].filter(([id]) => !log.includes(`send ${id}`));
    for (const [id, text] of answers) {
      const isInDoubt = text.includes('its result is not known');
      expect(isInDoubt || text.includes(`sent to ${id}`), text).toBe(true);
    }
    for (const [, text] of unsent) expect(text).toContain('its result is not known');
  }

  async function runAll(prefix: string) {
    const ids = Array.from({ length: sessions }, (_, at) => `${prefix}-${at}`);
    await Promise.all(ids.map((id) => server.send(`letters/${id}/run`, id)));
    return async (): Promise<ReadonlyMap<string, string>> =>
      new Map(
        await Promise.all(
          ids.map(async (id) => [id, await server.outcome<string>(`letters/${id}/run`, id)] as const),
        ),
      );
  }

  it('end once each when a worker is killed', async () => {
    const desk = await openDesk();
    const [first] = [await desk.start(), await desk.start()];
    await server.register(desk.address);
    const outcomes = await runAll('worker');
    while (desk.log('send ').length < sessions / 4) await pause();
    await first?.kill();
    await desk.start();
    const answers = await outcomes();
    expect(answers.size).toBe(sessions);
    expectOnce(desk.log('send '), answers);
  });

  it('end once each when the server is killed', async () => {
    const desk = await openDesk();
    await desk.start();
    await server.register(desk.address);
    const outcomes = await runAll('server');
    while (desk.log('send ').length < sessions / 4) await pause();
    await server.kill();
    await server.start();
    const answers = await outcomes();
    expect(answers.size).toBe(sessions);
    expectOnce(desk.log('send '), answers);
  });

  it('wait for an answer without a worker', async () => {
    const desk = await openDesk();
    const worker = await desk.start();
    await server.register(desk.address);
    const path = 'publishing/news';
    await server.send(`${path}/run`);
    const pending = await untilAsked(path);
    expect(pending).toMatchObject([{ toolName: 'send' }]);
    await worker.kill();
    await desk.start();
    expect(desk.log('')).toEqual(['model news 1']);
    const [question] = pending;
    await server.call(`${path}/answer`, [
      { id: question?.id, digest: question?.digest, approved: true, by: 'ann' },
    ]);
    expect(await server.attach('publishing/news')).toContain('sent to news');
    expect(desk.log('')).toEqual(['model news 1', 'send news', 'model news 2']);
  });

  it('go on in a changed program, after one that has refused them', async () => {
    const desk = await openDesk();
    const stuck = await desk.start('stuck');
    await server.register(desk.address);
    const ids = ['one', 'two'];
    for (const id of ids) await server.send(`letters/${id}/run`, id);
    const lastTurns = (): readonly string[] => desk.log('model ').filter((line) => line.endsWith(' 2'));
    while (lastTurns().length < ids.length) await pause();
    await stuck.kill();
    const strict = await desk.start('strict');
    for (const id of ids) while (!(await server.lastFailure(id)).includes('prompt')) await pause();
    // No model is asked, and nothing is sent.
    expect(lastTurns()).toHaveLength(ids.length);
    await strict.kill();
    await desk.start('changed');
    const answers = new Map<string, string>();
    for (const id of ids) answers.set(id, await server.outcome<string>(`letters/${id}/run`, id));
    expectOnce(desk.log('send '), answers);
    // Which of them goes on first is not said.
    expect([...desk.log('send ')].sort()).toEqual(ids.map((id) => `send ${id}`).sort());
  });

  async function untilAsked(
    path: string,
  ): Promise<readonly { readonly id: string; readonly digest: string }[]> {
    for (;;) {
      const pending = await server.call<readonly { readonly id: string; readonly digest: string }[]>(
        `${path}/pending`,
      );
      if (pending.length > 0) return pending;
      await pause();
    }
  }
});

async function startWorker({ ports }: Balancer, log: string, version = 'first'): Promise<Worker> {
  const program = fileURLToPath(new URL('children/worker.mjs', import.meta.url));
  const sdk = peerFile('@restatedev/restate-sdk/dist/index.js');
  const child: ChildProcess = spawn(process.execPath, [program, sdk, log, version], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  const number = Number(String(port));
  ports.add(number);
  return {
    kill: async () => {
      ports.delete(number);
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
