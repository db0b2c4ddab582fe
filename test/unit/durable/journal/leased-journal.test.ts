import { describe, expect, it } from 'vitest';
import { JournalError, JournalFencedError, SessionBusyError } from 'weakincentives';
import { type JournalBackend, type LeasedJournalOptions, leasedJournal } from 'weakincentives/durable';
import { createManualClock } from 'weakincentives/testing';

/** A backend without tables: each operation answers, or fails as a test says. */
function backendThat(given: Partial<JournalBackend> = {}): JournalBackend & { readonly renewed: unknown[] } {
  const renewed: unknown[] = [];
  let epochs = 0;
  return {
    renewed,
    append: async () => ({ waiting: 0, isCancelled: false }),
    read: async () => [],
    acquire: async () => ({ epoch: (epochs += 1), formerOwner: undefined }),
    renew: async (leases) => {
      renewed.push(leases);
      return [];
    },
    release: async () => undefined,
    revoke: async () => undefined,
    send: async () => undefined,
    messages: async () => [],
    inboxes: async (runIds) => runIds.map(() => ({ waiting: 0, isCancelled: false })),
    runs: async () => [],
    remove: async () => undefined,
    close: async () => undefined,
    ...given,
  };
}

const open = (given: Partial<JournalBackend> = {}, options: Partial<LeasedJournalOptions> = {}) =>
  leasedJournal({ backend: backendThat(given), ...options });

/** A beat awaits the backend. */
const beats = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a journal over a backend', () => {
  it.each([
    ['no backend', {}, /backend/],
    ['no time for a lease', { backend: backendThat(), leaseTimeoutMs: 0 }, /leaseTimeoutMs/],
    ['an unknown option', { backend: backendThat(), leaseTimeout: 5 }, /the nearest is "leaseTimeoutMs"/],
    ['a tick that is no function', { backend: backendThat(), tickMs: 5 }, /tickMs/],
  ])('refuses %s', (_, options, message) => {
    expect(() => leasedJournal(options as never)).toThrow(message);
    expect(() => leasedJournal(options as never)).toThrow(
      expect.objectContaining({ code: 'journal-invalid' }),
    );
  });

  it('rejects with the error of the backend as a cause, or with the error itself when it is one of the library', async () => {
    const failure = new Error('the wire is cut');
    const failing = open({ read: async () => Promise.reject(failure) });
    await expect(failing.read('a')).rejects.toMatchObject({ code: 'journal-failed', cause: failure });
    const damaged = open({
      read: async () => Promise.reject(failure),
      isDamage: (error) => error === failure,
    });
    await expect(damaged.read('a')).rejects.toMatchObject({ code: 'journal-damaged', cause: failure });
    const busy = new SessionBusyError('Another one has it.');
    await expect(open({ acquire: async () => Promise.reject(busy) }).acquire('s')).rejects.toBe(busy);
  });

  it('ends all leases when the backend has lost them', async () => {
    let lose = (_cause: unknown): void => undefined;
    const journal = open({ onLoss: (listener) => void (lose = listener) });
    const [first, second] = [await journal.acquire('a'), await journal.acquire('b')];
    lose(new Error('rolled back'));
    for (const { signal, isHeld } of [first, second]) {
      expect(signal.reason).toBeInstanceOf(JournalFencedError);
      expect(isHeld()).toBe(false);
    }
  });

  it('renews what it holds three times in the time-out, and no longer than it is held', async () => {
    const clock = createManualClock();
    const backend = backendThat();
    const journal = leasedJournal({ backend, clock, leaseTimeoutMs: 300, ids: () => 'me' });
    const lease = await journal.acquire('s');
    for (let beat = 1; beat <= 3; beat += 1) {
      clock.advance(100);
      await beats();
      expect(backend.renewed).toHaveLength(beat);
    }
    expect(backend.renewed[0]).toEqual([{ sessionId: 's', owner: 'me', epoch: 1 }]);
    await lease.release();
    clock.advance(1000);
    await beats();
    expect(backend.renewed).toHaveLength(3);
  });

  it('holds a lease for as long as it was renewed, by its own clock', async () => {
    const clock = createManualClock();
    const journal = leasedJournal({
      backend: backendThat({ renew: async () => Promise.reject(new Error('away')) }),
      clock,
      leaseTimeoutMs: 300,
    });
    const lease = await journal.acquire('s');
    clock.advance(299);
    expect(lease.isHeld()).toBe(true);
    clock.advance(1);
    expect(lease.isHeld()).toBe(false);
  });

  it('writes nothing when it is only read, and does nothing once it is closed', async () => {
    const reading = open({}, { readOnly: true });
    await expect(reading.acquire('s')).rejects.toMatchObject({ code: 'journal-read-only' });
    await expect(reading.remove('a')).rejects.toMatchObject({ code: 'journal-read-only' });
    expect(await reading.runs()).toEqual([]);
    await reading[Symbol.asyncDispose]();
    await expect(reading.runs()).rejects.toThrow(JournalError);
    await expect(reading.runs()).rejects.toMatchObject({ code: 'journal-closed' });
  });
});
