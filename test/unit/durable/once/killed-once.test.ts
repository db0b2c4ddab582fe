import { describe, expect, it } from 'vitest';
import { type RunJournal, Session, ToolResult } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { invoice, mortalJournal, payAgain, payPrompt, payRun, payTool } from '../../../support/once-calls.ts';

/** A run that was killed at one operation of its journal. */
interface Killed {
  readonly journal: RunJournal;
  readonly paid: string[];
  /** Whether the handler began, as far as the rows of the run say, and its result is not among them. */
  readonly isInDoubt: boolean;
}

/** Runs until the process is killed at an operation. @returns undefined when there are not so many. */
async function killedAt(at: number, isDone: boolean): Promise<Killed | undefined> {
  const journal = memoryJournal();
  const mortal = mortalJournal(journal, at, isDone);
  const paid: string[] = [];
  await payRun(mortal, 'a', payPrompt([payTool(paid)]), invoice('1'), new Session({ id: 'one' })).catch(
    () => undefined,
  );
  if (!mortal.isDead) return undefined;
  await journal.revoke('one');
  const types = (await journal.read('a')).map(({ type }) => type);
  const isInDoubt = types.includes('begin') && !types.includes('commit') && !types.includes('attempt');
  return { journal, paid, isInDoubt };
}

/** Every operation, and whether it was durable when the process was killed. */
async function everyKill(check: (killed: Killed, name: string) => Promise<void>): Promise<number> {
  let kills = 0;
  for (const isDone of [false, true]) {
    for (let at = 1; ; at += 1) {
      const killed = await killedAt(at, isDone);
      if (killed === undefined) break;
      kills += 1;
      await check(killed, `operation ${at}, ${isDone ? 'durable' : 'lost'}`);
    }
  }
  return kills;
}

describe('a call of a tool with once, whose process is killed at any operation of the journal', () => {
  it('is in doubt in the ledger exactly where its rows say that it began and have no result', async () => {
    let doubts = 0;
    const kills = await everyKill(async ({ journal, isInDoubt, paid }, name) => {
      const [kept] = (await journal.ledger?.onceKeys()) ?? [];
      expect(kept?.state === 'in-doubt', name).toBe(isInDoubt);
      // What was done is done or in doubt, and what is free was not done.
      if (paid.length > 0) expect(['done', 'in-doubt'], name).toContain(kept?.state);
      if (isInDoubt) doubts += 1;
    });
    expect(kills).toBeGreaterThan(8);
    expect(doubts).toBeGreaterThan(1);
  });

  it('is done at most once by the resumed run and others', async () => {
    await everyKill(async ({ journal, isInDoubt, paid }, name) => {
      const prompt = payPrompt([payTool(paid)]);
      const isKnown = (await journal.read('a')).length > 0;
      const [first] = isKnown
        ? await payAgain(journal, 'a', prompt, invoice('1'))
        : await payRun(journal, 'a', prompt, invoice('1'));
      const [second] = await payRun(journal, 'b', prompt, invoice('1'));
      expect(paid.length, name).toBeLessThanOrEqual(1);
      if (isInDoubt) {
        expect(first, name).toContain('its result is not known');
        expect(second, name).toContain('its result is not known');
      } else {
        expect(first, name).toMatch(/Paid 5\.\n\n\{"amount":5\}$/);
        expect(second, name).toContain('This was done before');
        expect(paid, name).toEqual(['1:5']);
      }
    });
  });

  it('is done at most once when another run comes first', async () => {
    await everyKill(async ({ journal, isInDoubt, paid }, name) => {
      const prompt = payPrompt([payTool(paid)]);
      const [second] = await payRun(journal, 'b', prompt, invoice('1'));
      const isKnown = (await journal.read('a')).length > 0;
      const [first] = isKnown ? await payAgain(journal, 'a', prompt, invoice('1')) : [second];
      if (isInDoubt) expect([first, second].join(), name).not.toContain('Paid');
      else expect(paid, name).toEqual(['1:5']);
    });
  });

  it('is settled by the tool, which knows', async () => {
    await everyKill(async ({ journal, isInDoubt, paid }, name) => {
      const before = paid.length;
      const knowing = payTool(paid, {
        reconcile: ({ amount }, { idempotencyKey }) => {
          expect(idempotencyKey, name).toBe('a/1/call-1-1');
          return paid.length > 0 ? ToolResult.ok({ amount }, 'Paid, I see.') : ToolResult.error('Not paid.');
        },
      });
      const prompt = payPrompt([knowing]);
      const [second] = await payRun(journal, 'b', prompt, invoice('1'));
      if (isInDoubt && before > 0) expect(second, name).toContain('Paid, I see.');
      if (isInDoubt && before === 0) expect(second, name).toBe('Not paid.');
      const isKnown = (await journal.read('a')).length > 0;
      const [first] = isKnown ? await payAgain(journal, 'a', prompt, invoice('1')) : [second];
      // Where nothing was paid, each of them reads so: the next call may pay.
      expect(paid.length, name).toBe(isInDoubt ? before : 1);
      if (isInDoubt && before > 0) expect(first, name).toContain('This was done before');
    });
  });
});

describe('a call that finds out what became of another one', () => {
  it('leaves it in doubt when its process is killed', async () => {
    for (const isDone of [false, true]) {
      for (let at = 1; ; at += 1) {
        const journal = memoryJournal();
        const breaking = payTool([], {
          execute: () => {
            throw new Error('The connection broke.');
          },
        });
        await payRun(journal, 'a', payPrompt([breaking]), invoice('1'));
        const mortal = mortalJournal(journal, at, isDone);
        const knowing = payPrompt([payTool([], { reconcile: () => ToolResult.ok(null, 'Paid, I see.') })]);
        await payRun(mortal, 'b', knowing, invoice('1'), new Session({ id: 'two' })).catch(() => undefined);
        if (!mortal.isDead) break;
        await journal.revoke('two');
        const [text] = await payRun(journal, 'c', knowing, invoice('1'));
        expect(text).toContain('Paid, I see.');
        const [last] = await payRun(journal, 'd', payPrompt([payTool([])]), invoice('1'));
        expect(last).toMatch(/^This was done before[^]*Paid, I see\.$/);
      }
    }
  });
});

describe('a call whose lease has run out', () => {
  it('does not begin when another one has taken its key', async () => {
    const journal = memoryJournal();
    const paid: string[] = [];
    const { ledger } = journal;
    if (ledger === undefined) throw new Error('The journal has no ledger.');
    let asked = 0;
    const session = new Session({ id: 'one' });
    // The process is stopped between its claim and its row, and the claim is taken away meanwhile.
    const stopped: RunJournal = {
      ...mortalJournal(journal, Infinity, false),
      ledger: {
        ...ledger,
        once: async (call, lease, purpose) => {
          const answer = await ledger.once(call, lease, purpose);
          asked += 1;
          await ledger.settleOnce(call, { kind: 'not-done' });
          await journal.append(
            { ...(await lastBatch(journal)), once: [{ ...call, kind: 'not-done' }] },
            lease,
          );
          return answer;
        },
        onceKeys: (filter) => ledger.onceKeys(filter),
        settleOnce: (key, outcome) => ledger.settleOnce(key, outcome),
        pruneOnce: (beforeMs) => ledger.pruneOnce(beforeMs),
      },
    };
    const run = payRun(stopped, 'a', payPrompt([payTool(paid)]), invoice('1'), session);
    await expect(run).rejects.toMatchObject({ code: 'run-lost' });
    expect(asked).toBe(1);
    expect(paid).toEqual([]);
  });
});

async function lastBatch(journal: RunJournal) {
  const [run] = await journal.runs({ runId: 'a' });
  if (run === undefined) throw new Error('There is no run.');
  const { runId: _id, sessionId: _session, rows: _rows, isReady: _ready, status: _status, ...summary } = run;
  return { runId: 'a', rows: [], summary: { ...summary, status: 'running' as const } };
}
