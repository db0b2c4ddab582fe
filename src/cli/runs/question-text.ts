import { clip, showName } from '../../core/internal/index.ts';
import type { PendingApproval } from '../../core/runtime/index.ts';
import { journalOption } from '../journal/open-journal.ts';
import { firstOf, printable, printableLines, readableTime } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';
import type { TextStyle } from '../process/text-style.ts';
import { type ChangeRecord, changeRecord } from '../report/events/question-record.ts';
import { formatChangeDiff } from '../report/text/change-diff.ts';
import { isExpired, type NumberedQuestion } from './choose-questions.ts';

/** A question as it is shown. */
export interface ShownQuestion extends Pick<NumberedQuestion, 'number' | 'name' | 'answer'> {
  readonly question: PendingApproval;
}

/** How questions are shown. */
export interface QuestionTextOptions {
  readonly runId: string;
  readonly journalFile: string | undefined;
  readonly nowMs: number;
  readonly style: TextStyle;
  /** Removes what must not be shown from a text. */
  readonly clean: (text: string) => string;
}

const maxArgumentCharacters = 160;
const maxChangedPaths = 20;

/** A question in some lines: tool, reason, arguments, changed files, and the lines that answer it. Safe to print. */
export function questionLines(shown: ShownQuestion, options: QuestionTextOptions): readonly string[] {
  const { question } = shown;
  const { clean } = options;
  const changes = question.changes?.map(changeRecord) ?? [];
  return [
    ...headLines(shown, options),
    `   arguments: ${clip(printable(clean(JSON.stringify(question.params))), maxArgumentCharacters)}`,
    ...firstOf(changes, maxChangedPaths, changeText, (rest) => `… ${rest} more`).map((line) => `   ${line}`),
    ...answerLines(shown, options),
  ];
}

/** All of a question: also its names, all arguments and the diff of the changes. */
export function questionDetails(shown: ShownQuestion, options: QuestionTextOptions): readonly string[] {
  const { question } = shown;
  const { style } = options;
  const { id, digest, changes, path } = question;
  return [
    ...headLines(shown, options),
    `   id:        ${printable(id)}`,
    `   digest:    ${digest}`,
    `   asked:     ${readableTime(question.askedAtMs)} by the policy ${printable(question.policy)}`,
    ...(path === undefined
      ? []
      : [`   inside:    ${path.map(({ toolName }) => printable(toolName)).join(' > ')}`]),
    '   arguments:',
    ...printableLines(JSON.stringify(question.params, undefined, 2))
      .split('\n')
      .map((line) => `     ${line}`),
    ...(changes === undefined
      ? ['   The call has not run yet.']
      : changes.length === 0
        ? ['   The call has run and changes no files.']
        : ['', ...formatChangeDiff(changes, { maxLines: Number.POSITIVE_INFINITY, style })]),
    '',
    ...answerLines(shown, options),
  ];
}

function headLines(
  { number, question, answer }: ShownQuestion,
  { clean, style, nowMs }: QuestionTextOptions,
): readonly string[] {
  const { toolName, changes, reason, expiresAtMs } = question;
  const what = changes === undefined ? 'wants to run' : 'has run and wants to commit its changes';
  const reasons = printableLines(clean(reason)).split('\n');
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
  { name, answer, question }: ShownQuestion,
  { runId, journalFile, nowMs }: QuestionTextOptions,
): readonly string[] {
  if (answer !== undefined) return [`   ${answerText(answer)}`];
  if (isExpired({ question }, nowMs)) return [];
  const line = `wink approvals answer ${shellWord(runId)} ${name}`;
  const option = journalOption(journalFile);
  return [`   ${line} --yes${option}`, `   ${line} --no${option}`];
}

/** `answered yes by ann: note`. */
function answerText({ approved, by, note }: NonNullable<ShownQuestion['answer']>): string {
  const who = by === undefined ? '' : ` by ${printable(by)}`;
  return `answered ${approved ? 'yes' : 'no'}${who}${note === undefined ? '' : `: ${printable(note)}`}`;
}
