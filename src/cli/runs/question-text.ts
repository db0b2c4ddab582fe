import { allLines, allValues, briefValues, showName } from '../../core/internal/index.ts';
import type { PendingApproval } from '../../core/runtime/index.ts';
import { journalOption } from '../journal/journal-name.ts';
import type { JournalNames } from '../options/journal-names.ts';
import { firstOf, printable, readableTime, wrapColumns } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';
import type { TextStyle } from '../process/text-style.ts';
import { type ChangeRecord, changeRecord } from '../report/events/question-record.ts';
import { formatChangeDiff, shownChangeDiff } from '../report/text/change-diff.ts';
import { isExpired, type NumberedQuestion } from './choose-questions.ts';

/** A question as it is shown. */
export interface ShownQuestion
  extends Pick<NumberedQuestion, 'number' | 'name' | 'answer' | 'withoutEffect'> {
  readonly question: PendingApproval;
}

/** How questions are shown. */
export interface QuestionTextOptions {
  readonly runId: string;
  readonly journalNames: JournalNames | undefined;
  readonly nowMs: number;
  readonly style: TextStyle;
  /** Removes what must not be shown from a text. */
  readonly clean: (text: string) => string;
}

/** Longer arguments have a line for each value. */
const maxArgumentCharacters = 160;
const maxChangedPaths = 20;
/** A longer diff is shown by `wink approvals show`. */
const maxDiffLines = 20;

/**
 * A question in some lines: tool, reason, arguments, changed files, and the lines that answer it. Where not all is shown, the line that
 * shows it takes the place of the one that says yes. Safe to print.
 */
export function questionLines(shown: ShownQuestion, options: QuestionTextOptions): readonly string[] {
  const { question } = shown;
  const { clean, style } = options;
  const { params } = question;
  const json = clean(JSON.stringify(params));
  const isShort = json.length <= maxArgumentCharacters;
  const values = isShort ? { lines: [], isCut: false } : briefValues(params, clean);
  const changes = question.changes ?? [];
  const diff = shownChangeDiff(changes, { maxLines: maxDiffLines, style, isQuestion: true });
  return [
    ...headLines(shown, options),
    ...(isShort
      ? [`   arguments: ${printable(json)}`]
      : ['   arguments:', ...values.lines.map((line) => `     ${line}`)]),
    ...firstOf(changes.map(changeRecord), maxChangedPaths, changeText, (rest) => `… ${rest} more`).map(
      (line) => `   ${line}`,
    ),
    ...(diff.isCut || shown.answer !== undefined ? [] : diff.lines.map((line) => `     ${line}`)),
    ...answerLines(shown, options, values.isCut || diff.isCut),
  ];
}

/**
 * A question in the report of the run that waits for it: the call, who asks and why, what it would change or its arguments, and the commands that answer it
 * and continue. Safe to print.
 *
 * @param about the arguments of the call in short.
 */
export function reportedQuestion(
  shown: ShownQuestion & { readonly about: string },
  options: QuestionTextOptions & { readonly width: number },
): readonly string[] {
  const { about, name, number, question } = shown;
  const { clean, journalNames, nowMs, runId, style } = options;
  const { changes = [], expiresAtMs, params, policy, toolName } = question;
  const diff = shownChangeDiff(changes, { maxLines: maxDiffLines, style, isQuestion: true });
  const values = changes.length > 0 ? { lines: [], isCut: false } : briefValues(params, clean);
  const [reason = '', ...more] = allLines(clean(question.reason));
  const call = printable(`${toolName} ${about}`.trimEnd());
  const named = `${shellWord(runId)} ${name}`;
  const option = journalOption(journalNames);
  const answer = `wink approvals answer ${named}`;
  return [
    ...wrapColumns(`${number}  ${call}, asked by ${printable(policy)}: ${reason}`, options.width - 5).map(
      (line, at) => style('warning', `${at === 0 ? '  ' : '     '}${line}`),
    ),
    ...[...more, ...values.lines, ...withoutHead(diff.lines, changes, about)].map((line) => `     ${line}`),
    ...(expiresAtMs === undefined || isExpired({ question }, nowMs)
      ? []
      : [`     expires ${readableTime(expiresAtMs)}`]),
    // Where not all is shown, no line to copy says yes to it.
    values.isCut || diff.isCut
      ? `  See:    wink approvals show ${named}${option}`
      : `  Yes:    ${answer} --yes --resume${option}`,
    `  No:     ${answer} --no --note "..." --resume${option}`,
  ];
}

/** The lines of a diff without the names and the place, where they are of one place in the file that the call is about. */
function withoutHead(
  lines: readonly string[],
  changes: readonly { readonly path: string }[],
  about: string,
): readonly string[] {
  const isNamed = changes.length === 1 && changes[0]?.path === about && lines[0]?.includes('--- ') === true;
  return isNamed && lines.filter((line) => line.includes('@@ -')).length === 1 ? lines.slice(3) : lines;
}

/** All of a question: also its names, all arguments and the diff of the changes. */
export function questionDetails(shown: ShownQuestion, options: QuestionTextOptions): readonly string[] {
  const { question } = shown;
  const { style } = options;
  const { id, digest, changes, path } = question;
  const maxLines = Number.POSITIVE_INFINITY;
  return [
    ...headLines(shown, options),
    `   id:        ${printable(id)}`,
    `   digest:    ${digest}`,
    `   asked:     ${readableTime(question.askedAtMs)} by the policy ${printable(question.policy)}`,
    ...(path === undefined
      ? []
      : [`   inside:    ${path.map(({ toolName }) => printable(toolName)).join(' > ')}`]),
    '   arguments:',
    ...allValues(question.params).map((line) => `     ${line}`),
    ...(changes === undefined
      ? ['   The call has not run yet.']
      : changes.length === 0
        ? ['   The call has run and changes no files.']
        : ['', ...formatChangeDiff(changes, { maxLines, style, isQuestion: true })]),
    '',
    ...answerLines(shown, options, false),
  ];
}

function headLines(
  { number, question, answer }: ShownQuestion,
  { clean, style, nowMs }: QuestionTextOptions,
): readonly string[] {
  const { toolName, changes, reason, expiresAtMs } = question;
  const what = changes === undefined ? 'wants to run' : 'has run and wants to commit its changes';
  const reasons = allLines(clean(reason));
  return [
    style('warning', `${number}. ${printable(toolName)} ${what}`),
    ...reasons.map((line) => `   ${line}`),
    ...(expiresAtMs === undefined || answer !== undefined
      ? []
      : [
          isExpired({ question }, nowMs)
            ? `   expired ${readableTime(expiresAtMs)}: the call is denied`
            : `   expires ${readableTime(expiresAtMs)}`,
        ]),
  ];
}

/** `src/a.ts modified (+3 -1)`. */
function changeText({ path, kind, entry, addedLines, removedLines }: ChangeRecord): string {
  const name = showName(entry === 'directory' ? `${path}/` : path);
  const counts = [
    ...(addedLines === undefined || addedLines === 0 ? [] : [`+${addedLines}`]),
    ...(removedLines === undefined || removedLines === 0 ? [] : [`-${removedLines}`]),
  ];
  return `${name} ${kind}${counts.length === 0 ? '' : ` (${counts.join(' ')})`}`;
}

function answerLines(
  { name, answer, question, withoutEffect }: ShownQuestion,
  { runId, journalNames, nowMs }: QuestionTextOptions,
  isCut: boolean,
): readonly string[] {
  const noEffect = withoutEffect === undefined ? [] : [`   no effect: ${withoutEffect}`];
  if (answer !== undefined) return [`   ${answerText(answer)}`, ...noEffect];
  if (withoutEffect !== undefined) return noEffect;
  if (isExpired({ question }, nowMs)) return [];
  const named = `${shellWord(runId)} ${name}`;
  const option = journalOption(journalNames);
  return [
    isCut
      ? `   to see all of it: wink approvals show ${named}${option}`
      : `   wink approvals answer ${named} --yes${option}`,
    `   wink approvals answer ${named} --no${option}`,
  ];
}

/** `answered yes by ann: note`. */
function answerText({ approved, by, note }: NonNullable<ShownQuestion['answer']>): string {
  const who = by === undefined ? '' : ` by ${printable(by)}`;
  return `answered ${approved ? 'yes' : 'no'}${who}${note === undefined ? '' : `: ${printable(note)}`}`;
}
