import { counted, present } from '../core/internal/index.ts';
import { type Approver, BudgetTracker, type RunEvent, suspendApproval } from '../core/runtime/index.ts';
import { systemClock } from '../core/session/index.ts';
import type { Logger } from '../core/tool/index.ts';
import { questionNames } from './approvals/choose-questions.ts';
import { runOnSuspend } from './approvals/on-suspend.ts';
import { questionLines } from './approvals/question-text.ts';
import { beginningLines, changedLines } from './durable/open-durable.ts';
import { type CliEnvironment, CliInterruption } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { StrayError } from './process/stray-error.ts';
import { createTextStyle } from './process/text-style.ts';
import { CallLog } from './report/calls/call-log.ts';
import { eventLine, isDelta, type ResultRecord } from './report/events/event-record.ts';
import { type QuestionRecord, questionRecord } from './report/events/question-record.ts';
import { endingLines, toResult } from './report/events/run-result.ts';
import { approveOnTerminal, denyApprovals } from './report/progress/approve-on-terminal.ts';
import { createProgress } from './report/progress/create-progress.ts';
import type { Progress } from './report/progress/live-progress.ts';
import { verboseLogger } from './report/progress/verbose-logger.ts';
import { formatRunEnding } from './report/table/run-report.ts';
import { spendingOf } from './report/text/spending.ts';
import { applyChanges } from './run/apply-to-folder.ts';
import { furtherStrays, startupError, withStrays } from './run/failures.ts';
import { hookError, type LoadedAgent } from './run/load-agent.ts';
import { ownParts, type Preparation, type PrepareRunParts, prepareRun } from './run/prepare-run.ts';
import { type AgentRunOptions, runAgent } from './run/run-agent.ts';
import type { RunRequest } from './run/run-arguments.ts';

/** Width of the table where the output has no width, as for a pipe. */
const plainWidth = 140;
const minWidth = 40;

/**
 * Runs an agent and prints the report.
 * @returns the exit code of the process.
 * @throws {UsageError} when the run cannot start, or a required package is missing; the reason of the environment's signal
 * when it is aborted before the start.
 */
export async function runCommand(
  request: RunRequest,
  environment: CliEnvironment,
  overrides: Partial<PrepareRunParts> = {},
): Promise<number> {
  const startedAtMs = environment.now();
  const logger = request.isVerbose ? verboseLogger(environment.stderr) : undefined;
  let preparation: Preparation;
  try {
    preparation = await prepareRun(request, environment, overrides, logger);
  } catch (error) {
    const { reason } = environment.signal;
    if (reason instanceof CliInterruption || reason instanceof StrayError) throw reason;
    throw error;
  }
  let ended: EndedCommand;
  try {
    ended = await carryOut(request, environment, preparation, startedAtMs);
  } finally {
    await preparation.close();
    for (const line of (await preparation.telemetry?.end()) ?? []) {
      environment.stderr.write(`wink: ${preparation.redactor.text(line)}\n`);
    }
    for (const line of (await preparation.recordFile?.close()) ?? [])
      environment.stderr.write(`wink: ${line}\n`);
    const problem = preparation.log?.close();
    if (problem !== undefined) environment.stderr.write(`wink: ${printable(problem)}\n`);
    // The result is already written and does not change; this line reports what would otherwise be lost.
    for (const stray of await environment.takeStrays()) {
      const text = preparation.redactor.text(`after the end of the run: ${stray.message}.`);
      environment.stderr.write(`wink: ${printable(text)}\n`);
    }
  }
  await announce(request, environment, preparation, ended, overrides.startProcess ?? ownParts.startProcess);
  return ended.exitCode;
}

/** How the command ended. */
interface EndedCommand {
  readonly exitCode: number;
  /** What the run waits for; empty unless it was suspended. */
  readonly questions: readonly QuestionRecord[];
}

/** Runs the command for a suspended run. The folder and the run are free by now, so that the command may answer and resume. */
async function announce(
  { suspension: { command } }: RunRequest,
  environment: CliEnvironment,
  { durable, redactor }: Preparation,
  { questions }: EndedCommand,
  start: PrepareRunParts['startProcess'],
): Promise<void> {
  if (command === undefined || durable === undefined || questions.length === 0) return;
  const { runId } = durable;
  const notice = { command, runId, questions: questions.map((each) => redactor.record(each)) };
  const problem = await runOnSuspend(notice, environment, start);
  if (problem !== undefined) environment.stderr.write(`wink: ${redactor.text(problem)}\n`);
}

async function carryOut(
  request: RunRequest,
  environment: CliEnvironment,
  preparation: Preparation,
  startedAtMs: number,
): Promise<EndedCommand> {
  const { stdout, stderr, now, signal } = environment;
  const { loaded, params, model, folder, sandbox, log, telemetry } = preparation;
  const { recordFile, durable, overrides, redactor } = preparation;
  const { agent, hooks } = loaded;
  const title = titleOf(loaded, folder?.name ?? '');
  const { text: clean } = redactor;
  const begunAtMs = now();
  for (const line of beginningLines(durable)) stderr.write(`wink: ${line}.\n`);
  if (folder?.mode === 'each' && durable !== undefined) {
    const pending = folder.pending.flatMap(({ runId, paths }) => (runId === durable.runId ? paths : []));
    const changes = await durable.changedSince(folder.filesystem);
    for (const line of changedLines(changes, new Set(pending))) stderr.write(`wink: ${line}.\n`);
  }
  const record = (event: RunEvent | ResultRecord): void => {
    if (!request.isJson && log === undefined) return;
    if (!request.hasDeltas && isDelta(event)) return;
    const line = eventLine(event, now() - begunAtMs, redactor);
    if (request.isJson) stdout.write(`${line}\n`);
    log?.write(line);
  };
  // One redactor during the run, for errors in the middle of it; another in the order of the report.
  const underway = new CallLog(clean);
  let running = '';
  signal.addEventListener('abort', () => {
    running = underway.describeRunning();
  });
  const calls = new CallLog(clean, now);
  const progress = createProgress(stderr, {
    calls,
    now,
    after: environment.after,
    onOtherOutput: environment.onOtherOutput,
    clean,
    style: createTextStyle(stderr, environment.variables),
    isVerbose: request.isVerbose,
  });
  const logger: Logger | undefined = request.isVerbose ? verboseLogger(stderr) : undefined;
  const budget = new BudgetTracker(
    { ...agent.limits?.budget, ...request.budget },
    // The report shows the spending, with or without limits.
    { isLimitRequired: false },
  );
  const agentRun: AgentRunOptions = {
    agent,
    hooks,
    model,
    params,
    folder,
    sandbox,
    input: request.input ?? agent.input,
    settings: request.settings,
    context: {
      ...present({ overflow: request.contextOverflow, maxTurns: request.maxConversationTurns }),
    },
    limits: {
      ...present({ maxTurns: request.maxTurns, maxRepeatedFailures: request.maxRepeatedFailures }),
      budget,
    },
    // Without streaming there are fewer ways to be cut off.
    streaming: request.hasDeltas || progress.showsText,
    deadlineMs: request.deadlineMs,
    durable,
    signal,
    logger,
    overrides,
    redactor,
    approve: approveFor(request, environment, progress, agent.approve),
    isEnforced: request.isEnforced,
    observers: [telemetry?.observer, recordFile?.observer].filter((observer) => observer !== undefined),
    onEvent: (event) => {
      underway.observe(event);
      record(event);
    },
    show: (event, plan) => progress.observe(event, plan),
  };
  const meanwhile =
    folder?.mode === 'end' ? ((await durable?.changedMeanwhile(folder.filesystem)) ?? []) : [];
  const evaluated = await (telemetry === undefined
    ? runAgent(agentRun)
    : telemetry.runIn(() => runAgent(agentRun)));
  progress.end();
  // Before anything is written to the folder: a run with a stray error has not succeeded.
  const run = withStrays(evaluated, await environment.takeStrays(), agent.name, running);
  if (run.interruption?.kind === 'output-closed')
    return { exitCode: run.interruption.exitCode, questions: [] };
  const problem = run.strays.length > 0 ? undefined : startupError(run.error);
  if (problem !== undefined) throw new UsageError(clean(problem), { cause: run.error });

  const application = applyChanges(run, folder, meanwhile);
  const unmarked =
    application.kind === 'applied' && folder?.mode === 'end' ? await durable?.markApplied() : undefined;
  const spending = spendingOf(budget);
  const result = toResult(run, application, spending);
  const pending = result.outcome === 'suspended' ? (run.suspended?.pending ?? []) : [];
  const questions = pending.map((question, index) => questionRecord(question, index + 1));
  record({
    ...result,
    ...present({
      questions: result.outcome === 'suspended' ? questions : undefined,
      failure: run.failure,
      runId: durable?.runId,
    }),
  });
  if (!request.isJson) {
    const style = createTextStyle(stdout, environment.variables);
    const names = questionNames(pending);
    const ending = {
      ...run,
      questions: pending.flatMap((question, index) =>
        questionLines(
          { question, number: index + 1, name: names[index] ?? '', answer: undefined },
          {
            runId: durable?.runId ?? '',
            journalFile: request.durable?.journalFile,
            nowMs: systemClock.now(),
            style,
            clean,
          },
        ),
      ),
      records: calls.records,
      totals: calls.totals(),
      spending,
      application,
      durationMs: now() - startedAtMs,
    };
    const lines = formatRunEnding(ending, folder, {
      clean,
      title,
      modelName: model.name,
      width: Math.max(minWidth, stdout.columns ?? plainWidth),
      isFull: request.isFull,
      isEnforced: request.isEnforced,
      isResumed: durable?.resumed !== undefined,
      style,
    });
    stdout.write(`${lines.join('\n')}\n`);
  }
  for (const line of endingLines(run, application, request.isJson)) {
    stderr.write(`wink: ${clean(line)}\n`);
  }
  if (unmarked !== undefined) stderr.write(`wink: ${clean(unmarked)}\n`);
  if (durable !== undefined && result.outcome === 'suspended') {
    stderr.write(
      `wink: the run ${durable.runId} waits for ${counted(pending.length, 'answer')}; to go on with it then: ${durable.resumeCommand}\n`,
    );
  } else if (durable !== undefined && result.outcome !== 'done') {
    stderr.write(`wink: the run ${durable.runId} is kept; to go on with it: ${durable.resumeCommand}\n`);
  }
  for (const line of furtherStrays(run)) stderr.write(`wink: ${printable(clean(line))}\n`);
  if (request.isVerbose && run.error instanceof Error) stderr.write(`${clean(run.error.stack ?? '')}\n`);
  return { exitCode: result.exitCode, questions };
}

/** The heading of the report. */
function titleOf({ agent, hooks }: LoadedAgent, folder: string): string {
  try {
    return hooks.title?.(folder) ?? `Run of ${agent.name}${folder === '' ? '' : ` on ${folder}`}`;
  } catch (error) {
    throw hookError('title', agent.name, error);
  }
}

/** Who answers what policies ask: the agent, the user at the terminal, or someone later. */
function approveFor(
  request: RunRequest,
  environment: CliEnvironment,
  progress: Progress,
  own: Approver | undefined,
): Approver {
  const { ask, stderr, variables } = environment;
  const { isForced, expiresMs } = request.suspension;
  if (own !== undefined && !isForced) return own;
  if (request.durable !== undefined && (isForced || request.isJson || ask === undefined))
    return suspendApproval(expiresMs === undefined ? {} : { expiresMs });
  if (request.isJson) return denyApprovals('the agent has no approve function, and --json does not ask.');
  if (ask === undefined) {
    return denyApprovals(
      'the agent has no approve function, and standard input and error output are not a terminal.',
    );
  }
  const style = createTextStyle(stderr, variables);
  return approveOnTerminal({ ask, hold: () => progress.hold(), style, isFull: request.isFull });
}
