const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** The longest that timers can wait: 24 days. */
const MAX_MS = 2_147_483_647;

/** Milliseconds of `30s`, `10m`, `1h` or `1.5h`; undefined for anything else, for nothing, and beyond 24 days. */
export function readDuration(text: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([smh])$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(amount) * (unitsMs[unit] ?? 0));
  return milliseconds >= 1 && milliseconds <= MAX_MS ? milliseconds : undefined;
}
