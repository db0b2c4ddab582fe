import { type Edit, editScript, fileLines, present } from '../../core/internal/index.ts';
import type { RecordedFileChange } from '../../record/index.ts';

/** One line of a difference, with its numbers before and after. */
export interface DiffLine {
  readonly op: Edit;
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** Lines that are shown, or the number of equal lines that are left out. */
export type DiffPart = DiffLine | { readonly op: 'gap'; readonly lines: number };

export interface FileDiff {
  readonly parts: readonly DiffPart[];
  readonly added: number;
  readonly removed: number;
}

/** More edits than this are shown as one replacement of everything. */
const maxEdits = 3000;
const contextLines = 2;

/** All lines of a difference between two texts. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = fileLines(before);
  const fresh = fileLines(after);
  const edits = editScript(old, fresh, maxEdits) ?? [
    ...old.map((): Edit => 'removed'),
    ...fresh.map((): Edit => 'added'),
  ];
  const found: DiffLine[] = [];
  let left = 0;
  let right = 0;
  for (const op of edits) {
    const text = (op === 'added' ? fresh[right] : old[left]) ?? '';
    if (op !== 'added') left += 1;
    if (op !== 'removed') right += 1;
    found.push({
      op,
      text,
      ...present({ before: op === 'added' ? undefined : left, after: op === 'removed' ? undefined : right }),
    });
  }
  return found;
}

/** The difference as it is shown: changed lines with a few around them. */
export function shownDiff(lines: readonly DiffLine[]): FileDiff {
  const near = new Uint8Array(lines.length);
  let added = 0;
  let removed = 0;
  lines.forEach(({ op }, index) => {
    if (op === 'same') return;
    if (op === 'added') added += 1;
    else removed += 1;
    near.fill(1, Math.max(0, index - contextLines), index + contextLines + 1);
  });
  const parts: DiffPart[] = [];
  let hidden = 0;
  lines.forEach((line, index) => {
    if (near[index] !== 1) {
      hidden += 1;
      return;
    }
    if (hidden > 0) parts.push({ op: 'gap', lines: hidden });
    hidden = 0;
    parts.push(line);
  });
  if (hidden > 0) parts.push({ op: 'gap', lines: hidden });
  return { parts, added, removed };
}

/** The contents of a changed file as text; undefined where one of them is binary, or was not kept. */
export function textsOf(
  change: RecordedFileChange,
): { readonly before: string; readonly after: string } | undefined {
  const { before, after } = change;
  if (before !== undefined && before.text === undefined) return undefined;
  if (after !== undefined && after.text === undefined) return undefined;
  return { before: before?.text ?? '', after: after?.text ?? '' };
}
