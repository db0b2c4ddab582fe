import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clock, JournalFencedError, type RunLease, SessionBusyError } from 'weakincentives';
import { type SqliteRunJournal, sqliteJournal } from 'weakincentives/sqlite';
import { rowsOf, summaryOf } from '../contract/run-journal.ts';
import { draws } from '../support/draws.ts';
import { noSqlite, openDatabase, sqliteSuite } from '../support/sqlite.ts';
import { tempFolder } from '../unit/host/temp-folder.ts';

const timeoutMs = 90;

/** One step of a program of two processes on one file. */
interface Command {
  readonly kind: 'acquire' | 'take-over' | 'release' | 'revoke' | 'append' | 'remove' | 'advance' | 'beat';
  readonly process: 0 | 1;
  readonly session: number;
  readonly run: number;
  /** Added to the number that follows the last row. */
  readonly offset: number;
  readonly count: number;
  readonly durationMs: number;
}

const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...([
        'acquire',
        'acquire',
        'take-over',
        'release',
        'revoke',
        'append',
        'append',
        'append',
        'remove',
      ] as const),
      ...(['advance', 'beat'] as const),
    ),
    process: fc.constantFrom(0, 1),
    session: fc.nat({ max: 1 }),
    run: fc.nat({ max: 2 }),
    offset: fc.constantFrom(0, 0, 0, 0, 1, -1),
    count: fc.nat({ max: 3 }),
    durationMs: fc.constantFrom(40, 90),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

/** A process: its journal, and what makes it give a beat. */
interface Process {
  readonly journal: SqliteRunJournal;
  /** The latest lease of each session, whether it has ended or not. */
  readonly leases: Map<number, RunLease>;
  beat(): Promise<void>;
}

interface Owner {
  readonly lease: RunLease;
  untilMs: number;
}

/** Both processes, and what their journal has to hold. */
class Program {
  nowMs = 1_000;
  readonly #processes: readonly [Process, Process];
  readonly #owners = new Map<number, Owner>();
  /** Until when the leases last that have neither been released nor found to be lost, as far as their processes know. */
  readonly #knownUntilMs = new Map<RunLease, number>();
  readonly #runs = new Map<number, { readonly session: number; readonly rows: number }>();
  #epoch = 0;

  constructor(open: (clock: Clock) => SqliteRunJournal) {
    this.#processes = [this.#process(open), this.#process(open)];
  }

  async run(command: Command): Promise<void> {
    const { process: number, session, run } = command;
    const { journal, leases, beat } = this.#processes[number];
    const lease = leases.get(session);
    const owner = this.#owners.get(session);
    switch (command.kind) {
      case 'acquire': {
        const acquired = journal.acquire(`s${session}`);
        if (owner !== undefined && owner.untilMs > this.nowMs) {
          await expect(acquired).rejects.toSatisfy(SessionBusyError.isInstance);
          return;
        }
        this.#hold(session, await acquired, leases);
        return;
      }
      case 'take-over': {
        // The latest lease that the other process had of the session: the present one, or one that has ended.
        const ended = this.#processes[number === 0 ? 1 : 0].leases.get(session);
        const acquired = journal.acquire(`s${session}`, ended);
        if (owner !== undefined && owner.untilMs > this.nowMs && owner.lease !== ended) {
          await expect(acquired).rejects.toSatisfy(SessionBusyError.isInstance);
          return;
        }
        this.#hold(session, await acquired, leases);
        return;
      }
      case 'release':
        await lease?.release();
        if (lease !== undefined) this.#knownUntilMs.delete(lease);
        if (lease !== undefined && owner?.lease === lease) this.#owners.delete(session);
        return;
      case 'revoke':
        await journal.revoke(`s${session}`);
        this.#owners.delete(session);
        return;
      case 'append':
        if (lease !== undefined) await this.#append(command, journal, lease, leases);
        return;
      case 'remove':
        await this.#remove(run, journal, leases);
        return;
      case 'advance':
        this.nowMs += command.durationMs;
        return;
      case 'beat':
        await beat();
        this.#renewed(leases);
    }
  }

  /** The leases of a process were renewed, unless they have another owner. */
  #renewed(leases: Process['leases']): void {
    const owners = [...this.#owners.values()];
    for (const lease of leases.values()) {
      if (!this.#knownUntilMs.has(lease)) continue;
      const owner = owners.find((each) => each.lease === lease);
      expect(lease.signal.aborted).toBe(owner === undefined);
      if (owner === undefined) this.#knownUntilMs.delete(lease);
      else {
        owner.untilMs = this.nowMs + timeoutMs;
        this.#knownUntilMs.set(lease, owner.untilMs);
      }
    }
  }

  /** A lease that was found to be lost has no time left. */
  #checkHeld(leases: Process['leases']): void {
    for (const lease of leases.values()) {
      if (lease.signal.aborted) this.#knownUntilMs.delete(lease);
      expect(lease.isHeld()).toBe((this.#knownUntilMs.get(lease) ?? 0) > this.nowMs);
    }
  }

  /** The journal holds what the program wrote, in both processes. */
  async check(): Promise<void> {
    for (const { journal } of this.#processes) {
      const listed = await journal.runs();
      expect(new Map(listed.map(({ runId, sessionId, rows }) => [runId, { sessionId, rows }]))).toEqual(
        new Map(
          [...this.#runs].map(([run, { session, rows }]) => [`r${run}`, { sessionId: `s${session}`, rows }]),
        ),
      );
      for (const [run, { rows }] of this.#runs)
        expect(await journal.read(`r${run}`)).toEqual(rowsOf(0, rows));
      for (const { sessionId, status } of listed) {
        const owner = this.#owners.get(Number(sessionId.slice(1)));
        expect(status).toBe(owner !== undefined && owner.untilMs > this.nowMs ? 'running' : 'interrupted');
      }
    }
  }

  #hold(session: number, lease: RunLease, leases: Process['leases']): void {
    expect(lease.epoch).toBeGreaterThan(this.#epoch);
    this.#epoch = lease.epoch;
    leases.set(session, lease);
    const untilMs = this.nowMs + timeoutMs;
    this.#owners.set(session, { lease, untilMs });
    this.#knownUntilMs.set(lease, untilMs);
  }

  async end(): Promise<void> {
    for (const { journal } of this.#processes) await journal[Symbol.asyncDispose]();
  }

  async #append(
    { session, run, offset, count }: Command,
    journal: SqliteRunJournal,
    lease: RunLease,
    leases: Process['leases'],
  ): Promise<void> {
    this.#checkHeld(leases);
    const isLate = [...leases.values()].some(
      (each) => (this.#knownUntilMs.get(each) ?? Infinity) < this.nowMs + timeoutMs / 2,
    );
    const isRenewed = isLate && !lease.signal.aborted;
    const kept = this.#runs.get(run);
    const last = kept?.rows ?? 0;
    const from = Math.max(last + offset, 0);
    const owner = this.#owners.get(session);
    const appended = journal.append(
      { runId: `r${run}`, rows: rowsOf(from, count), summary: summaryOf() },
      lease,
    );
    const fits = (count === 0 || from === last) && (kept === undefined || kept.session === session);
    if (owner === undefined || owner.lease !== lease || lease.signal.aborted || !fits) {
      await expect(appended).rejects.toSatisfy(JournalFencedError.isInstance);
      if (isRenewed) this.#renewed(leases);
      this.#checkHeld(leases);
      return;
    }
    await appended;
    if (isRenewed) this.#renewed(leases);
    this.#checkHeld(leases);
    this.#runs.set(run, { session, rows: last + count });
  }

  async #remove(run: number, journal: SqliteRunJournal, leases: Process['leases']): Promise<void> {
    const kept = this.#runs.get(run);
    const owner = kept === undefined ? undefined : this.#owners.get(kept.session);
    const lease = kept === undefined ? undefined : leases.get(kept.session);
    const removed = journal.remove(`r${run}`, lease);
    if (owner !== undefined && owner.untilMs > this.nowMs && owner.lease !== lease) {
      await expect(removed).rejects.toSatisfy(SessionBusyError.isInstance);
      return;
    }
    await removed;
    this.#runs.delete(run);
    const hasEnded = owner !== undefined && owner.untilMs <= this.nowMs && owner.lease !== lease;
    if (kept !== undefined && hasEnded) this.#owners.delete(kept.session);
  }

  #process(open: (clock: Clock) => SqliteRunJournal): Process {
    let due: (() => void) | undefined;
    const journal = open({
      now: () => this.nowMs,
      // Beats are given by the program only.
      schedule: (_delayMs, callback) => {
        due = callback;
        return () => {
          due = undefined;
        };
      },
    });
    return {
      journal,
      leases: new Map(),
      beat: async () => {
        due?.();
        // Answers come in order.
        await journal.read('none');
      },
    };
  }
}

describe.skipIf(noSqlite !== undefined)(
  sqliteSuite('random programs of two processes on one journal'),
  () => {
    const forms = {
      'on databases of their own': (file: string) => ({ database: openDatabase(file) }),
      'in threads': (file: string) => ({ file }),
    };
    it.each(Object.entries(forms))(
      '%s leave what a model says, each row once, and never two owners',
      async (name, form) => {
        await fc.assert(
          fc.asyncProperty(commands, async (program) => {
            const file = join(tempFolder(), 'runs.db');
            const run = new Program((clock) =>
              sqliteJournal({
                ...form(file),
                clock,
                leaseTimeoutMs: timeoutMs,
                synchronous: 'normal',
              }),
            );
            for (const command of program) await run.run(command);
            await run.check();
            await run.end();
          }),
          { numRuns: draws(name === 'in threads' ? 15 : 60) },
        );
      },
    );
  },
);
