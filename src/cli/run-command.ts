import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { AnyAgent, ProviderAdapter } from '../adapter/index.ts';
import type { DynamicParams, OverridesSource } from '../prompt/index.ts';
import { type Approve, BudgetTracker, Redactor } from '../runtime/index.ts';
import type { Logger } from '../tool/index.ts';
import type { ApplyMode } from './apply-mode.ts';
import {
  type Application,
  appliedFiles,
  applyAtEnd,
  describeApplication,
  describeApplied,
} from './apply-to-folder.ts';
import { approveNobody, approveOnTerminal } from './approve-on-terminal.ts';
import type { RunRequest } from './arguments.ts';
import { bindParams } from './bind-params.ts';
import { chooseModel, type OpenaiOptions } from './choose-model.ts';
import { createProgress } from './create-progress.ts';
import { type CliEnvironment, CliInterruption, EXIT } from './environment.ts';
import { type EventLog, openEventLog } from './event-log.ts';
import { eventLine, type ResultRecord } from './event-record.ts';
import { type LoadedAgent, loadAgent } from './load-agent.ts';
import { FolderError, folderName, type OpenedFolder, openFolder } from './open-folder.ts';
import { createOpenai } from './openai-model.ts';
import { printable } from './plain-text.ts';
import type { Progress } from './progress.ts';
import { hostRedact } from './redact.ts';
import { type AgentRun, missingPeerOf, missingPricesOf, runAgent } from './run-agent.ts';
import { chooseOverrides } from './run-overrides.ts';
import { formatRunEnding } from './run-report.ts';
import { createTextStyle } from './text-style.ts';
import { UsageError } from './usage-error.ts';
import { verboseLogger } from './verbose-logger.ts';

/** What a run takes from outside of it; the defaults are what the command uses. */
export interface RunParts {
  readonly load: (name: string) => Promise<LoadedAgent>;
  readonly open: typeof openFolder;
  readonly createOpenai: (options: OpenaiOptions) => Promise<ProviderAdapter>;
  readonly openLog: (path: string) => EventLog;
}

const ownParts: RunParts = { load: loadAgent, open: openFolder, createOpenai, openLog: openEventLog };

/** Width of the table where the output has none, as in a pipe. */
const PLAIN_WIDTH = 140;
const MIN_WIDTH = 40;

/** Everything that is settled before the first turn. */
interface Preparation {
  readonly loaded: LoadedAgent;
  readonly params: DynamicParams;
  readonly model: ProviderAdapter;
  readonly folder: OpenedFolder | undefined;
  readonly log: EventLog | undefined;
  readonly overrides: OverridesSource | undefined;
  /** Takes out of texts what must not be shown. */
  readonly redactor: Redactor;
}

/**
 * Runs an agent and prints what it did.
 * @returns the exit code of the process.
 * @throws {UsageError} when the run cannot begin, or turns out to lack something that was to be installed.
 */
export async function runCommand(
  request: RunRequest,
  environment: CliEnvironment,
  overrides: Partial<RunParts> = {},
): Promise<number> {
  const startedAtMs = environment.now();
  let preparation: Preparation;
  try {
    preparation = await prepare(request, environment, { ...ownParts, ...overrides });
  } catch (error) {
    const { reason } = environment.signal;
    if (!(reason instanceof CliInterruption)) throw error;
    if (reason.kind !== 'output-closed') environment.stderr.write(`wink: ${reason.kind}.\n`);
    return reason.exitCode;
  }
  try {
    return await carryOut(request, environment, preparation, startedAtMs);
  } finally {
    await preparation.folder?.close();
    const problem = preparation.log?.close();
    if (problem !== undefined) environment.stderr.write(`wink: ${printable(problem)}\n`);
  }
}

async function prepare(
  request: RunRequest,
  environment: CliEnvironment,
  parts: RunParts,
): Promise<Preparation> {
  const { signal, variables } = environment;
  const loaded = await parts.load(request.agent);
  const { agent } = loaded.runnable;
  if (agent.workspace === false && (request.workspace !== undefined || request.apply !== undefined)) {
    throw new UsageError(
      `${printable(agent.name)} works without a workspace: leave out ${request.apply === undefined ? '--workspace' : '--apply'}.`,
    );
  }
  const named = agent.workspace === false ? '' : folderName(request.workspace);
  const { params, usesFiles } = await bindParams(agent, request.params, named);
  const takesFolder =
    agent.workspace !== false &&
    (agent.workspace !== undefined || request.workspace !== undefined || usesFiles);
  if (request.apply !== undefined && !takesFolder) {
    throw new UsageError(`${printable(agent.name)} works without files: there is nothing to --apply.`);
  }
  const overrides = await chooseOverrides(request.overrides, loaded, request.agent);
  const model = await chooseModel({
    choice: request.model,
    baseUrl: request.baseUrl,
    agent,
    params,
    workspaceName: named,
    variables,
    createOpenai: parts.createOpenai,
  });
  signal.throwIfAborted();
  const folder = takesFolder
    ? await openWorkspace(parts, request.workspace, agent.workspace, request.apply)
    : undefined;
  let log: EventLog | undefined;
  try {
    log = request.logFile === undefined ? undefined : parts.openLog(request.logFile);
  } catch (error) {
    await folder?.close();
    throw error;
  }
  for (const note of overrides?.notes ?? []) environment.stderr.write(`wink: ${note}\n`);
  for (const note of folder?.notes ?? []) environment.stderr.write(`wink: ${note}.\n`);
  return {
    loaded,
    params,
    model,
    folder,
    log,
    overrides: overrides?.source,
    redactor: new Redactor(
      hostRedact(
        {
          workspace: folder === undefined ? undefined : resolve(folder.hostPath),
          agentFolder: loaded.folder,
          workingFolder: resolve('.'),
          home: homedir(),
        },
        variables,
      ),
      () => undefined, // It never throws.
    ),
  };
}

async function openWorkspace(
  parts: RunParts,
  folder: string | undefined,
  workspace: AnyAgent['workspace'],
  mode: ApplyMode | undefined,
): Promise<OpenedFolder> {
  try {
    return await parts.open(folder, workspace === false ? {} : (workspace ?? {}), mode);
  } catch (error) {
    if (error instanceof FolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

async function carryOut(
  request: RunRequest,
  environment: CliEnvironment,
  { loaded, params, model, folder, log, overrides, redactor }: Preparation,
  startedAtMs: number,
): Promise<number> {
  const { stdout, stderr, now, signal } = environment;
  const { runnable } = loaded;
  const { text: clean } = redactor;
  const begunAtMs = now();
  const record = (event: Parameters<typeof eventLine>[0]): void => {
    if (!request.isJson && log === undefined) return;
    const line = eventLine(event, now() - begunAtMs, redactor);
    if (request.isJson) stdout.write(`${line}\n`);
    log?.write(line);
  };
  // Log lines and a line that is rewritten would be in each other's way.
  const progress = createProgress(request.isVerbose ? { ...stderr, isTerminal: false } : stderr, now, clean);
  const logger: Logger | undefined = request.isVerbose ? verboseLogger(stderr) : undefined;
  const run = await runAgent({
    runnable,
    model,
    params,
    folder,
    input: request.input ?? runnable.agent.input,
    maxTurns: request.maxTurns ?? runnable.agent.maxTurns,
    budget: new BudgetTracker({ ...runnable.agent.budget, ...request.budget }),
    deadlineMs: request.deadlineMs,
    signal,
    logger,
    overrides,
    redactor,
    approve: approveFor(request, environment, progress),
    isEnforced: request.isEnforced,
    onEvent: (event, plan) => {
      record(event);
      progress.observe(event, plan);
    },
  });
  progress.end();
  if (run.interruption?.kind === 'output-closed') return run.interruption.exitCode;
  const missing = missingPeerOf(run.error);
  if (missing !== undefined) throw new UsageError(printable(missing.message), { cause: run.error });
  const unpriced = missingPricesOf(run.error);
  if (unpriced !== undefined) {
    throw new UsageError(`${printable(unpriced.message)} Here: --prices INPUT/OUTPUT.`, { cause: run.error });
  }

  const application = apply(run, folder);
  const result = toResult(run, application);
  record({ ...result, ...(run.failure === undefined ? {} : { failure: run.failure }) });
  if (!request.isJson) {
    const lines = formatRunEnding({ ...run, application, durationMs: now() - startedAtMs }, folder, {
      title: runnable.title(folder?.name ?? ''),
      modelName: model.name,
      width: Math.max(MIN_WIDTH, stdout.columns ?? PLAIN_WIDTH),
      isFull: request.isFull,
      isEnforced: request.isEnforced,
      style: createTextStyle(stdout, environment.variables),
    });
    stdout.write(`${lines.join('\n')}\n`);
  }
  for (const line of endingLines(run, application, request.isJson)) {
    stderr.write(`wink: ${clean(line)}\n`);
  }
  if (request.isVerbose && run.error instanceof Error) stderr.write(`${clean(run.error.stack ?? '')}\n`);
  return result.exitCode;
}

/** Who decides what policies ask, for an agent that brings no function for it. */
function approveFor(request: RunRequest, environment: CliEnvironment, progress: Progress): Approve {
  const { ask, stderr, variables } = environment;
  if (request.isJson) return approveNobody('the agent brings no approve function, and --json asks no one.');
  if (ask === undefined) {
    return approveNobody(
      'the agent brings no approve function, and standard input and error output are not a terminal.',
    );
  }
  const style = createTextStyle(stderr, variables);
  return approveOnTerminal({ ask, hold: () => progress.hold(), style, isFull: request.isFull });
}

/** At the end changes are written when the run went well, and only then; call by call they are on the disk already. */
function apply(run: AgentRun, folder: OpenedFolder | undefined): Application {
  switch (folder?.mode) {
    case undefined:
      return { kind: 'off' };
    case 'end':
      return run.failure === undefined && run.interruption === undefined
        ? applyAtEnd(folder, run.changes)
        : { kind: 'skipped' };
    case 'each': {
      const { callConflicts: conflicts } = run;
      const files = appliedFiles(run.changes);
      return conflicts.length === 0
        ? { kind: 'applied', ...files }
        : { kind: 'conflict', conflicts, ...files };
    }
  }
}

function toResult(run: AgentRun, application: Application): ResultRecord {
  const { response, spending } = run;
  const { usage, cost, exceeded } = spending;
  return {
    type: 'result',
    ...codeOf(run, application),
    ...(response === undefined ? {} : { text: response.text }),
    usage,
    ...(cost === undefined ? {} : { cost }),
    ...(exceeded === undefined ? {} : { budgetExceeded: exceeded }),
    ...(response?.output === undefined ? {} : { output: response.output }),
    changes: run.changes.map(({ path, kind, entry }) => ({ path, kind, entry })),
    ...(application.kind === 'off' ? {} : { application }),
  };
}

function codeOf(run: AgentRun, application: Application): Pick<ResultRecord, 'exitCode' | 'outcome'> {
  if (run.interruption !== undefined) return { exitCode: run.interruption.exitCode, outcome: 'interrupted' };
  if (run.failure !== undefined) return { exitCode: EXIT.failed, outcome: 'failed' };
  if (application.kind === 'conflict') return { exitCode: EXIT.conflict, outcome: 'conflict' };
  if (application.kind === 'failed') return { exitCode: EXIT.failed, outcome: 'failed' };
  return { exitCode: EXIT.done, outcome: 'done' };
}

function endingLines(run: AgentRun, application: Application, isJson: boolean): readonly string[] {
  if (run.interruption === undefined && run.failure === undefined) return describeApplication(application);
  const end =
    run.interruption === undefined
      ? (run.failure ?? '')
      : `${run.interruption.kind}${isJson ? '' : '; above is what was done until then'}.`;
  return [end, ...whatStands(application)];
}

/** What a run that broke off left on the disk, where it was to write there. */
function whatStands(application: Application): readonly string[] {
  if (application.kind === 'skipped') return ['nothing was written to the folder.'];
  const applied =
    application.kind === 'applied' || application.kind === 'conflict'
      ? describeApplied(application)
      : undefined;
  return applied === undefined ? [] : [`what was committed until then is in the folder: ${applied}.`];
}
