import { describe, expect, it } from 'vitest';
import type { LeaseMoment } from 'weakincentives/durable';
import { isOver, isTimeUp, type LeaseTimes } from '../../../../src/durable/sqlite/store/lease-times.ts';
import { type ProcessIdentity, presentProcess } from '../../../../src/host/lock/index.ts';

const here = presentProcess();
/** No process has this number. */
const ended: ProcessIdentity = { ...here, pid: 2 ** 30, startedAt: '' };
const elsewhere: ProcessIdentity = { ...here, host: 'another' };
const otherSpace: ProcessIdentity = { ...ended, space: 'another boot' };
const unknownSpace: ProcessIdentity = { ...ended, space: '' };

const timeoutMs = 1000;
const day = 86_400_000;

/** A lease that was renewed at these times. */
const lease = (process: ProcessIdentity | undefined, nowMs: number, tickMs: number | null): LeaseTimes => ({
  until_ms: nowMs + timeoutMs,
  timeout_ms: timeoutMs,
  tick_ms: tickMs,
  process: process === undefined ? '' : JSON.stringify(process),
});

const at = (nowMs: number, tickMs?: number): LeaseMoment => ({
  nowMs,
  timeoutMs: 5,
  holder: JSON.stringify(here),
  ...(tickMs === undefined ? {} : { tickMs }),
});

describe('a lease', () => {
  it('is over at once when its process has ended, where that can be seen', () => {
    for (const [holder, isFree] of [
      [ended, true],
      [here, false],
      [elsewhere, false],
      // Its number may be that of another process here.
      [otherSpace, false],
      [unknownSpace, false],
      [undefined, false],
    ] as const) {
      expect(isOver(lease(holder, day, 10), at(day, 10)), JSON.stringify(holder)).toBe(isFree);
      expect(isTimeUp(lease(holder, day, 10), at(day, 10)), JSON.stringify(holder)).toBe(false);
    }
  });

  it('lasts as long as it says itself, whatever the time-out of the one who asks', () => {
    for (const holder of [here, elsewhere, undefined]) {
      expect(isTimeUp(lease(holder, day, 10), at(day + 999, 1009))).toBe(false);
      expect(isTimeUp(lease(holder, day, 10), at(day + 1000, 1010))).toBe(true);
    }
  });

  it.each([-day, -5, 5, day])('of this machine is the same when the clock is set by %d ms', (ms) => {
    expect(isTimeUp(lease(here, day, 10), at(day + ms, 1009))).toBe(false);
    expect(isTimeUp(lease(here, day, 10), at(day + ms, 1010))).toBe(true);
  });

  it('by a clock alone is over when it was renewed in the future of that clock', () => {
    // The clock of the caller, or another machine.
    for (const [held, tickMs] of [
      [lease(here, day, null), undefined],
      [lease(here, day, 10), undefined],
      [lease(here, day, null), 20],
      [lease(elsewhere, day, 10), 20],
      [lease(otherSpace, day, 10), 20],
      [lease(undefined, day, null), 20],
    ] as const) {
      expect(isTimeUp(held, at(day, tickMs))).toBe(false);
      // Another clock may be a little ahead, and the lease may have been renewed after the moment was taken.
      expect(isTimeUp(held, at(day - 333, tickMs))).toBe(false);
      expect(isTimeUp(held, at(day - 334, tickMs))).toBe(true);
      expect(isTimeUp(held, at(0, tickMs))).toBe(true);
    }
  });

  it('of this machine that was renewed after the moment was taken is held', () => {
    for (const ms of [0, -5, -day]) expect(isTimeUp(lease(here, day, 10), at(day + ms, 9))).toBe(false);
    expect(isTimeUp(lease(here, day, 400), at(day, 67))).toBe(false);
  });

  it('of before the machine was started again is one of the clock alone', () => {
    expect(isTimeUp(lease(here, day, 5000), at(day + 999, 10))).toBe(false);
    expect(isTimeUp(lease(here, day, 5000), at(day + 1000, 10))).toBe(true);
  });

  it('is read from a driver that returns integers as bigint', () => {
    const held = {
      ...lease(here, day, 10),
      until_ms: BigInt(day + timeoutMs),
      timeout_ms: 1000n,
      tick_ms: 10n,
    };
    expect(isTimeUp(held, at(day, 1009))).toBe(false);
    expect(isTimeUp(held, at(day, 1010))).toBe(true);
    expect(isTimeUp(held, at(day + 999))).toBe(false);
  });

  it('whose process cannot be read counts by the clock', () => {
    for (const process of ['{}', '{"host":1}']) {
      const held = { ...lease(here, day, 10), process };
      expect(isOver(held, at(day, 1010))).toBe(false);
      expect(isOver(held, at(day + 1000, 20))).toBe(true);
    }
  });
});
