import { explainMiss, missingAnchor } from './explain-miss.ts';
import type { Anchor, Hunk } from './parse-diff.ts';
import { DiffRefusal } from './refusal.ts';
import { type FoundPlace, oldLines, type Search } from './search.ts';

/** A hunk and its place. */
export interface PlacedHunk extends FoundPlace {
  readonly hunk: Hunk;
}

/**
 * Finds the place of each hunk: the first one after the hunk before it, and after its anchors.
 * @throws {DiffRefusal} for a hunk or an anchor that is not there, and where a place would be guessed.
 */
export function placeHunks(search: Search, hunks: readonly Hunk[]): readonly PlacedHunk[] {
  const placed: PlacedHunk[] = [];
  let from = 0;
  // What the hunk before is under: such an anchor may be said again.
  let block: ReadonlySet<string> = new Set();
  for (const hunk of hunks) {
    const { at, isLoose } = placeHunk(search, hunk, from, block);
    placed.push({ hunk, at, isLoose });
    from = at + oldLines(hunk).length;
    if (hunk.anchors.length > 0) block = new Set(hunk.anchors.map(({ text }) => text.trim()));
  }
  return placed;
}

function placeHunk(search: Search, hunk: Hunk, from: number, block: ReadonlySet<string>): FoundPlace {
  const sought = oldLines(hunk);
  const after = afterAnchors(search, hunk, from, block);
  const isSaidAgain = after > from && hunk.anchors.every(({ text }) => block.has(text.trim()));
  // Lines that are only added fit anywhere: with an anchor that is said again, and is there again, the place is not known.
  if (sought.length === 0) return placeInsertion(search, hunk, from, isSaidAgain ? from : after);
  if (hunk.isAtEnd) {
    const found = search.findAtEnd(sought, after);
    if (found !== undefined) return found;
    throw new DiffRefusal(explainMiss(search, hunk, sought, { from, after }));
  }
  const found = search.find(sought, after);
  if (isSaidAgain) {
    // The anchors are those of the hunk before, and there are such lines further on, too.
    const near = search.find(sought, from);
    if (near !== undefined && found === undefined) return near;
    if (near !== undefined && found !== undefined && near.at !== found.at) {
      throw new DiffRefusal(
        `Hunk ${hunk.number} (line ${hunk.line} of the diff) could begin at line ${near.at + 1} or at line ${found.at + 1} of ${search.name}: its anchors are those of the hunk before, and are there again before the latter. Give it more unchanged lines.`,
      );
    }
  }
  if (found !== undefined) return found;
  throw new DiffRefusal(explainMiss(search, hunk, sought, { from, after }));
}

/** The line after the last anchor; `from` where all anchors are said again and not there again. */
function afterAnchors(search: Search, { anchors }: Hunk, from: number, block: ReadonlySet<string>): number {
  let after = from;
  for (const anchor of anchors) {
    const found = findAnchor(search, anchor, after);
    if (found !== undefined) after = found + 1;
    else if (after !== from || !block.has(anchor.text.trim()))
      throw new DiffRefusal(missingAnchor(search, anchor, after));
  }
  return after;
}

/** An anchor writes nothing, so that its indentation need not be exact. */
function findAnchor(search: Search, { text }: Anchor, from: number): number | undefined {
  return search.lines('exact').firstFrom(text, from) ?? search.lines('both').firstFrom(text, from);
}

/** The place of lines that are only added. */
function placeInsertion(
  { file }: Search,
  { anchors, isAtEnd, line, number }: Hunk,
  from: number,
  after: number,
): FoundPlace {
  if (isAtEnd && file.visibleCount >= after) return { at: file.visibleCount, isLoose: false };
  if (isAtEnd || (anchors.length > 0 && after > from)) return { at: after, isLoose: false };
  if (file.visibleCount === 0 && from === 0) return { at: 0, isLoose: false };
  throw new DiffRefusal(
    `Hunk ${number} (line ${line} of the diff) only adds lines, and nothing says where. Give it an unchanged line beside them, a line of the file after "@@ ", or "*** End of File" after them.`,
  );
}
