import { BudgetExceededError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { PendingApproval } from '../../core/runtime/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { RunOutcomeSummary } from '../../record/index.ts';
import type { EndedRun } from '../agent/evaluate-run.ts';
import type { OpenedRun } from '../agent/open-run.ts';
import { journalOption } from '../journal/journal-name.ts';
import type { EndedEarlier, RunRequest } from '../options/run-task.ts';
import { type CliEnvironment, widthOf } from '../process/environment.ts';
import { roughDuration } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';
import { createTextStyle } from '../process/text-style.ts';
import type { Call } from '../report/calls/call.ts';
import type { CallLog } from '../report/calls/call-log.ts';
import type { WaitingCall } from '../report/table/call-table.ts';
import type { NextLine } from '../report/table/outcome-block.ts';
import { formatRunEnding } from '../report/table/run-report.ts';
import { amountText, type Spending } from '../report/text/spending.ts';
import { questionNames } from './choose-questions.ts';
import { reportedQuestion } from './question-text.ts';

/** What the report of a run is made of. */
export interface ReportedRun {
  readonly run: EndedRun;
  readonly outcome: RunOutcomeSummary<Call>;
  readonly spending: Spending;
  readonly suspended: readonly PendingApproval[];
  readonly calls: CallLog;
  /** Further lines about the end, safe to print. */
  readonly notes: readonly string[];
}

/** Name of the agent, and of its folder. */
export function titleOf({ agent, folder }: Pick<OpenedRun, 'agent' | 'folder'>): string {
  return folder === undefined ? agent.name : `${agent.name} on ${folder.name}`;
}

/** The lines of the report of a run. */
export function reportLines(
  {
    request,
    environment,
    startedAtMs,
  }: { readonly request: RunRequest; readonly environment: CliEnvironment; readonly startedAtMs: number },
  opened: OpenedRun,
  { calls, notes, outcome, run, spending, suspended }: ReportedRun,
): readonly string[] {
  const { durable, folder, model, redactor } = opened;
  const { now, stdout, variables } = environment;
  const { text: clean } = redactor;
  const style = createTextStyle(stdout, variables);
  const names = questionNames(suspended);
  const context = {
    runId: durable?.runId ?? '',
    journalNames: request.durable?.journalNames,
    nowMs: systemClock.now(),
    style,
    clean,
    width: widthOf(stdout),
  };
  const questions = suspended.map((question, index) => {
    const about = calls.open.find(({ callId }) => callId === question.callId)?.subject ?? '';
    const asked = { question, number: index + 1, name: names[index] ?? '', answer: undefined };
    return reportedQuestion({ ...asked, about }, context);
  });
  const ending = {
    ...run,
    outcome: cleaned(outcome, clean),
    questions: {
      count: suspended.length,
      lines: questions.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines])),
    },
    records: calls.records,
    waiting: suspended.length === 0 ? [] : waitingCalls(calls.open, suspended),
    totals: calls.totals(),
    spending,
    durationMs: now() - startedAtMs,
    notes,
    next: nextLines(request, opened, outcome, run.error),
  };
  const resumed = durable?.resumed;
  return formatRunEnding(ending, folder, {
    clean,
    title: titleOf(opened),
    modelName: model.name,
    width: widthOf(stdout),
    isFull: request.isFull,
    isQuiet: request.isQuiet,
    isEnforced: request.isEnforced,
    life: resumed === undefined ? 'new' : resumed.ended === undefined ? 'resumed' : 'ended',
    ended: resumed?.ended === undefined ? undefined : endedText(resumed.ended, context.nowMs),
    style,
  });
}

/** The outcome without what must not be shown. Its calls were cleaned before. */
function cleaned(outcome: RunOutcomeSummary<Call>, clean: (text: string) => string): RunOutcomeSummary<Call> {
  const { message, sentence } = outcome;
  return {
    ...outcome,
    ...present({
      sentence: sentence === undefined ? undefined : clean(sentence),
      message: message === undefined ? undefined : clean(message),
    }),
  };
}

/** The calls that a suspended run has not ended: those that ask, and those that come after them. */
function waitingCalls(open: readonly Call[], suspended: readonly PendingApproval[]): readonly WaitingCall[] {
  let number = 1;
  return open.map((call) => {
    const at = suspended.findIndex(({ callId }) => callId === call.callId);
    if (at < 0) return { call, outcome: `not run yet: after question ${number}` };
    number = at + 1;
    return { call, outcome: `waits: question ${number}` };
  });
}

/** The commands that continue a run and show it. */
function nextLines(
  request: RunRequest,
  { agent, durable, recordFile }: OpenedRun,
  { code, kind }: RunOutcomeSummary<Call>,
  error: unknown,
): readonly NextLine[] {
  if (kind === 'waiting') return [];
  const lines: NextLine[] = [];
  if (durable !== undefined && kind !== 'finished') {
    const more = largerLimit(code, { ...agent.limits, ...request }, error);
    lines.push({ name: 'Go on', command: `${durable.resumeCommand}${more}` });
  }
  if (recordFile !== undefined) {
    // One that was named is not looked for among the others.
    const { recordFile: named = '' } = request;
    lines.push({ name: 'Look', command: `wink view ${named === '' ? 'last' : shellWord(named)}` });
  } else if (durable !== undefined) {
    const journal = journalOption(request.durable?.journalNames);
    lines.push({ name: 'Look', command: `wink view ${shellWord(durable.runId)}${journal}` });
  }
  return lines;
}

/** The option with which a run continues that a limit has ended, twice as large; empty for what has no such option, and for a deadline, whose time begins anew. */
function largerLimit(
  code: string | undefined,
  { maxRepeatedFailures = 5, maxTurns = 100 }: Partial<Pick<RunRequest, 'maxRepeatedFailures' | 'maxTurns'>>,
  error: unknown,
): string {
  switch (code) {
    case 'evaluation-failures-repeated':
      return ` --max-repeated-failures ${2 * maxRepeatedFailures}`;
    case 'evaluation-turns-exceeded':
      return ` --max-turns ${2 * maxTurns}`;
    case 'evaluation-budget-exceeded':
      return largerBudget(error);
    default:
      return '';
  }
}

function largerBudget(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  // One that several runs share has no option.
  if (!BudgetExceededError.isInstance(cause) || cause.details['budget'] !== undefined) return '';
  const { limit, maximum, needed, value } = cause.details;
  const [most = 0, ...spent] = [maximum, needed, value].map((each) => (typeof each === 'number' ? each : 0));
  // What is spent counts when it continues, and may be more than twice the limit.
  const larger = 2 * (Math.max(...spent) < 2 * most ? most : Math.max(...spent));
  if (limit === 'maxTotalTokens') return ` --max-tokens ${larger}`;
  return limit === 'maxCost' ? ` --max-cost ${amountText(larger).replaceAll(',', '')}` : '';
}

/** How long a run took that had ended already, and when that was: `49 s, 2 days ago`. */
export function endedText({ startedAtMs, updatedAtMs }: EndedEarlier, nowMs: number): string {
  const ageMs = nowMs - updatedAtMs;
  const ago = ageMs < 60_000 ? 'just now' : `${roughDuration(ageMs)} ago`;
  return `${roughDuration(updatedAtMs - startedAtMs)}, ${ago}`;
}
