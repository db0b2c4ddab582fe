import type { CallRecord } from './call-log.ts';
import { clip, clipMiddle, pad, printable, readableDuration } from './plain-text.ts';
import type { TextStyle, TextTone } from './text-style.ts';

/** How a table of calls is laid out. */
export interface CallTableOptions {
  /** Characters of one line. */
  readonly width: number;
  /** Rows at most; beyond it calls of the same sort are put together. `Infinity` for one row per call. */
  readonly maxRows: number;
  readonly style: TextStyle;
}

/** Several calls in one row: same tool, same outcome, one after another. */
interface CallGroup {
  readonly first: CallRecord;
  last: CallRecord;
  count: number;
  reruns: number;
  /** Calls of the turn that is being counted, and of the turn that had most. */
  inTurn: number;
  mostInTurn: number;
  durationMs: number;
}

interface Row {
  readonly cells: readonly string[];
  readonly outcome: string;
  readonly tone: TextTone;
}

const headings = ['turn', 'call', 'time', 'tool', 'arguments'];
/** Widest that a cell gets, by column; the outcome takes what is left. */
const maxWidths = [9, 11, 7, 19, 37];
/** What each of the two ends of a group gets of the arguments. */
const groupSubjectWidth = 17;

/** The lines of a table of calls, with its headings. Every call that was not committed has a row of its own, up to `maxRows`. */
export function formatCallTable(
  records: readonly CallRecord[],
  options: CallTableOptions,
): readonly string[] {
  const rows = boundedRows(records, options.maxRows);
  const widths = headings.map((heading, column) =>
    Math.max(
      heading.length,
      ...rows.map((row) => Math.min([...(row.cells[column] ?? '')].length, maxWidths[column] ?? 0)),
    ),
  );
  const outcomeWidth = Math.max(20, options.width - widths.reduce((sum, width) => sum + width + 2, 0));
  const { style } = options;
  return [
    style(
      'heading',
      [...headings.map((heading, column) => pad(heading, widths[column] ?? 0)), 'outcome'].join('  '),
    ),
    ...rows.map((row) => {
      const cells = row.cells.map((cell, column) =>
        pad(clipMiddle(cell, widths[column] ?? 0), widths[column] ?? 0),
      );
      return `${cells.join('  ')}  ${style(row.tone, clip(row.outcome, outcomeWidth))}`.trimEnd();
    }),
  ];
}

/** Groups first the calls of one turn, then those of several turns, and leaves out rows in the middle only if that is not enough. */
function boundedRows(records: readonly CallRecord[], maxRows: number): readonly Row[] {
  const single = records.map(toGroup);
  if (single.length <= maxRows) return single.map(toRow);
  const byTurn = grouped(records, (group, record) => group.first.turn === record.turn);
  if (byTurn.length <= maxRows) return byTurn.map(toRow);
  const across = grouped(records, () => true);
  if (across.length <= maxRows) return across.map(toRow);
  return cutMiddle(across, maxRows);
}

function grouped(
  records: readonly CallRecord[],
  joins: (group: CallGroup, record: CallRecord) => boolean,
): CallGroup[] {
  const groups: CallGroup[] = [];
  for (const record of records) {
    const group = groups.at(-1);
    if (group !== undefined && isLike(group.first, record) && joins(group, record)) {
      group.inTurn = group.last.turn === record.turn ? group.inTurn + 1 : 1;
      group.mostInTurn = Math.max(group.mostInTurn, group.inTurn);
      group.last = record;
      group.count += 1;
      group.reruns += record.attempts > 1 ? 1 : 0;
      group.durationMs += record.durationMs;
    } else groups.push(toGroup(record));
  }
  return groups;
}

/** Only committed calls that changed no file and that no policy had a word about are put together: the others are what the table is for. */
function isLike(left: CallRecord, right: CallRecord): boolean {
  return (
    left.toolName === right.toolName &&
    left.outcome === 'committed' &&
    right.outcome === 'committed' &&
    isPlain(left) &&
    isPlain(right)
  );
}

function isPlain({ changedFiles, approvals, shadow }: CallRecord): boolean {
  return changedFiles === 0 && approvals.length === 0 && shadow.length === 0;
}

function cutMiddle(groups: readonly CallGroup[], maxRows: number): readonly Row[] {
  const isNotable = (group: CallGroup): boolean =>
    group.first.outcome !== 'committed' || !isPlain(group.first);
  const notable = groups.filter(isNotable).length;
  let plainLeft = Math.max(2, maxRows - notable);
  let notableLeft = Math.max(2, maxRows - 2);
  const kept = groups.map((group) => (isNotable(group) ? notableLeft-- > 0 : plainLeft-- > 0));
  const rows: Row[] = [];
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0) {
      const outcome = `${hidden} ${hidden === 1 ? 'call' : 'calls'} not shown; --full shows all`;
      rows.push({ cells: ['…', '…', '', '', ''], outcome, tone: 'faint' });
    }
    hidden = 0;
  };
  for (const [index, group] of groups.entries()) {
    if (kept[index] === true) {
      flush();
      rows.push(toRow(group));
    } else hidden += group.count;
  }
  flush();
  return rows;
}

function toGroup(record: CallRecord): CallGroup {
  return {
    first: record,
    last: record,
    count: 1,
    reruns: record.attempts > 1 ? 1 : 0,
    inTurn: 1,
    mostInTurn: 1,
    durationMs: record.durationMs,
  };
}

function toRow(group: CallGroup): Row {
  const { first, last, count } = group;
  const range = (from: number, to: number): string => (from === to ? `${from}` : `${from}-${to}`);
  const ends = [first.subject, last.subject].map((end) => clipMiddle(printable(end), groupSubjectWidth));
  const subject = count === 1 ? printable(first.subject) : ends.join(' … ');
  return {
    cells: [
      range(first.turn, last.turn),
      range(first.number, last.number),
      readableDuration(group.durationMs),
      count === 1 ? first.toolName : `${count} × ${first.toolName}`,
      subject,
    ],
    ...(count === 1 ? outcomeOf(first) : groupOutcome(group)),
  };
}

function groupOutcome(group: CallGroup): { readonly outcome: string; readonly tone: TextTone } {
  const parallel = group.first.turn === group.last.turn ? '' : `, up to ${group.mostInTurn} in one turn`;
  return group.reruns === 0
    ? { outcome: `committed${parallel}`, tone: 'good' }
    : {
        outcome: `committed${parallel}, ${group.reruns} of them re-run: ${conflictText(group.last)}`,
        tone: 'warning',
      };
}

/** What became of one call, in one line: first what policies would have done, if they were not enforced. */
export function outcomeOf(record: CallRecord): { readonly outcome: string; readonly tone: TextTone } {
  const { outcome, tone } = plainOutcome(record);
  const asked = record.approvals
    .filter(({ approved }) => approved)
    .map(({ policy }) => printable(policy))
    .join(', ');
  const approved = asked === '' ? outcome : `${outcome}, approved for ${asked}`;
  const [first, ...more] = record.shadow;
  if (first === undefined) return { outcome: approved, tone };
  const verb = first.outcome === 'deny' ? 'denied' : 'asked about';
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const reason = printable(first.reason.split('\n', 1)[0] ?? '');
  return {
    outcome: `${approved}, would have been ${verb} by ${printable(first.policy)}: ${reason}${rest}`,
    tone: 'warning',
  };
}

function plainOutcome(record: CallRecord): { readonly outcome: string; readonly tone: TextTone } {
  const said = printable(whatWasSaid(record).split('\n', 1)[0] ?? '');
  switch (record.outcome) {
    case 'committed':
      return record.attempts > 1
        ? {
            outcome: `re-run, then committed: ${conflictText(record)} (attempt ${record.attempts})`,
            tone: 'warning',
          }
        : { outcome: 'committed', tone: 'good' };
    case 'denied':
      return { outcome: `denied by ${record.policy ?? 'a policy'}: ${said}`, tone: 'bad' };
    case 'rejected':
      return { outcome: `rejected: ${said}`, tone: 'bad' };
    case 'aborted':
      return { outcome: 'rolled back: the run was stopped', tone: 'bad' };
    case 'rolled-back':
      return { outcome: `rolled back: ${said}`, tone: 'bad' };
  }
}

/** The message of a call, without the words of a denial that the table shows anyway. */
export function whatWasSaid(record: CallRecord): string {
  return record.message.replace(
    /^The call of "[^"]*" (?:was denied by the policy "[^"]*": |needs approval by the policy "[^"]*" )/,
    '',
  );
}

function conflictText(record: CallRecord): string {
  const names = [...new Set(record.conflicts)];
  const shown = names.slice(0, 2).map(printable).join(', ');
  return names.length === 0 ? 'conflict' : `${shown}${names.length > 2 ? ', …' : ''} had changed`;
}
