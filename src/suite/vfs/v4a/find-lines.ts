import type { NumberedLines } from './file-lines.ts';
import { DiffRefusal } from './refusal.ts';

/** How many comparisons of lines are left. */
export interface Effort {
  left: number;
}

/** Where lines are found: their first line, or -1; and how many of them the best place has at their start. */
export interface FoundLines {
  readonly at: number;
  readonly best: { readonly at: number; readonly length: number };
}

/**
 * The first place from `from` on where all lines follow each other, in time linear in the lines of the file and those that are sought (Knuth, Morris, Pratt).
 * @throws {DiffRefusal} when no effort is left.
 */
export function findLines(
  lines: NumberedLines,
  sought: readonly string[],
  from: number,
  effort: Effort,
): FoundLines {
  const { numbers } = lines;
  const wanted = Int32Array.from(sought, (line) => lines.numberOf(line));
  const borders = bordersOf(wanted, effort);
  let matched = 0;
  let best = { at: from, length: 0 };
  for (let line = from; line < numbers.length; line += 1) {
    spend(effort);
    while (matched > 0 && numbers[line] !== wanted[matched]) {
      matched = borders[matched - 1] ?? 0;
      spend(effort);
    }
    if (numbers[line] === wanted[matched]) matched += 1;
    if (matched > best.length) best = { at: line - matched + 1, length: matched };
    if (matched === wanted.length) return { at: line - matched + 1, best };
  }
  return { at: -1, best };
}

/** For each prefix, how long the longest other prefix is that it ends with. */
function bordersOf(wanted: Int32Array, effort: Effort): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    spend(effort);
    while (length > 0 && wanted[index] !== wanted[length]) {
      length = borders[length - 1] ?? 0;
      spend(effort);
    }
    if (wanted[index] === wanted[length]) length += 1;
    borders[index] = length;
  }
  return borders;
}

/** Whether all lines follow each other from `at` on. */
export function areLinesAt(
  lines: NumberedLines,
  sought: readonly string[],
  at: number,
  effort: Effort,
): boolean {
  if (at < 0 || at + sought.length > lines.numbers.length) return false;
  return sought.every((line, index) => {
    spend(effort);
    return lines.numbers[at + index] === lines.numberOf(line);
  });
}

function spend(effort: Effort): void {
  effort.left -= 1;
  if (effort.left >= 0) return;
  throw new DiffRefusal(
    'Finding the hunks takes too long: many of their lines are in many places. Give fewer hunks in one call, with lines that the file has once.',
  );
}
