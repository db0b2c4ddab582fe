import type { PromptResponse } from '../../../core/evaluation/index.ts';
import { counted, present } from '../../../core/internal/index.ts';
import type { Citation } from '../../../core/tool/index.ts';
import { formatPlan, type Plan } from '../../../suite/planning/index.ts';
import type { EndedRun } from '../../agent/evaluate-run.ts';
import { describeApplied } from '../../folder/apply-to-folder.ts';
import type { OpenedFolder } from '../../folder/open-folder.ts';
import {
  firstOf,
  printable,
  printableLines,
  printableProse,
  readableDuration,
} from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';
import type { EndedCall } from '../calls/call.ts';
import { type CallTotals, describeTotals } from '../calls/call-totals.ts';
import { formatChangeDiff } from '../text/change-diff.ts';
import { messageWithoutDenial } from '../text/describe-call.ts';
import { type Spending, spendingLines } from '../text/spending.ts';
import { formatCallTable } from './call-table.ts';

/** A run and how it ended. */
export interface RunEnding extends EndedRun {
  readonly records: readonly EndedCall[];
  readonly totals: CallTotals;
  readonly spending: Spending;
  /** The questions of a suspended run, line by line. */
  readonly questions: readonly string[];
  readonly durationMs: number;
}

/** Layout of the report of a run. */
export interface RunReportOptions {
  /** Removes what must not be shown from a text. */
  readonly clean: (text: string) => string;
  readonly title: string;
  /** Name of the model, for users. */
  readonly modelName: string;
  /** Width of a line of the table in characters. */
  readonly width: number;
  /** Without limits on table and diff. */
  readonly isFull: boolean;
  /** False: policies were only evaluated. */
  readonly isEnforced: boolean;
  /** Whether the run began in another process, whose calls are not listed. */
  readonly isResumed: boolean;
  readonly style: TextStyle;
}

const maxTableRows = 48;
const maxDiffLines = 200;
const maxListedSources = 20;

/** The report of a run that has ended: the folder, the calls, what was undone and why, the diff, a summary. */
export function formatRunEnding(
  ending: RunEnding,
  folder: OpenedFolder | undefined,
  options: RunReportOptions,
): readonly string[] {
  const { style, isFull } = options;
  const table = formatCallTable(ending.records, {
    width: options.width,
    maxRows: isFull ? Number.POSITIVE_INFINITY : maxTableRows,
    style,
  });
  const diff = formatChangeDiff(ending.changes, {
    maxLines: isFull ? Number.POSITIVE_INFINITY : maxDiffLines,
    style,
  });
  return [
    style('heading', options.title),
    `model:  ${printable(options.modelName)}`,
    ...folderLines(folder, ending.conclusion?.notes ?? []),
    ...(options.isEnforced
      ? []
      : ['note:   policies are not enforced; the table shows what they would have decided']),
    '',
    ...(ending.records.length > 0
      ? table
      : [options.isResumed ? 'No tool was called since the run was resumed.' : 'No tool was called.']),
    ...formatObservedCalls(ending.records, ending.readingTools, style),
    ...planLines(ending.plan),
    '',
    ...(ending.changes.length === 0
      ? folder === undefined
        ? []
        : ['No files were changed.', '']
      : [...diff, '']),
    ...answerLines(ending, options),
    ...(ending.questions.length === 0 ? [] : [...ending.questions, '']),
    ...summary(ending, folder !== undefined, style),
  ];
}

/** Maximum number of excluded directories that are named. */
const maxNamedDirectories = 3;

function folderLines(folder: OpenedFolder | undefined, notes: readonly string[]): readonly string[] {
  if (folder === undefined) return [];
  const { leftOutNames, mode } = folder;
  const rest = leftOutNames.length - maxNamedDirectories;
  const named = leftOutNames.slice(0, maxNamedDirectories).map(printable).join(', ');
  const without = named === '' ? '' : `, without ${named}${rest > 0 ? ` and ${rest} more` : ''}`;
  const end =
    mode === undefined
      ? 'changes are not written'
      : `changes are written ${mode === 'end' ? 'at the end' : 'call by call'}`;
  return [`folder: as on disk${without}; ${end}`, ...notes.map((note) => `note:   ${note}`)];
}

function planLines(plan: Plan | undefined): readonly string[] {
  return plan === undefined ? [] : ['', ...printableLines(formatPlan(plan)).split('\n')];
}

/** The final text of the model and its sources; empty when the agent's module has a conclusion of its own. */
function answerLines(
  { response, conclusion }: RunEnding,
  { clean, isFull, style }: RunReportOptions,
): readonly string[] {
  if (response === undefined || conclusion !== undefined) return [];
  const answer = clean(response.text).trim();
  const sources = formatSources(citedSources(response.hostedOutputs, clean), {
    maxSources: isFull ? Number.POSITIVE_INFINITY : maxListedSources,
    style,
  });
  return [
    ...(answer === '' ? [] : [...printableProse(answer).split('\n'), '']),
    ...(sources.length === 0 ? [] : [...sources, '']),
  ];
}

function summary(ending: RunEnding, hasFolder: boolean, style: TextStyle): readonly string[] {
  const word = endingWord(ending);
  const results = [
    ...(ending.conclusion?.summary === undefined ? [] : [ending.conclusion.summary]),
    ...(hasFolder ? [diskSentence(ending)] : []),
  ];
  return [
    `${style(tones[word], word)} in ${readableDuration(ending.durationMs)}. ${describeTotals(ending.totals)}.`,
    ...spendingLines(ending.spending),
    ...(results.length === 0 ? [] : [`${upperFirst(results.join('; '))}.`]),
  ];
}

const tones = { Done: 'good', Failed: 'bad', Stopped: 'bad', Suspended: 'warning' } as const;

function endingWord({ interruption, failure, suspended, application }: RunEnding): keyof typeof tones {
  if (interruption !== undefined) return 'Stopped';
  if (failure === undefined && suspended !== undefined) return 'Suspended';
  return failure === undefined && application.kind !== 'conflict' && application.kind !== 'failed'
    ? 'Done'
    : 'Failed';
}

/** The state of the folder on disk after the run. */
function diskSentence({ application }: RunEnding): string {
  const applied =
    application.kind === 'applied' || application.kind === 'conflict'
      ? describeApplied(application)
      : undefined;
  return applied === undefined ? 'the folder on disk is unchanged' : `written to the folder: ${applied}`;
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Maximum number of refused and rolled-back calls that are reported in full. */
const maxReportedCalls = 5;
/** Maximum lines of the message of such a call. */
const maxReportedLines = 12;

/** The run's own calls that were to change something and were not committed: what remains, and the message to the model. */
export function formatObservedCalls(
  records: readonly EndedCall[],
  readingTools: ReadonlySet<string>,
  style: TextStyle,
): readonly string[] {
  const reported = records.filter(({ outcome, toolName }) => {
    return outcome === 'denied' || (outcome === 'rolled-back' && !readingTools.has(toolName));
  });
  return reported.slice(0, maxReportedCalls).flatMap((record) => {
    const what = printable(`${record.toolName} ${record.subject}`.trim());
    const outcome =
      record.outcome === 'denied' ? `denied by ${printable(record.policy ?? 'a policy')}` : 'rolled back';
    const lines = printableLines(messageWithoutDenial(record)).split('\n');
    return [
      '',
      style(
        'warning',
        `Call ${record.number}, ${what}, was ${outcome}. ${leftText(record)} Message to the model:`,
      ),
      ...firstOf(lines, maxReportedLines, String, (rest) => `… ${counted(rest, 'more line')}`).map(
        (line) => `  ${line}`,
      ),
    ];
  });
}

/** The steps of a call, and its remaining effects. */
function leftText({ steps, residualEffects }: EndedCall): string {
  const had = steps.length === 0 ? '' : `It had ${steps.map(printable).join(', ')}`;
  if (residualEffects.length === 0)
    return had === '' ? 'It left no effects.' : `${had}: all of it was rolled back.`;
  const left = `Remaining effects: ${residualEffects.map(printable).join(', ')}.`;
  return had === '' ? left : `${had}. ${left}`;
}

/** A web page or a file cited by the model. */
interface ReportedSource {
  readonly title?: string;
  /** A URL, or the provider's name of the file. */
  readonly place: string;
}

/**
 * The sources that a run cites, without duplicates, in order of the first citation. @param clean removes what must not be
 * shown from a text.
 */
export function citedSources(
  outputs: PromptResponse['hostedOutputs'],
  clean: (text: string) => string,
): readonly ReportedSource[] {
  const sources = new Map<string, ReportedSource>();
  for (const { citations } of Object.values(outputs)) {
    for (const citation of citations) {
      const { title, place } = toSource(citation);
      if (sources.get(place)?.title !== undefined) continue;
      sources.set(place, {
        place: clean(place),
        ...present({ title: title === undefined ? undefined : clean(title) }),
      });
    }
  }
  return [...sources.values()];
}

function toSource(citation: Citation): ReportedSource {
  const [title, place] =
    citation.type === 'url' ? [citation.title, citation.url] : [citation.filename, citation.fileId];
  return title === undefined || title.trim() === '' || title === place ? { place } : { title, place };
}

/** The lines of a numbered list; empty without sources. */
export function formatSources(
  sources: readonly ReportedSource[],
  { maxSources, style }: { readonly maxSources: number; readonly style: TextStyle },
): readonly string[] {
  if (sources.length === 0) return [];
  const lineOf = ([index, { title, place }]: readonly [number, ReportedSource]): string => {
    const shown = style('place', printable(place));
    return `${String(index + 1).padStart(3)}  ${title === undefined ? shown : `${printable(title)} - ${shown}`}`;
  };
  const restOf = (rest: number): string => `  …  ${counted(rest, 'more source')}; --full shows all`;
  return [style('heading', 'Sources'), ...firstOf([...sources.entries()], maxSources, lineOf, restOf)];
}
