import { counted, once, present } from '../core/internal/index.ts';
import { type Approver, BudgetTracker, type RunEvent, suspendApproval } from '../core/runtime/index.ts';
import type { JsonSchema } from '../core/schema/index.ts';
import { type CommandParts, ownParts } from './agent/command-parts.ts';
import { type EndedRun, evaluateRun } from './agent/evaluate-run.ts';
import { furtherStrays, startupError, withStrays } from './agent/failures.ts';
import { type OpenedRun, openRun } from './agent/open-run.ts';
import { beginningLines } from './journal/open-durable.ts';
import type { RunRequest } from './options/run-task.ts';
import { Disposals } from './process/disposals.ts';
import { type CliEnvironment, CliInterruption, writeLines } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { StrayError } from './process/stray-error.ts';
import { createTextStyle } from './process/text-style.ts';
import { CallLog } from './report/calls/call-log.ts';
import { eventLine, isDelta, type ResultRecord } from './report/events/event-record.ts';
import { type QuestionRecord, questionRecord } from './report/events/question-record.ts';
import { endingLines, endingRecord, outcomeOfRun, toResult } from './report/events/run-result.ts';
import { approveOnTerminal, denyApprovals } from './report/progress/approve-on-terminal.ts';
import { createProgress, isRewritable } from './report/progress/create-progress.ts';
import type { Progress } from './report/progress/progress.ts';
import { verboseLogger } from './report/progress/verbose-logger.ts';
import { spendingOf } from './report/text/spending.ts';
import { runOnSuspend } from './runs/on-suspend.ts';
import { reportLines, titleOf } from './runs/report-lines.ts';

/**
 * Runs an agent and prints the report.
 * @returns the exit code of the process.
 * @throws {UsageError} when the run cannot start, or a required package is missing; the reason of the environment's signal
 * when it is aborted before the start.
 */
export async function runCommand(
  request: RunRequest,
  environment: CliEnvironment,
  overrides: Partial<CommandParts> = {},
): Promise<number> {
  const parts = { ...ownParts(environment), ...overrides };
  const command: Command = { request, environment, startedAtMs: environment.now() };
  const { exitCode, opened, questions } = await openAndRun(command, parts);
  const say = (text: string): void =>
    environment.stderr.write(`wink: ${printable(opened.redactor.text(text))}\n`);
  // The result is already written and does not change; this line reports what would otherwise be lost.
  for (const stray of await environment.takeStrays()) say(`after the end of the run: ${stray.message}.`);
  const { command: line } = request.suspension;
  if (line === undefined || opened.durable === undefined || questions.length === 0) return exitCode;
  // The folder and the run are free by now, so that the command may answer and resume.
  const notice = {
    command: line,
    runId: opened.durable.runId,
    questions: questions.map((question) => opened.redactor.record(question)),
  };
  const problem = await runOnSuspend(notice, environment, parts.startProcess);
  if (problem !== undefined) say(problem);
  return exitCode;
}

/** A command line and where it runs. */
interface Command {
  readonly request: RunRequest;
  readonly environment: CliEnvironment;
  readonly startedAtMs: number;
}

/** How the command ended. */
interface EndedCommand {
  readonly exitCode: number;
  readonly opened: OpenedRun;
  /** What the run waits for; empty unless it was suspended. */
  readonly questions: readonly QuestionRecord[];
}

async function openAndRun(command: Command, parts: CommandParts): Promise<EndedCommand> {
  const { environment, request } = command;
  await using stack = new Disposals();
  let opened: OpenedRun;
  try {
    const logger = request.isVerbose ? verboseLogger(environment.stderr) : undefined;
    opened = await openRun(request, { environment, parts, opened: stack, logger });
  } catch (error) {
    const { reason } = environment.signal;
    if (reason instanceof CliInterruption || reason instanceof StrayError) throw reason;
    throw error;
  }
  return await carryOut(command, opened);
}

async function carryOut(command: Command, opened: OpenedRun): Promise<EndedCommand> {
  const { request, environment } = command;
  const { agent, durable, folder, redactor } = opened;
  if (!request.isQuiet)
    for (const line of beginningLines(durable)) environment.stderr.write(`wink: ${line}.\n`);
  const budget = new BudgetTracker(
    { ...agent.limits?.budget, ...request.budget },
    // The report shows the spending, with or without limits.
    { isLimitRequired: false },
  );
  const output = outputOf(command, opened, budget);
  const ended = await evaluateRun(opened, request, {
    approve: approveFor(request, environment, output.progress, agent.approve),
    budget,
    // Without streaming there are fewer ways to be cut off.
    streaming: request.hasDeltas || output.progress.showsText,
    signal: environment.signal,
    logger: request.isVerbose ? verboseLogger(environment.stderr) : undefined,
    onEvent: output.observe,
    show: (event, plan) => output.progress.observe(event, plan),
    takeStrays: () => environment.takeStrays(),
  });
  output.progress.end();
  const run = withStrays(ended, agent.name, output.describeRunning());
  if (run.interruption?.kind === 'output-closed')
    return { exitCode: run.interruption.exitCode, opened, questions: [] };
  const problem = run.strays.length > 0 ? undefined : startupError(run.error, durable?.resumeCommand);
  if (problem !== undefined) throw new UsageError(redactor.text(problem), { cause: run.error });

  const isApplied = run.application.kind === 'applied' && folder?.mode === 'end';
  const unmarked = isApplied ? await durable?.markApplied() : undefined;
  const spending = spendingOf(budget);
  const outcome = outcomeOfRun(run, agent.name, [...output.calls.records, ...output.calls.open]);
  const result = toResult(run, spending);
  const suspended = result.outcome === 'suspended' ? (run.suspended?.pending ?? []) : [];
  // While the folder is open, which has the contents of the changes.
  const questions = suspended.map((question, index) => questionRecord(question, index + 1));
  output.record({
    ...result,
    ...present({
      questions: result.outcome === 'suspended' ? questions : undefined,
      failure: run.failure,
      ending: endingRecord(outcome),
      runId: durable?.runId,
    }),
  });
  const notes = [
    ...(unmarked === undefined ? [] : [redactor.text(unmarked)]),
    ...furtherStrays(run).map((line) => printable(redactor.text(line))),
  ];
  const reported = { run, outcome, spending, suspended, notes, calls: output.calls };
  if (request.isJson) {
    for (const line of [...lastLines(opened, run, { ...result, waiting: suspended.length }), ...notes])
      environment.stderr.write(`wink: ${line}\n`);
  } else writeLines(environment.stdout, reportLines(command, opened, reported));
  if (request.isVerbose && run.error instanceof Error)
    environment.stderr.write(`${redactor.text(run.error.stack ?? '')}\n`);
  return { exitCode: result.exitCode, opened, questions };
}

/** Where the events of a run go. */
interface RunOutput {
  readonly progress: Progress;
  readonly calls: CallLog;
  readonly observe: (event: RunEvent) => void;
  readonly record: (event: RunEvent | ResultRecord) => void;
  /** The calls that ran when the signal was aborted, as a sentence. */
  readonly describeRunning: () => string;
}

function outputOf(
  { request, environment }: Command,
  { agent, folder, log, model, prompt, redactor }: OpenedRun,
  budget: BudgetTracker,
): RunOutput {
  const { after, now, onOtherOutput, signal, stderr, stdout, variables } = environment;
  const { text: clean } = redactor;
  const begunAtMs = now();
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
  const calls = new CallLog(clean, now, schemasOf(prompt));
  const style = createTextStyle(stderr, variables);
  const progress = createProgress(stderr, {
    run: {
      title: titleOf({ agent, folder }),
      modelName: model.name,
      maxTurns: request.maxTurns ?? agent.limits?.maxTurns,
      maxCost: budget.budget.maxCost,
      spending: () => spendingOf(budget),
    },
    isLive: isRewritable(stderr, variables),
    detail: request.isQuiet ? 'none' : request.isVerbose ? 'all' : 'short',
    calls,
    now,
    after,
    onOtherOutput,
    clean,
    style,
  });
  const observe = (event: RunEvent): void => {
    underway.observe(event);
    record(event);
  };
  return { progress, calls, observe, record, describeRunning: () => running };
}

/** The schemas of tools by name, in whose order arguments are shown; none of a section that cannot be evaluated yet. */
function schemasOf(prompt: OpenedRun['prompt']): (toolName: string) => JsonSchema | undefined {
  const known = once((): ReadonlyMap<string, JsonSchema | undefined> => {
    try {
      return new Map(prompt.tools().map(({ name, compiledInput }) => [name, compiledInput?.inputJsonSchema]));
    } catch {
      return new Map();
    }
  });
  return (toolName) => known().get(toolName);
}

/** The lines for the error output when a run has ended whose report is events. */
function lastLines(
  { durable, redactor: { text: clean } }: OpenedRun,
  run: EndedRun,
  { outcome, waiting }: Pick<ResultRecord, 'outcome'> & { readonly waiting: number },
): readonly string[] {
  const later =
    durable === undefined || outcome === 'done'
      ? []
      : outcome === 'suspended'
        ? [
            `the run ${durable.runId} waits for ${counted(waiting, 'answer')}; to continue it then: ${durable.resumeCommand}`,
          ]
        : [`the run ${durable.runId} is kept; to continue it: ${durable.resumeCommand}`];
  return [...endingLines(run).map(clean), ...later];
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
