import type { FileChange } from '../filesystem/index.ts';
import { formatPlan, type Plan } from '../suite/index.ts';
import type { Application } from './apply-to-folder.ts';
import type { CallRecord } from './call-record.ts';
import { formatCallTable } from './call-table.ts';
import { type CallTotals, describeTotals } from './call-totals.ts';
import { formatChangeDiff } from './change-diff.ts';
import type { CliInterruption } from './environment.ts';
import type { OpenedFolder } from './open-folder.ts';
import { counted, printable, printableLines, readableBytes, readableDuration } from './plain-text.ts';
import type { TextStyle } from './text-style.ts';
import { formatToldCalls } from './told-calls.ts';

/** How a run came out, however it ended. */
export interface RunEnding {
  readonly records: readonly CallRecord[];
  readonly totals: CallTotals;
  readonly changes: readonly FileChange[];
  /** What came out, in the words of a built-in agent. */
  readonly summary: string | undefined;
  /** What the model said last; empty when that is not to be shown. */
  readonly answer: string;
  /** The plan the session ended with; undefined when it has none. */
  readonly plan: Plan | undefined;
  /** What became of the changes. */
  readonly application: Application;
  /** What went wrong; undefined when nothing did. */
  readonly failure: string | undefined;
  readonly interruption: CliInterruption | undefined;
  readonly durationMs: number;
  /** Names of the tools that change nothing. */
  readonly readingTools: ReadonlySet<string>;
}

/** How the report of a run is laid out. */
export interface RunReportOptions {
  readonly title: string;
  /** Name of the model, for people. */
  readonly modelName: string;
  /** Characters of one line of the table. */
  readonly width: number;
  /** Without the bounds on table and diff. */
  readonly isFull: boolean;
  /** False: policies were only tried out. */
  readonly isEnforced: boolean;
  readonly style: TextStyle;
}

const MAX_TABLE_ROWS = 48;
const MAX_DIFF_LINES = 200;

/** Everything that is printed once a run has ended: the folder, the calls, what was undone and why, the diff, a summary. */
export function formatRunEnding(
  ending: RunEnding,
  folder: OpenedFolder | undefined,
  options: RunReportOptions,
): readonly string[] {
  const { style, isFull } = options;
  const table = formatCallTable(ending.records, {
    width: options.width,
    maxRows: isFull ? Number.POSITIVE_INFINITY : MAX_TABLE_ROWS,
    style,
  });
  const diff = formatChangeDiff(ending.changes, {
    maxLines: isFull ? Number.POSITIVE_INFINITY : MAX_DIFF_LINES,
    style,
  });
  return [
    style('heading', options.title),
    `model:  ${printable(options.modelName)}`,
    ...folderLines(folder, ending.application),
    ...(options.isEnforced
      ? []
      : ['note:   policies are not enforced; the table says what they would have done']),
    '',
    ...(ending.records.length === 0 ? ['No tool was called.'] : table),
    ...formatToldCalls(ending.records, ending.readingTools, style),
    ...planLines(ending.plan),
    '',
    ...(ending.changes.length === 0
      ? folder === undefined
        ? []
        : ['No file was changed.', '']
      : [...diff, '']),
    ...answerLines(ending.answer),
    ...summary(ending, folder !== undefined, style),
  ];
}

function folderLines(folder: OpenedFolder | undefined, application: Application): readonly string[] {
  if (folder === undefined) return [];
  const end = application.kind === 'off' ? 'nothing on disk changes' : 'changes are written back at the end';
  return [
    `folder: ${counted(folder.files, 'file')}, ${readableBytes(folder.bytes)}, mounted copy-on-write; ${end}`,
    ...folder.notes.map((note) => `note:   ${note}`),
  ];
}

function planLines(plan: Plan | undefined): readonly string[] {
  return plan === undefined ? [] : ['', ...printableLines(formatPlan(plan)).split('\n')];
}

function answerLines(answer: string): readonly string[] {
  return answer.trim() === '' ? [] : [...printableLines(answer.trim()).split('\n'), ''];
}

function summary(ending: RunEnding, hasFolder: boolean, style: TextStyle): readonly string[] {
  const word = endingWord(ending);
  const results = [
    ...(ending.summary === undefined ? [] : [ending.summary]),
    ...(hasFolder ? [diskSentence(ending)] : []),
  ];
  return [
    `${style(word === 'Done' ? 'good' : 'bad', word)} in ${readableDuration(ending.durationMs)}. ${describeTotals(ending.totals)}.`,
    ...(results.length === 0 ? [] : [`${upperFirst(results.join('; '))}.`]),
  ];
}

function endingWord({ interruption, failure, application }: RunEnding): string {
  if (interruption !== undefined) return 'Stopped';
  return failure === undefined && application.kind !== 'conflict' && application.kind !== 'failed'
    ? 'Done'
    : 'Failed';
}

/** What the folder on disk is like after the run. */
function diskSentence({ application, changes }: RunEnding): string {
  switch (application.kind) {
    case 'applied':
      return changes.length === 0
        ? 'the folder on disk is as it was'
        : `written to the folder: ${counted(application.written.length, 'file')}${application.removed.length === 0 ? '' : `, ${counted(application.removed.length, 'file')} removed`}`;
    case 'failed':
      return application.written.length + application.removed.length === 0
        ? 'the folder on disk is as it was'
        : `only a part was written to the folder: ${[...application.written, ...application.removed.map((path) => `${path} (removed)`)].map(printable).join(', ')}`;
    default:
      return 'the folder on disk is as it was';
  }
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
