/**
 * Parts of a text: the start and the end of each, one after the other, in UTF-16 units. The parts are in order, not empty, and do not touch.
 * As plain numbers, so that they can be stored.
 */
export type TextRanges = readonly number[];

/** All parts that are in one of the two. */
export function joinRanges(left: TextRanges, right: TextRanges): TextRanges {
  if (left.length === 0) return right;
  if (right.length === 0) return left;
  return rangesOf([...partsOf(left), ...partsOf(right)]);
}

/** The ranges of parts in any order; they may touch, overlap and be empty. */
export function rangesOf(parts: Iterable<readonly [start: number, end: number]>): TextRanges {
  const sorted = [...parts].filter(([start, end]) => start < end).sort(([left], [right]) => left - right);
  const joined: number[] = [];
  for (const [start, end] of sorted) {
    const last = joined.at(-1);
    if (last === undefined || start > last) joined.push(start, end);
    else joined[joined.length - 1] = Math.max(last, end);
  }
  return joined;
}

/** The parts as pairs. */
export function* partsOf(ranges: TextRanges): Generator<readonly [start: number, end: number], void> {
  for (let index = 0; index + 1 < ranges.length; index += 2)
    yield [ranges[index] ?? 0, ranges[index + 1] ?? 0];
}

/** The parts of the text from `start` to `end` that are not in the ranges. */
export function missingFrom(ranges: TextRanges, start: number, end: number): TextRanges {
  const missing: number[] = [];
  let at = start;
  for (const [from, to] of partsOf(ranges)) {
    if (to <= at) continue;
    if (from >= end) break;
    if (from > at) missing.push(at, from);
    at = to;
  }
  if (at < end) missing.push(at, end);
  return missing;
}

/** Whether all of the text from `start` to `end` is in the ranges. */
export function coversRange(ranges: TextRanges, start: number, end: number): boolean {
  return missingFrom(ranges, start, end).length === 0;
}
