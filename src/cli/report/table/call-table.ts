import { equalFailures, failureWord } from '../../../record/index.ts';
import {
  clipColumns,
  clipMiddleColumns,
  columnsOf,
  cutColumns,
  pad,
  printable,
  readableDuration,
  wrapColumns,
} from '../../process/plain-text.ts';
import type { TextStyle, TextTone } from '../../process/text-style.ts';
import { type Call, depthOf, type EndedCall, withInnerCalls } from '../calls/call.ts';
import {
  briefLimits,
  changedText,
  type DescriptionLimits,
  describeCall,
  noLimits,
} from '../text/describe-call.ts';

/** Layout of a table of calls. */
export interface CallTableOptions {
  /** Width of a line in characters. */
  readonly width: number;
  /**
   * Approximate number of rows; beyond it similar calls are grouped. `Infinity`: one row per call, nothing is shortened.
   */
  readonly maxRows: number;
  readonly style: TextStyle;
  /** Calls that have not ended, below the others, with what they wait for. Default: none. */
  readonly waiting?: readonly WaitingCall[];
}

/** A call that has not ended, and what it waits for. */
export interface WaitingCall {
  readonly call: Call;
  readonly outcome: string;
}

interface Row {
  readonly cells: readonly string[];
  readonly outcome: string;
  readonly tone: TextTone;
}

/**
 * Columns before the outcome: their maximum widths, and the minimum to which they are shortened to make room for the
 * outcome.
 */
const columns = [
  { heading: 'turn', max: 9, min: 9 },
  { heading: 'call', max: 11, min: 11 },
  { heading: 'time', max: 7, min: 7 },
  { heading: 'tool', max: 21, min: 10 },
  { heading: 'arguments', max: 40, min: 10 },
] as const;
const minOutcomeWidth = 30;
const columnGap = '  ';
/** Indentation of an outcome that is printed below its call. */
const outcomeIndent = '  ';
/** Width of the arguments at either end of a group. */
const groupSubjectWidth = 17;

/**
 * The lines of a table of calls, with headings; inner calls are below their outer call. No line is longer than
 * `width`: an outcome continues on further lines, beside the call or, where that is too narrow, below it.
 */
export function formatCallTable(
  records: readonly EndedCall[],
  { width, maxRows, style, waiting = [] }: CallTableOptions,
): readonly string[] {
  const limits = Number.isFinite(maxRows) ? briefLimits : noLimits;
  const rows = [
    ...groupCalls(records, maxRows).map((row) =>
      row.kind === 'hidden' ? hiddenRow(row) : toRow(row, limits),
    ),
    ...waiting.map(waitingRow),
  ];
  const longest = Math.max(0, ...rows.map(({ outcome }) => columnsOf(outcome)));
  const widths = columnWidths(rows, width - Math.min(minOutcomeWidth, longest));
  const line = (cells: readonly string[]): string =>
    cells
      .flatMap((cell, column) => {
        const columnWidth = widths[column] ?? 0;
        return columnWidth === 0 ? [] : [pad(cut(cell, columnWidth), columnWidth) + columnGap];
      })
      .join('');
  const taken = widths.reduce(
    (sum, columnWidth) => sum + (columnWidth === 0 ? 0 : columnWidth + columnGap.length),
    0,
  );
  const room = width - taken;
  // Below one call, then below each of them.
  const isNarrow = longest > room && room < minOutcomeWidth;
  const heading = line(columns.map((column) => column.heading)) + (isNarrow ? '' : 'outcome');
  return [
    style('heading', clipColumns(heading.trimEnd(), width)),
    ...rows.flatMap(({ cells, outcome, tone }) => {
      if (room < minOutcomeWidth && (isNarrow || columnsOf(outcome) > room)) {
        const below = wrapColumns(outcome, width - outcomeIndent.length);
        return [
          clipColumns(line(cells).trimEnd(), width),
          ...below.map((part) => outcomeIndent + style(tone, part)),
        ];
      }
      const [first = '', ...more] = wrapColumns(outcome, room).map((part) => style(tone, part));
      return [`${line(cells)}${first}`.trimEnd(), ...more.map((part) => ' '.repeat(taken) + part)];
    }),
  ];
}

/**
 * Widths that the cells need, 0 for an unused arguments column; if the total exceeds `room`, arguments and then tools are
 * shortened.
 */
function columnWidths(rows: readonly Row[], room: number): readonly number[] {
  const widths = columns.map(({ heading, max }, column) => {
    const widest = Math.max(0, ...rows.map((row) => columnsOf(row.cells[column] ?? '')));
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

/** A cell is cut at a word; one that is a word, as a path is, in its middle. */
function cut(cell: string, width: number): string {
  return cell.trim().includes(' ') ? cutColumns(cell, width) : clipMiddleColumns(cell, width);
}

function waitingRow({ call, outcome }: WaitingCall): Row {
  const { turn, number, toolName, subject } = call;
  return {
    cells: [`${turn}`, number, '', printable(toolName), printable(subject)],
    outcome,
    tone: 'warning',
  };
}

function hiddenRow({ count }: HiddenCalls): Row {
  const outcome = `${count} ${count === 1 ? 'call' : 'calls'} not shown; --full shows all`;
  return { cells: ['…', '…', '', '', ''], outcome, tone: 'faint' };
}

function toRow(group: CallGroup, limits: DescriptionLimits): Row {
  const { first, last, count, durationMs } = group;
  const depth = depthOf(first);
  const ends = [first.subject, last.subject].map((end) =>
    clipMiddleColumns(printable(end), groupSubjectWidth),
  );
  const toolName = printable(first.toolName);
  return {
    cells: [
      // Turns of an inner evaluation are not turns of the run.
      depth === 0 ? range(first.turn, last.turn) : '',
      range(first.number, last.number),
      durationMs === undefined ? '' : readableDuration(durationMs),
      ' '.repeat(depth) + (count === 1 ? toolName : `${count} x ${toolName}`),
      count === 1 || first.subject === last.subject ? printable(first.subject) : ends.join(' … '),
    ],
    ...outcomeOfGroup(group, limits),
  };
}

function outcomeOfGroup(group: CallGroup, limits: DescriptionLimits): Pick<Row, 'outcome' | 'tone'> {
  if (group.count === 1) return oneOutcome(group.first, limits);
  const word = failureWord(group.first);
  // Why is said once, above the table.
  return word === undefined ? groupOutcome(group, limits) : { outcome: printable(word), tone: 'bad' };
}

function range<End extends number | string>(from: End, to: End): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

function oneOutcome(record: EndedCall, limits: DescriptionLimits): Pick<Row, 'outcome' | 'tone'> {
  const { outcome, facts, tone } = describeCall(record, limits);
  return { outcome: [outcome, ...facts].join('; '), tone };
}

function groupOutcome(group: CallGroup, limits: DescriptionLimits): Pick<Row, 'outcome' | 'tone'> {
  const { first, last, reruns, mostInTurn } = group;
  // The result of one of them says nothing about the others.
  const { outcome, tone } = describeCall({ ...first, attempts: 1, message: '' }, limits);
  const parallel = first.turn === last.turn || depthOf(first) > 0 ? '' : `, up to ${mostInTurn} in one turn`;
  return reruns === 0
    ? { outcome: `${outcome}${parallel}`, tone }
    : {
        outcome: `${outcome}${parallel}, ${reruns} of them on new state: ${changedText(group, limits)}`,
        tone,
      };
}

/** One call, or several similar ones: same tool, all committed, nothing else to report; or equal failures. */
interface CallGroup {
  readonly kind: 'calls';
  readonly first: EndedCall;
  readonly last: EndedCall;
  readonly count: number;
  readonly reruns: number;
  /** What had changed for those that were re-run. */
  readonly conflicts: readonly string[];
  /** Number of calls of the turn being counted, and the maximum of all turns. */
  readonly inTurn: number;
  readonly mostInTurn: number;
  readonly durationMs: number | undefined;
}

/** Calls that are not shown. */
interface HiddenCalls {
  readonly kind: 'hidden';
  readonly count: number;
}

/**
 * Groups calls, each with its inner calls, into about `maxRows` rows: first calls of one turn, then calls of several
 * turns; rows are left out only if that is not enough. Calls that were not committed keep their own rows as long as there
 * is room.
 */
function groupCalls(records: readonly EndedCall[], maxRows: number): readonly (CallGroup | HiddenCalls)[] {
  const all = withInnerCalls(records);
  const single = folded(all, Number.isFinite(maxRows));
  if (single.length <= maxRows) return single;
  const byTurn = grouped(single, (group, record) => group.first.turn === record.turn);
  if (byTurn.length <= maxRows) return byTurn;
  const across = grouped(single, () => true);
  if (across.length <= maxRows) return across;
  return cutMiddle(across, maxRows);
}

/** Each call for itself, but for equal failures of the run's own calls, which are where the first of them is. */
function folded(calls: readonly EndedCall[], isShort: boolean): readonly CallGroup[] {
  const equal = isShort ? equalFailures(calls.filter(isOwn), ({ argumentsKey }) => argumentsKey) : [];
  const groups = new Map(equal.map((failures) => [failures.first, failures.calls]));
  const later = new Set(equal.flatMap(({ calls: all }) => all.slice(1)));
  return calls
    .filter((call) => !later.has(call))
    .map((call) => (groups.get(call) ?? []).slice(1).reduce(joined, toGroup(call)));
}

function isOwn(call: EndedCall): boolean {
  return depthOf(call) === 0 && call.inner.length === 0;
}

/** The group with one call more. */
function joined(group: CallGroup, record: EndedCall): CallGroup {
  const { durationMs } = record;
  const inTurn = group.last.turn === record.turn ? group.inTurn + 1 : 1;
  return {
    ...group,
    last: record,
    count: group.count + 1,
    reruns: group.reruns + (record.attempts > 1 ? 1 : 0),
    conflicts: [...group.conflicts, ...record.conflicts],
    inTurn,
    mostInTurn: Math.max(group.mostInTurn, inTurn),
    durationMs: durationMs === undefined ? group.durationMs : (group.durationMs ?? 0) + durationMs,
  };
}

function grouped(
  rows: readonly CallGroup[],
  joins: (group: CallGroup, record: EndedCall) => boolean,
): readonly CallGroup[] {
  const groups: CallGroup[] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    const { first, count } = row;
    if (count === 1 && group !== undefined && isLike(group.first, first) && joins(group, first))
      groups[groups.length - 1] = joined(group, first);
    else groups.push(row);
  }
  return groups;
}

function isLike(left: EndedCall, right: EndedCall): boolean {
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

/** Calls that succeeded, changed no file and involved no policy: the table is about the others. */
function isPlain({ outcome, changedFiles, approvals, unenforced }: EndedCall): boolean {
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

function toGroup(record: EndedCall): CallGroup {
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
