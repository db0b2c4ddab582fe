import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { removeTestFolder } from '../../support/ordinary-user.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { peerFile, peerSuite } from '../support/peers.ts';
import { noRestate, type RestateServer, startRestate } from '../support/restate.ts';
import { assertRuns, firstOutput, killProgram, untilAnswered } from '../support/started-program.ts';

const sessions = 200;

interface Worker {
  kill(): Promise<void>;
  /** Throws when it has ended otherwise. */
  assertRuns(): void;
}

interface Question {
  readonly id: string;
  readonly digest: string;
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
    const workers: Worker[] = [];
    return {
      start: async (version?: string) => {
        const worker = await startWorker(balancer, file, version);
        workers.push(worker);
        return worker;
      },
      address: balancer.address,
      /** Resolves with an answer that is not undefined. Rejects once a worker has ended by itself. */
      until: <T>(ask: () => Promise<T | undefined>): Promise<T> =>
        untilAnswered(ask, () => {
          for (const worker of workers) worker.assertRuns();
        }),
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
    await desk.until(async () => desk.log('send ').length >= sessions / 4 || undefined);
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
    await desk.until(async () => desk.log('send ').length >= sessions / 4 || undefined);
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
    const question = await desk.until(async () => (await server.call<Question[]>(`${path}/pending`))[0]);
    expect(question).toMatchObject({ toolName: 'send' });
    await worker.kill();
    await desk.start();
    expect(desk.log('')).toEqual(['model news 1']);
    const { id, digest } = question;
    await server.call(`${path}/answer`, [{ id, digest, approved: true, by: 'ann' }]);
    expect(await server.attach('publishing/news')).toContain('sent to news');
    expect(desk.log('')).toEqual(['model news 1', 'send news', 'model news 2']);
  });

  it('continue in a changed program, after one that has refused them', async () => {
    const desk = await openDesk();
    const stuck = await desk.start('stuck');
    await server.register(desk.address);
    const ids = ['one', 'two'];
    for (const id of ids) await server.send(`letters/${id}/run`, id);
    const lastTurns = (): readonly string[] => desk.log('model ').filter((line) => line.endsWith(' 2'));
    await desk.until(async () => new Set(lastTurns()).size === ids.length || undefined);
    await stuck.kill();
    const asked = lastTurns();
    const strict = await desk.start('strict');
    for (const id of ids)
      await desk.until(async () => (await server.lastFailure(id)).includes('prompt') || undefined);
    // No model is asked, and nothing is sent.
    expect(lastTurns()).toEqual(asked);
    await strict.kill();
    await desk.start('changed');
    const answers = new Map<string, string>();
    for (const id of ids) answers.set(id, await server.outcome<string>(`letters/${id}/run`, id));
    expectOnce(desk.log('send '), answers);
    // Which of them continues first is not said.
    expect([...desk.log('send ')].sort()).toEqual(ids.map((id) => `send ${id}`).sort());
  });
});

async function startWorker({ ports }: Balancer, log: string, version = 'first'): Promise<Worker> {
  const program = fileURLToPath(new URL('children/worker.mjs', import.meta.url));
  const sdk = peerFile('@restatedev/restate-sdk/dist/index.js');
  const child: ChildProcess = spawn(process.execPath, [program, sdk, log, version], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const number = Number(await firstOutput(child));
  ports.add(number);
  let isKilled = false;
  return {
    kill: async () => {
      isKilled = true;
      ports.delete(number);
      await killProgram(child);
    },
    assertRuns: () => {
      if (!isKilled) assertRuns(child);
    },
  };
}
