import { present } from '../../core/internal/index.ts';
import type { PendingApproval } from '../../core/runtime/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { RunOutcomeSummary } from '../../record/index.ts';
import type { EndedRun } from '../agent/evaluate-run.ts';
import type { OpenedRun } from '../agent/open-run.ts';
import { journalOption } from '../journal/journal-name.ts';
import type { RunRequest } from '../options/run-task.ts';
import { type CliEnvironment, widthOf } from '../process/environment.ts';
import { shellWord } from '../process/shell-word.ts';
import { createTextStyle } from '../process/text-style.ts';
import type { Call } from '../report/calls/call.ts';
import type { CallLog } from '../report/calls/call-log.ts';
import type { WaitingCall } from '../report/table/call-table.ts';
import type { NextLine } from '../report/table/outcome-block.ts';
import { formatRunEnding } from '../report/table/run-report.ts';
import type { Spending } from '../report/text/spending.ts';
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
    next: nextLines(request, opened, outcome),
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
    life: resumed === undefined ? 'new' : resumed.isFinished ? 'ended' : 'resumed',
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

/** The commands that go on with a run and show it. */
function nextLines(
  request: RunRequest,
  { agent, durable, recordFile }: OpenedRun,
  { code, kind }: RunOutcomeSummary<Call>,
): readonly NextLine[] {
  if (kind === 'waiting') return [];
  const lines: NextLine[] = [];
  if (durable !== undefined && kind !== 'finished') {
    const limits = { ...agent.limits, ...request };
    const more =
      code === 'evaluation-failures-repeated'
        ? ` --max-repeated-failures ${2 * (limits.maxRepeatedFailures ?? 5)}`
        : code === 'evaluation-turns-exceeded'
          ? ` --max-turns ${2 * (limits.maxTurns ?? 100)}`
          : '';
    lines.push({ name: 'Go on', command: `${durable.resumeCommand}${more}` });
  }
  if (recordFile !== undefined) lines.push({ name: 'Look', command: 'wink view last' });
  else if (durable !== undefined) {
    const journal = journalOption(request.durable?.journalNames);
    lines.push({ name: 'Look', command: `wink view ${shellWord(durable.runId)}${journal}` });
  }
  return lines;
}
