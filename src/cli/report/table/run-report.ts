import type { PromptResponse } from '../../../core/evaluation/index.ts';
import { counted, present } from '../../../core/internal/index.ts';
import type { Citation } from '../../../core/tool/index.ts';
import type { RunOutcomeSummary } from '../../../record/index.ts';
import { formatPlan, type Plan } from '../../../suite/planning/index.ts';
import type { EndedRun } from '../../agent/evaluate-run.ts';
import { describeApplied } from '../../folder/apply-to-folder.ts';
import type { OpenedFolder } from '../../folder/open-folder.ts';
import { firstOf, printable, printableLines, printableProse, wrapColumns } from '../../process/plain-text.ts';
import type { TextStyle } from '../../process/text-style.ts';
import type { Call, EndedCall } from '../calls/call.ts';
import { type CallTotals, describeTotals } from '../calls/call-totals.ts';
import { formatChangeDiff } from '../text/change-diff.ts';
import { type Spending, spendingLines } from '../text/spending.ts';
import { formatCallTable, type WaitingCall } from './call-table.ts';
import { formatOutcome, type NextLine } from './outcome-block.ts';
import { formatProblems } from './problem-lines.ts';

/** A run and how it ended. */
export interface RunEnding extends EndedRun {
  readonly outcome: RunOutcomeSummary<Call>;
  readonly records: readonly EndedCall[];
  /** The calls of a suspended run that have not ended. */
  readonly waiting: readonly WaitingCall[];
  readonly totals: CallTotals;
  readonly spending: Spending;
  /** The questions of a suspended run, line by line, and how many there are. */
  readonly questions: { readonly count: number; readonly lines: readonly string[] };
  readonly durationMs: number;
  /** Further lines about the end, safe to print. */
  readonly notes: readonly string[];
  /** Commands that the reader may type next. */
  readonly next: readonly NextLine[];
}

/** Layout of the report of a run. */
export interface RunReportOptions {
  /** Removes what must not be shown from a text. */
  readonly clean: (text: string) => string;
  readonly title: string;
  /** Name of the model, for users. */
  readonly modelName: string;
  /** Width of a line in columns. */
  readonly width: number;
  /** Without limits on answer, table and diff. */
  readonly isFull: boolean;
  /** Only the outcome with its reason, the answer of a run that is done, the questions, and the commands that follow from them. */
  readonly isQuiet: boolean;
  /** False: policies were only evaluated. */
  readonly isEnforced: boolean;
  /** How the run began: here, or in another process, whose calls are not listed; `ended`: it had ended there. */
  readonly life: 'new' | 'resumed' | 'ended';
  /** How long a run took that had ended there, and how long ago that was; undefined for others. */
  readonly ended: string | undefined;
  readonly style: TextStyle;
}

const maxTableRows = 48;
const maxDiffLines = 200;
const maxListedSources = 20;
const maxProblems = 8;
/** Longer answers are cut. */
const maxAnswerLines = 12;

/** The report of a run that has ended: the outcome and why, its questions, what failed, the calls, the answer, the plan, the diff, the spending. */
export function formatRunEnding(
  ending: RunEnding,
  folder: OpenedFolder | undefined,
  options: RunReportOptions,
): readonly string[] {
  const { isFull, isQuiet, life, style, width } = options;
  const { outcome, questions, records, totals } = ending;
  const isDone = outcome.kind === 'finished';
  const unlimited = (most: number): number => (isFull ? Number.POSITIVE_INFINITY : most);
  const block = formatOutcome(
    {
      ...ending,
      next: isDone && !isQuiet ? [] : ending.next,
      title: options.title,
      instead: life === 'ended' ? `: it had ended already, ${options.ended ?? ''}` : undefined,
      questions: questions.count,
      turns: totals.turns,
      calls: totals.calls + ending.waiting.length,
    },
    { width, style, isFull },
  );
  const problems = formatProblems(outcome.failures, { width, style, maxProblems: unlimited(maxProblems) });
  const tableOptions = { width, maxRows: unlimited(maxTableRows), style, waiting: ending.waiting };
  const hasCalls = records.length + ending.waiting.length > 0;
  const none = life === 'resumed' ? 'No tool was called since the run was resumed.' : 'No tool was called.';
  const answer = answerLines(ending, options);
  if (isQuiet) return paragraphs([block, isDone ? answer : [], questions.lines]);
  return paragraphs([
    block,
    isDone ? answer : [],
    questions.lines,
    problems,
    hasCalls ? formatCallTable(records, tableOptions) : life === 'ended' ? [] : [none],
    isDone ? [] : answer,
    planLines(ending.plan, isDone),
    changeLines(ending, folder, options),
    placeLines(ending, folder, options),
  ]);
}

/** Parts with an empty line between them; those without lines are left out. */
function paragraphs(parts: readonly (readonly string[])[]): readonly string[] {
  return parts.filter((part) => part.length > 0).flatMap((part, at) => (at === 0 ? part : ['', ...part]));
}

/** Maximum number of excluded directories that are named. */
const maxNamedDirectories = 3;

/** What was spent, and where the run worked and with what. */
function placeLines(
  { conclusion, next, outcome, spending, totals }: RunEnding,
  folder: OpenedFolder | undefined,
  { isEnforced, life, modelName, width }: RunReportOptions,
): readonly string[] {
  const lines = [
    ...(life === 'ended' ? [] : [`${describeTotals(totals)}.`, ...spendingLines(spending)]),
    `model:  ${printable(modelName)}`,
    ...folderLines(folder),
    ...(isEnforced
      ? []
      : ['note:   policies are not enforced; the table shows what they would have decided']),
    ...(conclusion?.notes ?? []).map((note) => `note:   ${note}`),
  ];
  // With an answer they are what is left to do; a command is never broken.
  const commands = outcome.kind === 'finished' ? next : [];
  return [
    ...lines.flatMap((line) => wrapColumns(line, width)),
    ...commands.map(({ name, command }) => `${`${name.toLowerCase()}:`.padEnd(8)}${command}`),
  ];
}

function folderLines(folder: OpenedFolder | undefined): readonly string[] {
  if (folder === undefined) return [];
  const { leftOutNames, mode } = folder;
  const rest = leftOutNames.length - maxNamedDirectories;
  const named = leftOutNames.slice(0, maxNamedDirectories).map(printable).join(', ');
  const without = named === '' ? '' : `, without ${named}${rest > 0 ? ` and ${rest} more` : ''}`;
  const end =
    mode === undefined
      ? 'changes are not written'
      : `changes are written ${mode === 'end' ? 'at the end' : 'call by call'}`;
  return [`folder: as on disk${without}; ${end}`];
}

/** The plan, as long as something of it is open; of a run that is not done all of it. */
function planLines(plan: Plan | undefined, isDone: boolean): readonly string[] {
  if (plan === undefined) return [];
  const isOpen = plan.steps.some(({ status }) => status !== 'done');
  if (!isOpen && (isDone || plan.steps.length > 0)) return [];
  const open = { ...plan, steps: plan.steps.filter(({ status }) => status !== 'done') };
  const [head = ''] = printableLines(formatPlan(plan)).split('\n', 1);
  return [head, ...printableLines(formatPlan(open)).split('\n').slice(1)];
}

/** What the agent concludes, else the final text of the model and its sources. */
function answerLines(
  { response, conclusion }: RunEnding,
  { clean, isFull, style }: RunReportOptions,
): readonly string[] {
  if (conclusion !== undefined)
    return conclusion.summary === undefined ? [] : [`${upperFirst(conclusion.summary)}.`];
  if (response === undefined) return [];
  const answer = clean(response.text).trim();
  const sources = formatSources(citedSources(response.hostedOutputs, clean), {
    maxSources: isFull ? Number.POSITIVE_INFINITY : maxListedSources,
    style,
  });
  const lines = answer === '' ? [] : printableProse(answer).split('\n');
  const restOf = (rest: number): string =>
    style('faint', `… ${counted(rest, 'more line')}; --full shows all`);
  const shown = firstOf(lines, isFull ? lines.length : maxAnswerLines, String, restOf);
  return shown.length === 0 || sources.length === 0 ? [...shown, ...sources] : [...shown, '', ...sources];
}

/** The changes of a run and whether they are in the folder; with their diff, unless the run has not come to an end. */
function changeLines(
  ending: RunEnding,
  folder: OpenedFolder | undefined,
  { isFull, style, width }: RunReportOptions,
): readonly string[] {
  const { application, changes, outcome } = ending;
  if (changes.length === 0)
    return folder === undefined || outcome.kind === 'waiting' ? [] : ['No files were changed.'];
  const applied =
    application.kind === 'applied' || application.kind === 'conflict'
      ? describeApplied(application)
      : undefined;
  const what = `Changes: ${applied ?? counted(changes.length, 'file')}`;
  const state = applied === undefined ? `, not written${notWritten(ending)}` : ', written to the folder';
  const isShown = isFull || outcome.kind === 'finished' || outcome.kind === 'conflict';
  if (!isShown) return wrapColumns(`${what}${state} (--full shows the diff).`, width);
  const maxLines = isFull ? Number.POSITIVE_INFINITY : maxDiffLines;
  return [...formatChangeDiff(changes, { maxLines, style }), '', ...wrapColumns(`${what}${state}.`, width)];
}

function notWritten({ application, outcome }: RunEnding): string {
  if (outcome.kind === 'conflict') return '';
  if (application.kind === 'off') return outcome.kind === 'finished' ? ': --apply writes them' : '';
  if (outcome.kind === 'waiting') return ' while the run waits';
  return ` because the run ${outcome.kind === 'interrupted' ? 'was interrupted' : 'failed'}`;
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
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
