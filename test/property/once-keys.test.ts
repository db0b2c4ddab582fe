import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JournalFencedError,
  type OnceAnswer,
  type OnceCall,
  type RunJournal,
  type RunLease,
} from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { changeOnce, ledgerOf } from '../contract/journal-ledger.ts';
import { draws } from '../support/draws.ts';
import { noSqlite, openDatabase, openJournal, sqliteSuite } from '../support/sqlite.ts';

/** One step of a program of calls in three sessions, on two keys. */
interface Command {
  readonly kind:
    | 'begin'
    | 'find-out'
    | 'begun'
    | 'done'
    | 'not-done'
    | 'in-doubt'
    | 'die'
    | 'settle'
    | 'prune';
  readonly session: number;
  readonly key: number;
  readonly call: number;
  readonly digest: number;
  readonly isDone: boolean;
}

const kinds = [
  'begin',
  'find-out',
  'begun',
  'done',
  'not-done',
  'in-doubt',
  'die',
  'settle',
  'prune',
] as const;
const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds, 'begin' as const, 'begun' as const, 'begin' as const),
    session: fc.nat({ max: 2 }),
    key: fc.nat({ max: 1 }),
    call: fc.nat({ max: 1 }),
    digest: fc.constantFrom(0, 0, 0, 0, 1),
    isDone: fc.boolean(),
  }),
  { minLength: 5, maxLength: 50, size: 'max' },
);

/** What is true of a key, told in other words than the ledger has. */
interface Model {
  /** Arguments of the calls that count. */
  digest: number;
  /** The call that has it, with its life. */
  by: string | undefined;
  /** The call whose handler may have done it. */
  began: string | undefined;
  result: string | undefined;
}

/** A session in one life after the other. */
class Sessions {
  readonly #journal: RunJournal;
  readonly #leases = new Map<number, RunLease>();
  readonly #lives = [0, 0, 0];

  constructor(journal: RunJournal) {
    this.#journal = journal;
  }

  async lease(session: number): Promise<RunLease> {
    const held = this.#leases.get(session) ?? (await this.#journal.acquire(`s${session}`));
    this.#leases.set(session, held);
    return held;
  }

  async die(session: number): Promise<void> {
    await this.#leases.get(session)?.release();
    this.#leases.delete(session);
    this.#lives[session] = (this.#lives[session] ?? 0) + 1;
  }

  owner({ session, call }: Command): string {
    return `${session}.${this.#lives[session]}/${call}`;
  }

  isAlive(owner: string | undefined): boolean {
    return [0, 1, 2].some((session) => owner?.startsWith(`${session}.${this.#lives[session]}/`));
  }
}

function answerOf(
  key: Model | undefined,
  owner: string,
  digest: number,
  isAlive: boolean,
): OnceAnswer['kind'] {
  const isOthers = isAlive && key?.by !== owner;
  const isFree = key === undefined || (key.began === undefined && key.result === undefined && !isOthers);
  if (isFree) return 'free';
  if (key.digest !== digest) return 'differs';
  if (key.result !== undefined) return 'done';
  return isOthers ? 'busy' : 'in-doubt';
}

async function follow(journal: RunJournal, program: readonly Command[]): Promise<void> {
  const ledger = ledgerOf(journal);
  const sessions = new Sessions(journal);
  const keys = new Map<number, Model>();
  let at = 0;
  for (const command of program) {
    at += 1;
    const { kind, session, key, digest, isDone } = command;
    const known = keys.get(key);
    const owner = sessions.owner(command);
    const call: OnceCall = {
      toolName: 'pay',
      key: `k${key}`,
      digest: `d${digest}`,
      call: `${session}/${command.call}`,
      atMs: at,
    };
    const isHeld = known?.by === owner;
    const free = { by: undefined, began: undefined, result: undefined };
    switch (kind) {
      case 'begin':
      case 'find-out': {
        const lease = await sessions.lease(session);
        const expected = answerOf(known, owner, digest, sessions.isAlive(known?.by));
        const answer = await ledger.once(call, lease, kind);
        expect(answer.kind).toBe(expected);
        if (answer.kind === 'done') expect(answer.result).toBe(known?.result);
        if (answer.kind === 'in-doubt') expect(answer.began).toBe(known?.began);
        if (expected === 'free' && kind === 'begin') keys.set(key, { ...free, digest, by: owner });
        if (expected === 'in-doubt' && known !== undefined) known.by = owner;
        break;
      }
      case 'begun': {
        const lease = await sessions.lease(session);
        const change = changeOnce(journal, lease, { ...call, kind });
        if (known !== undefined && isHeld) {
          await change;
          known.began = call.call;
        } else await expect(change).rejects.toSatisfy(JournalFencedError.isInstance);
        break;
      }
      case 'done': {
        await changeOnce(journal, await sessions.lease(session), { ...call, kind, result: `r${at}` });
        if (known?.result === undefined) keys.set(key, { ...free, digest, result: `r${at}` });
        break;
      }
      case 'not-done':
        await changeOnce(journal, await sessions.lease(session), { ...call, kind });
        if (isHeld) keys.delete(key);
        break;
      case 'in-doubt':
        await changeOnce(journal, await sessions.lease(session), { ...call, kind });
        if (isHeld && known !== undefined) known.by = undefined;
        break;
      case 'die':
        await sessions.die(session);
        break;
      case 'settle': {
        const isInDoubt =
          known?.began !== undefined && known.result === undefined && !sessions.isAlive(known.by);
        const outcome = isDone
          ? ({ kind: 'done', result: `r${at}`, atMs: at } as const)
          : { kind: 'not-done' as const };
        const kept = await ledger.settleOnce(call, outcome);
        expect(kept?.state === 'in-doubt').toBe(isInDoubt);
        if (isInDoubt && isDone) keys.set(key, { ...free, digest: known.digest, result: `r${at}` });
        else if (isInDoubt) keys.delete(key);
        break;
      }
      case 'prune': {
        const done = [...keys].filter(([, each]) => each.result !== undefined);
        expect(await ledger.pruneOnce(at)).toBe(done.length);
        for (const [name] of done) keys.delete(name);
        break;
      }
    }
    const listed = [...keys].flatMap(([name, each]) => {
      if (each.result !== undefined) return [`k${name} done`];
      if (sessions.isAlive(each.by)) return [`k${name} begun`];
      return each.began === undefined ? [] : [`k${name} in-doubt`];
    });
    const kept = await ledger.onceKeys();
    expect(kept.map(({ key: name, state }) => `${name} ${state}`).toSorted()).toEqual(listed.toSorted());
  }
}

const programs = (open: () => RunJournal) => fc.asyncProperty(commands, (program) => follow(open(), program));

describe('the keys of a ledger are what a model says, whatever calls do and whenever their processes end', () => {
  it('in memory', () => fc.assert(programs(memoryJournal), { numRuns: draws(300) }));

  it.skipIf(noSqlite !== undefined)(sqliteSuite('in SQLite'), () =>
    fc.assert(
      programs(() => openJournal({ database: openDatabase() })),
      { numRuns: draws(300) },
    ),
  );
});
