import { clip, clipMiddle, pad, printable, readableDuration, wrap } from '../process/plain-text.ts';
import type { TextStyle, TextTone } from '../process/text-style.ts';
import { type CallRecord, depthOf, withInnerCalls } from './call-record.ts';
import { briefLimits, changedText, type DescriptionLimits, describeCall, noLimits } from './describe-call.ts';

/** How a table of calls is laid out. */
export interface CallTableOptions {
  /** Characters of one line. */
  readonly width: number;
  /** Rows, about; beyond it calls of the same sort are put together. `Infinity`: one row per call, and nothing is cut short. */
  readonly maxRows: number;
  readonly style: TextStyle;
}

interface Row {
  readonly cells: readonly string[];
  readonly outcome: string;
  readonly tone: TextTone;
}

/** Columns before the outcome: the widest that a cell gets, and down to what it is cut to leave the outcome its room. */
const columns = [
  { heading: 'turn', max: 9, min: 9 },
  { heading: 'call', max: 11, min: 11 },
  { heading: 'time', max: 7, min: 7 },
  { heading: 'tool', max: 21, min: 10 },
  { heading: 'arguments', max: 37, min: 10 },
] as const;
const minOutcomeWidth = 30;
const columnGap = '  ';
/** Before what became of a call, where there is no room beside it. */
const outcomeIndent = '    ';
/** What each of the two ends of a group gets of the arguments. */
const groupSubjectWidth = 17;

/**
 * The lines of a table of calls, with its headings; calls made inside of others come under them. No line is longer than
 * `width`: what became of a call goes on in further lines, beside the call or, where that is too narrow, below it.
 */
export function formatCallTable(
  records: readonly CallRecord[],
  { width, maxRows, style }: CallTableOptions,
): readonly string[] {
  const limits = Number.isFinite(maxRows) ? briefLimits : noLimits;
  const rows = groupCalls(records, maxRows).map((row) =>
    row.kind === 'hidden' ? hiddenRow(row) : toRow(row, limits),
  );
  const longest = Math.max(...rows.map(({ outcome }) => [...outcome].length));
  const widths = columnWidths(rows, width - Math.min(minOutcomeWidth, longest));
  const line = (cells: readonly string[]): string =>
    cells
      .flatMap((cell, column) => {
        const columnWidth = widths[column] ?? 0;
        return columnWidth === 0 ? [] : [pad(clipMiddle(cell, columnWidth), columnWidth) + columnGap];
      })
      .join('');
  const taken = widths.reduce(
    (sum, columnWidth) => sum + (columnWidth === 0 ? 0 : columnWidth + columnGap.length),
    0,
  );
  const room = width - taken;
  const heading = line(columns.map((column) => column.heading)) + (room < 'outcome'.length ? '' : 'outcome');
  return [
    style('heading', clip(heading.trimEnd(), width)),
    ...rows.flatMap(({ cells, outcome, tone }) => {
      if (room < minOutcomeWidth && [...outcome].length > room) {
        const below = wrap(outcome, Math.max(1, width - outcomeIndent.length));
        return [
          clip(line(cells).trimEnd(), width),
          ...below.map((part) => outcomeIndent + style(tone, part)),
        ];
      }
      const [first = '', ...more] = wrap(outcome, room).map((part) => style(tone, part));
      return [`${line(cells)}${first}`.trimEnd(), ...more.map((part) => ' '.repeat(taken) + part)];
    }),
  ];
}

/** As wide as the cells need, 0 for arguments that no call has; arguments, then tools, are cut when that is more than `room`. */
function columnWidths(rows: readonly Row[], room: number): readonly number[] {
  const widths = columns.map(({ heading, max }, column) => {
    const widest = Math.max(0, ...rows.map((row) => [...(row.cells[column] ?? '')].length));
    return widest === 0 ? 0 : Math.max(heading.length, Math.min(widest, max));
  });
  let missing = widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + columnGap.length), 0) - room;
  return widths
    .toReversed()
    .map((width, index) => {
      const spare = Math.max(0, width - (columns.at(-1 - index)?.min ?? 0));
      const given = Math.min(spare, Math.max(0, missing));
      missing -= given;
      return width - given;
    })
    .toReversed();
}

function hiddenRow({ count }: HiddenCalls): Row {
  const outcome = `${count} ${count === 1 ? 'call' : 'calls'} not shown; --full shows all`;
  return { cells: ['…', '…', '', '', ''], outcome, tone: 'faint' };
}

function toRow(group: CallGroup, limits: DescriptionLimits): Row {
  const { first, last, count, durationMs } = group;
  const depth = depthOf(first);
  const ends = [first.subject, last.subject].map((end) => clipMiddle(printable(end), groupSubjectWidth));
  const toolName = printable(first.toolName);
  return {
    cells: [
      // The turns of an evaluation inside a call are not those of the run.
      depth === 0 ? range(first.turn, last.turn) : '',
      range(first.number, last.number),
      durationMs === undefined ? '' : readableDuration(durationMs),
      ' '.repeat(depth) + (count === 1 ? toolName : `${count} × ${toolName}`),
      count === 1 ? printable(first.subject) : ends.join(' … '),
    ],
    ...(count === 1 ? oneOutcome(first, limits) : groupOutcome(group, limits)),
  };
}

function range<End extends number | string>(from: End, to: End): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

function oneOutcome(record: CallRecord, limits: DescriptionLimits): Pick<Row, 'outcome' | 'tone'> {
  const { outcome, facts, tone } = describeCall(record, limits);
  return { outcome: [outcome, ...facts].join('; '), tone };
}

function groupOutcome(group: CallGroup, limits: DescriptionLimits): Pick<Row, 'outcome' | 'tone'> {
  const { first, last, reruns, mostInTurn } = group;
  // What one of them came to says nothing of the others.
  const { outcome, tone } = describeCall({ ...first, attempts: 1, message: '' }, limits);
  const parallel = first.turn === last.turn || depthOf(first) > 0 ? '' : `, up to ${mostInTurn} in one turn`;
  return reruns === 0
    ? { outcome: `${outcome}${parallel}`, tone }
    : {
        outcome: `${outcome}${parallel}, ${reruns} of them re-run: ${changedText(group, limits)}`,
        tone: 'warning',
      };
}

/** One call, or several like it, one after another: same tool, all committed, nothing more to say of them. */
interface CallGroup {
  readonly kind: 'calls';
  readonly first: CallRecord;
  last: CallRecord;
  count: number;
  reruns: number;
  /** What had changed under those that were re-run. */
  readonly conflicts: string[];
  /** Calls of the turn that is being counted, and of the turn that had most. */
  inTurn: number;
  mostInTurn: number;
  durationMs: number | undefined;
}

/** Calls that are left out. */
interface HiddenCalls {
  readonly kind: 'hidden';
  readonly count: number;
}

/**
 * Calls with those inside of them, in about `maxRows` rows: puts together first calls of one turn, then those of several
 * turns, and leaves out rows only if that is not enough. Every call that was not committed keeps a row of its own for as
 * long as there is room.
 */
function groupCalls(records: readonly CallRecord[], maxRows: number): readonly (CallGroup | HiddenCalls)[] {
  const all = withInnerCalls(records);
  const single = all.map(toGroup);
  if (single.length <= maxRows) return single;
  const byTurn = grouped(all, (group, record) => group.first.turn === record.turn);
  if (byTurn.length <= maxRows) return byTurn;
  const across = grouped(all, () => true);
  if (across.length <= maxRows) return across;
  return cutMiddle(across, maxRows);
}

function grouped(
  records: readonly CallRecord[],
  joins: (group: CallGroup, record: CallRecord) => boolean,
): readonly CallGroup[] {
  const groups: CallGroup[] = [];
  for (const record of records) {
    const group = groups.at(-1);
    if (group !== undefined && isLike(group.first, record) && joins(group, record)) {
      group.inTurn = group.last.turn === record.turn ? group.inTurn + 1 : 1;
      group.mostInTurn = Math.max(group.mostInTurn, group.inTurn);
      group.last = record;
      group.count += 1;
      group.conflicts.push(...record.conflicts);
      group.reruns += record.attempts > 1 ? 1 : 0;
      if (record.durationMs !== undefined) group.durationMs = (group.durationMs ?? 0) + record.durationMs;
    } else groups.push(toGroup(record));
  }
  return groups;
}

function isLike(left: CallRecord, right: CallRecord): boolean {
  return (
    left.toolName === right.toolName &&
    left.outcome === right.outcome &&
    isPlain(left) &&
    isPlain(right) &&
    left.inner.length === 0 &&
    right.inner.length === 0 &&
    depthOf(left) === depthOf(right) &&
    left.undoneWith === right.undoneWith
  );
}

/** Calls that went well, changed no file and that no policy had a word about: the others are what the table is for. */
function isPlain({ outcome, changedFiles, approvals, unenforced }: CallRecord): boolean {
  const isFine = outcome === 'committed' || outcome === 'hosted';
  return isFine && changedFiles === 0 && approvals.length === 0 && unenforced.length === 0;
}

function cutMiddle(groups: readonly CallGroup[], maxRows: number): readonly (CallGroup | HiddenCalls)[] {
  const notable = groups.filter(({ first }) => !isPlain(first)).length;
  let plainLeft = Math.max(2, maxRows - notable);
  let notableLeft = Math.max(2, maxRows - 2);
  const kept = groups.map(({ first }) => (isPlain(first) ? plainLeft-- > 0 : notableLeft-- > 0));
  const rows: (CallGroup | HiddenCalls)[] = [];
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0) rows.push({ kind: 'hidden', count: hidden });
    hidden = 0;
  };
  for (const [index, group] of groups.entries()) {
    if (kept[index] === true) {
      flush();
      rows.push(group);
    } else hidden += group.count;
  }
  flush();
  return rows;
}

function toGroup(record: CallRecord): CallGroup {
  return {
    kind: 'calls',
    first: record,
    last: record,
    count: 1,
    reruns: record.attempts > 1 ? 1 : 0,
    conflicts: [...record.conflicts],
    inTurn: 1,
    mostInTurn: 1,
    durationMs: record.durationMs,
  };
}
