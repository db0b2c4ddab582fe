import { expect, it } from 'vitest';
import { endedText } from '../../../../src/cli/runs/report-lines.ts';

it.each([
  [0, '49 s, just now'],
  [59_999, '49 s, just now'],
  [-1000, '49 s, just now'],
  [60_000, '49 s, 1 min ago'],
  [2 * 86_400_000, '49 s, 2 days ago'],
])('an end %d ms ago is told as "%s"', (ageMs, text) => {
  const updatedAtMs = 1_790_000_049_000;
  expect(endedText({ startedAtMs: updatedAtMs - 49_000, updatedAtMs }, updatedAtMs + ageMs)).toBe(text);
});
