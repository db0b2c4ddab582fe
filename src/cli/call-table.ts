import { type CallGroup, groupCalls, type HiddenCalls } from './call-groups.ts';
import { type CallRecord, depthOf } from './call-record.ts';
import { changedText, describeCall, noWordLimits, type WordLimits } from './call-words.ts';
import { clip, clipMiddle, pad, printable, readableDuration, wrap } from './plain-text.ts';
import type { TextStyle, TextTone } from './text-style.ts';

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

const headings = ['turn', 'call', 'time', 'tool', 'arguments'];
/** Widest that a cell gets, by column; the outcome takes what is left. */
const maxWidths = [9, 11, 7, 21, 37];
/** Down to which tool and arguments are cut, arguments first, to leave the outcome its room. */
const minWidths = [4, 4, 4, 10, 10];
const MIN_OUTCOME_WIDTH = 30;
const GAP = '  ';
/** Before an outcome that has no room beside its call. */
const BELOW = '    ';
/** What each of the two ends of a group gets of the arguments. */
const GROUP_SUBJECT_WIDTH = 17;
const shortWords: WordLimits = { said: 100, named: 3 };

/**
 * The lines of a table of calls, with its headings; calls made inside of others come under them. No line is longer than
 * `width`: what became of a call goes on in further lines, beside the call or, where that is too narrow, below it.
 */
export function formatCallTable(
  records: readonly CallRecord[],
  { width, maxRows, style }: CallTableOptions,
): readonly string[] {
  const limits = Number.isFinite(maxRows) ? shortWords : noWordLimits;
  const rows = groupCalls(records, maxRows).map((row) =>
    row.kind === 'hidden' ? hiddenRow(row) : toRow(row, limits),
  );
  const wanted = Math.min(MIN_OUTCOME_WIDTH, Math.max(...rows.map(({ outcome }) => [...outcome].length)));
  const widths = columnWidths(rows, width - wanted);
  const taken = widths.reduce((sum, columnWidth) => sum + columnWidth + GAP.length, 0);
  const beside = width - taken >= wanted;
  const outcomeWidth = beside ? width - taken : Math.max(1, width - BELOW.length);
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => pad(clipMiddle(cell, widths[column] ?? 0), widths[column] ?? 0)).join(GAP);
  return [
    style('heading', clip([line(headings), ...(beside ? ['outcome'] : [])].join(GAP).trimEnd(), width)),
    ...rows.flatMap(({ cells, outcome, tone }) => {
      const outcomes = wrap(outcome, outcomeWidth).map((part) => style(tone, part));
      if (!beside) return [clip(line(cells), width).trimEnd(), ...outcomes.map((part) => BELOW + part)];
      const [first = '', ...more] = outcomes;
      return [`${line(cells)}${GAP}${first}`.trimEnd(), ...more.map((part) => ' '.repeat(taken) + part)];
    }),
  ];
}

/** As wide as the cells need; arguments, then tools, are cut when all together are wider than `room`. */
function columnWidths(rows: readonly Row[], room: number): readonly number[] {
  const widths = headings.map((heading, column) =>
    Math.max(
      heading.length,
      ...rows.map((row) => Math.min([...(row.cells[column] ?? '')].length, maxWidths[column] ?? 0)),
    ),
  );
  let missing = widths.reduce((sum, columnWidth) => sum + columnWidth + GAP.length, 0) - room;
  return widths
    .toReversed()
    .map((columnWidth, index) => {
      const spare = Math.max(0, columnWidth - (minWidths.at(-1 - index) ?? 0));
      const given = Math.min(spare, Math.max(0, missing));
      missing -= given;
      return columnWidth - given;
    })
    .toReversed();
}

function hiddenRow({ count }: HiddenCalls): Row {
  const outcome = `${count} ${count === 1 ? 'call' : 'calls'} not shown; --full shows all`;
  return { cells: ['…', '…', '', '', ''], outcome, tone: 'faint' };
}

function toRow(group: CallGroup, limits: WordLimits): Row {
  const { first, last, count, durationMs } = group;
  const depth = depthOf(first);
  const ends = [first.subject, last.subject].map((end) => clipMiddle(printable(end), GROUP_SUBJECT_WIDTH));
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

function oneOutcome(record: CallRecord, limits: WordLimits): Pick<Row, 'outcome' | 'tone'> {
  const { outcome, facts, tone } = describeCall(record, limits);
  return { outcome: [outcome, ...facts].join('; '), tone };
}

function groupOutcome(group: CallGroup, limits: WordLimits): Pick<Row, 'outcome' | 'tone'> {
  const { first, last, reruns, mostInTurn } = group;
  const { outcome, tone } = describeCall({ ...first, attempts: 1 }, limits);
  const parallel = first.turn === last.turn || depthOf(first) > 0 ? '' : `, up to ${mostInTurn} in one turn`;
  return reruns === 0
    ? { outcome: `${outcome}${parallel}`, tone }
    : {
        outcome: `${outcome}${parallel}, ${reruns} of them re-run: ${changedText(group, limits)}`,
        tone: 'warning',
      };
}
