import { escapeInvisible, present } from '../../core/internal/index.ts';
import type { JournaledRun, RunJournal } from '../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { askedQuestions, askerOf, isLasting } from '../../durable/internal.ts';
import type { ApprovalsRequest } from '../commands/approvals.ts';
import type { ResumeRequest } from '../commands/resume.ts';
import { journalOption } from '../journal/journal-name.ts';
import { folderFilter, namedRun, runningError, taskToGoOn } from '../journal/named-runs.ts';
import { journalsOf } from '../journal/open-journal.ts';
import { readRunInfo } from '../journal/run-info.ts';
import type { JournalNames } from '../options/journal-names.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable, readableTime } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';
import { createTextStyle } from '../process/text-style.ts';
import { questionRecord } from '../report/events/question-record.ts';
import { answerQuestions } from './answer-questions.ts';
import { chooseQuestion, type NumberedQuestion, numbered } from './choose-questions.ts';
import { type QuestionTextOptions, questionDetails, questionLines } from './question-text.ts';
import type { RunsParts } from './runs-command.ts';
import { withoutEffect } from './without-effect.ts';

/** What the command takes from outside, so that tests can replace it. */
export interface ApprovalsParts extends RunsParts {
  /** Continues a run. @returns the exit code of the process. */
  readonly resume: (request: ResumeRequest) => Promise<number>;
}

/**
 * Lists, shows or answers the questions of suspended runs; with `--resume` continues a run that has all its answers.
 *
 * @returns the exit code of the process; with `--resume` that of the run, or 4 while a question is open.
 * @throws {UsageError} for a run or a question that the journal does not have, an answer that is refused, and a journal that cannot be read.
 */
export async function approvalsCommand(
  request: ApprovalsRequest,
  { cacheFolder, stdout, variables }: CliEnvironment,
  {
    journals = journalsOf({ cacheFolder, variables }),
    clock = systemClock,
    resume,
  }: Partial<ApprovalsParts> = {},
): Promise<number> {
  const readOnly = request.action !== 'answer';
  const textOptions = (runId: string): QuestionTextOptions => ({
    runId,
    journalNames: request.journalNames,
    nowMs: clock.now(),
    style: createTextStyle(stdout, variables),
    // The person who answers must see what is asked.
    clean: (text) => text,
  });
  const { lines, openCount, runId } = await carryOut();
  writeLines(stdout, lines);
  if (request.action !== 'answer' || request.resume === undefined || runId === undefined)
    return exitCodes.done;
  if (openCount > 0) return exitCodes.suspended;
  if (resume === undefined) throw new TypeError('A run is resumed by what the command is given.');
  return await resume({ ...request.resume, runId });

  // The journal is closed before the run continues.
  async function carryOut(): Promise<ApprovalsReport> {
    await using journal = await journals.openExisting(request.journalNames, { readOnly });
    return await reportOf(request, journal, clock, textOptions);
  }
}

/** What is printed, and what of the run is known then. */
interface ApprovalsReport {
  readonly lines: readonly string[];
  /** How many of its questions are open. */
  readonly openCount: number;
  /** Undefined: it is about several runs. */
  readonly runId: string | undefined;
}

async function reportOf(
  request: ApprovalsRequest,
  opened: RunJournal | undefined,
  clock: Pick<Clock, 'now'>,
  textOptions: (runId: string) => QuestionTextOptions,
): Promise<ApprovalsReport> {
  if (request.action === 'list') {
    return { lines: await listLines(request, opened, textOptions), openCount: 0, runId: undefined };
  }
  const { journalNames } = request;
  const { journal, run } = await namedRun(opened, request.runId, journalNames);
  const { runId } = run;
  const questions = await questionsOf(journal, run);
  const options = textOptions(runId);
  if (request.action === 'answer') {
    const goesOn = request.resume !== undefined;
    // One that cannot continue is refused before the answer is kept.
    if (goesOn) taskToGoOn(run, journalNames, 'resume');
    const resume = goesOn ? undefined : resumeLine(run, journalNames, request.approved);
    return {
      ...(await answerQuestions({ request, run, questions, journal, clock, options, resume })),
      runId,
    };
  }
  return {
    lines: showLines(request, run, questions, options),
    openCount: openOf(questions).length,
    runId,
  };
}

function showLines(
  { isJson, journalNames, question: word }: Extract<ApprovalsRequest, { readonly action: 'show' }>,
  run: JournaledRun,
  questions: readonly NumberedQuestion[],
  options: QuestionTextOptions,
): readonly string[] {
  const shown = word === undefined ? questions : [chooseQuestion(questions, word)];
  if (isJson) return [jsonLine(run, shown)];
  return [
    ...shown.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...questionDetails(each, options)]),
    ...endLines(run, questions, journalNames),
  ];
}

/** @throws {UsageError} for a run that is not suspended. */
async function questionsOf(journal: RunJournal, run: JournaledRun): Promise<readonly NumberedQuestion[]> {
  if (run.status === 'suspended') {
    const asked = await askedQuestions(journal, run.runId);
    return numbered(asked, await withoutEffect(run, asked, journal));
  }
  if (run.status === 'running') throw runningError(run.runId);
  if (askerOf(run) !== undefined) {
    throw new UsageError(
      `the question "${printable(run.runId)}" has ended: its answer was used, or it expired, or what asked it has ended.`,
    );
  }
  throw new UsageError(`the run "${printable(run.runId)}" has no questions: it is ${run.status}.`);
}

async function listLines(
  { folder, isJson, journalNames }: Extract<ApprovalsRequest, { readonly action: 'list' }>,
  journal: RunJournal | undefined,
  textOptions: (runId: string) => QuestionTextOptions,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const filter = folderFilter(folder);
  for (const run of journal === undefined ? [] : await journal.runs(filter)) {
    if (journal === undefined || run.status !== 'suspended') continue;
    const questions = await questionsOf(journal, run);
    if (isJson) lines.push(jsonLine(run, questions));
    else {
      if (lines.length > 0) lines.push('');
      lines.push(
        runLine(run, questions),
        ...questions.flatMap((each) => questionLines(each, textOptions(run.runId))),
        ...endLines(run, questions, journalNames),
      );
    }
  }
  return lines.length > 0 || isJson ? lines : ['no run waits for an answer.'];
}

function openOf(questions: readonly NumberedQuestion[]): readonly NumberedQuestion[] {
  return questions.filter(({ answer }) => answer === undefined);
}

function runLine(run: JournaledRun, questions: readonly NumberedQuestion[]): string {
  const folder = run.workspace === undefined ? '' : ` on ${printable(run.workspace)}`;
  const open = `${openOf(questions).length} of ${questions.length} open`;
  return `${printable(run.runId)}: ${printable(run.agent ?? run.promptName)}${folder}, ${readableTime(run.updatedAtMs)}, ${open}`;
}

/** How it continues once all questions are answered. */
function endLines(
  run: JournaledRun,
  questions: readonly NumberedQuestion[],
  journalNames: JournalNames | undefined,
): readonly string[] {
  const [first] = questions;
  if (openOf(questions).length > 0 || first?.withoutEffect !== undefined) return [];
  return [resumeLine(run, journalNames, first?.answer?.approved === true)];
}

/** @param approved the answer to the question, where the run is one of a server. */
function resumeLine(run: JournaledRun, journalNames: JournalNames | undefined, approved: boolean): string {
  if (run.isToolRuntime === true) {
    const where = isLasting(run) ? ', to this server or to a later one that is started so on the folder' : '';
    return approved
      ? `the answer counts for one call: when the same call is made again${where}`
      : `the answer counts for each call that asks the same${where}; to have it asked anew: wink runs prune ${shellWord(run.runId)}${journalOption(journalNames)}`;
  }
  return readRunInfo(run) === undefined
    ? 'to continue the run: resume it with the program that began it'
    : `to continue the run: wink resume ${shellWord(run.runId)}${journalOption(journalNames)}`;
}

/** A run and its questions as a line of JSON. */
function jsonLine(
  { runId, sessionId, promptName, agent, workspace, updatedAtMs }: JournaledRun,
  asked: readonly NumberedQuestion[],
): string {
  const questions = asked.map(({ question, number, answer, withoutEffect: reason }) => ({
    ...questionRecord(question, number),
    ...present({ answer, withoutEffect: reason }),
  }));
  return escapeInvisible(
    JSON.stringify({ runId, sessionId, promptName, agent, workspace, updatedAtMs, questions }),
  );
}
