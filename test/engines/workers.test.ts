import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerApprovals, cancelRun, pendingApprovals, type RunJournal } from 'weakincentives';
import { submitRun } from 'weakincentives/durable';
import { readRunRecord } from 'weakincentives/record';
import { childProgram } from '../support/child-program.ts';
import { noPgBoss, pgBossSuite } from './support/boss.ts';
import { type PostgresServer, startPostgres } from './support/postgres.ts';
import { type Fleet, openFleet } from './support/workers.ts';

const names = (count: number, prefix = 'r'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

async function submit({ queue }: Fleet, runIds: readonly string[], members: object = {}): Promise<void> {
  await Promise.all(runIds.map((runId) => submitRun({ queue, job: { agent: 'sender', runId, ...members } })));
}

/** How many runs of the journal have each status. */
async function statuses(journal: RunJournal): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { status } of await journal.runs()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function answer({ journal }: Fleet, runId: string, queue?: Fleet['queue']): Promise<void> {
  const pending = await pendingApprovals({ journal, runId });
  const answers = pending.map(({ id, digest }) => ({ id, digest, approved: true }));
  await answerApprovals({ journal, runId, answers, ...(queue === undefined ? {} : { queue }) });
}

describe.skipIf(noPgBoss !== undefined)(pgBossSuite('workers on PostgreSQL and pg-boss'), () => {
  let server: PostgresServer;
  let program: string;
  beforeAll(async () => {
    [server, program] = await Promise.all([startPostgres(), childProgram('work-runs')]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('of which one is killed: all runs end, and nothing is done twice', async () => {
    const fleet = await openFleet(server, program);
    const runs = names(60);
    const [first] = await Promise.all([fleet.start(), fleet.start()]);
    await submit(fleet, runs);
    await expect.poll(() => fleet.lines('end').length).toBeGreaterThanOrEqual(15);
    first.signal('SIGKILL');
    await expect.poll(() => statuses(fleet.journal), { interval: 200 }).toEqual({ finished: 60 });
    expect([...fleet.count('send').values()].filter((count) => count > 1)).toEqual([]);
    const sent = fleet.count('send');
    const unknown: string[] = [];
    for (const runId of runs) {
      const record = await readRunRecord((await fleet.journal.read(runId)).map(({ line }) => line));
      if (record.calls.some(({ outcome }) => outcome !== 'committed')) unknown.push(runId);
      // What was not sent is in doubt, and the model knows it.
      else expect([runId, sent.get(runId)]).toEqual([runId, 1]);
    }
    expect(unknown.length).toBeLessThanOrEqual(10);
    expect(fleet.lines('error').filter(([, , name]) => name !== 'SessionBusyError')).toEqual([]);
  });

  it('of which one is killed before its runs begin: the jobs come again', async () => {
    const fleet = await openFleet(server, program);
    const first = await fleet.start({ openMs: 600_000 });
    await submit(fleet, names(3));
    await expect.poll(() => fleet.count('begin').size).toBe(3);
    first.signal('SIGKILL');
    await fleet.start();
    await expect.poll(() => statuses(fleet.journal), { interval: 200 }).toEqual({ finished: 3 });
  });

  it('of which one is stopped: its runs are ready, and another worker has them at once', async () => {
    const fleet = await openFleet(server, program);
    const first = await fleet.start({
      concurrency: 50,
      modelMs: 600_000,
      // Half of it is for their end.
      drainMs: 30_000,
    });
    const runs = names(50);
    await submit(fleet, runs);
    await expect.poll(() => fleet.count('model').size).toBe(50);
    first.signal('SIGTERM');
    expect(await first.exited).toEqual([0, null]);
    expect(fleet.lines('drained')).toHaveLength(1);
    expect(await statuses(fleet.journal)).toEqual({ interrupted: 50 });
    expect(await fleet.journal.runs({ ready: true })).toHaveLength(50);
    expect(await fleet.boss.findJobs('wink-runs', { queued: true })).toHaveLength(50);
    await fleet.start({ concurrency: 50 });
    await expect.poll(() => statuses(fleet.journal), { interval: 200 }).toEqual({ finished: 50 });
    expect([...fleet.count('send').values()].filter((count) => count !== 1)).toEqual([]);
    expect(fleet.lines('error')).toEqual([]);
  });

  it('continue after an answer, with its job and without', async () => {
    const fleet = await openFleet(server, program);
    await fleet.start({ asks: true });
    await submit(fleet, ['with', 'without']);
    await expect.poll(() => statuses(fleet.journal)).toEqual({ suspended: 2 });
    expect(fleet.count('send').size).toBe(0);
    await answer(fleet, 'with', fleet.queue);
    // As a process that was killed between the answer and its job.
    await answer(fleet, 'without');
    await expect.poll(() => statuses(fleet.journal)).toEqual({ finished: 2 });
    expect(Object.fromEntries(fleet.count('send'))).toEqual({ with: 1, without: 1 });
  });

  it('do not begin and do not continue with what is cancelled', async () => {
    const fleet = await openFleet(server, program);
    const { journal, queue } = fleet;
    await submit(fleet, ['waits']);
    await cancelRun({ journal, runId: 'waits', queue });
    await fleet.start({ asks: true });
    await submit(fleet, ['suspended']);
    await expect.poll(() => fleet.count('end').size).toBe(1);
    await cancelRun({ journal, runId: 'suspended', queue });
    const [ends, models] = [fleet.count('end'), fleet.count('model')];
    for (let delivery = 0; delivery < 3; delivery += 1) {
      const before = fleet.count('begin');
      const begunAgain = (runId: string): boolean =>
        (fleet.count('begin').get(runId) ?? 0) > (before.get(runId) ?? 0);
      await submit(fleet, ['waits', 'suspended']);
      await expect.poll(() => ['waits', 'suspended'].every(begunAgain)).toBe(true);
    }
    await expect.poll(() => fleet.boss.findJobs('wink-runs', { queued: true })).toEqual([]);
    expect(await statuses(journal)).toEqual({ cancelled: 2 });
    expect([fleet.count('end'), fleet.count('model')]).toEqual([ends, models]);
    expect([...ends.keys()]).toEqual(['suspended']);
  });

  it('end a run that is cancelled while it continues', async () => {
    const fleet = await openFleet(server, program);
    const { journal, queue } = fleet;
    // With each beat, which is a third of it, it finds out what was sent to its runs.
    await fleet.start({ modelMs: 600_000, leaseTimeoutMs: 15_000 });
    await submit(fleet, ['r']);
    await expect.poll(() => statuses(journal)).toEqual({ running: 1 });
    await cancelRun({ journal, runId: 'r', queue, by: 'ann' });
    await expect.poll(() => statuses(journal)).toEqual({ cancelled: 1 });
    const before = fleet.lines('begin').length;
    await submit(fleet, ['r']);
    await expect.poll(() => fleet.lines('begin').length).toBeGreaterThan(before);
    expect([await statuses(journal), fleet.lines('end')]).toEqual([{ cancelled: 1 }, []]);
  });

  it('of two versions leave each other what is theirs', async () => {
    const fleet = await openFleet(server, program);
    const [first, second] = await Promise.all([fleet.start({ version: '1' }), fleet.start({ version: '2' })]);
    await submit(fleet, names(5, 'a'), { version: '1' });
    await submit(fleet, names(5, 'b'), { version: '2' });
    await expect.poll(() => statuses(fleet.journal), { interval: 200 }).toEqual({ finished: 10 });
    const by = ({ pid }: { readonly pid: number }): readonly string[] =>
      fleet
        .lines('end')
        .filter((words) => words.at(-1) === String(pid))
        .map(([, run = '']) => run.slice(0, 1));
    expect([new Set(by(first)), new Set(by(second))]).toEqual([new Set(['a']), new Set(['b'])]);
  });
});
