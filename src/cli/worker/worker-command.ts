import { resolve } from 'node:path';
import { runWorker, type WorkedAgent, type WorkedRunOptions } from '../../agent/worker/index.ts';
import { PromptValidationError } from '../../core/error/index.ts';
import { counted, present, quotedList, untilAborted } from '../../core/internal/index.ts';
import { suspendApproval } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import type { RunJob } from '../../durable/queue/index.ts';
import { hasOwnLoop, mountServers } from '../agent/bind-agent.ts';
import { type CommandParts, ownParts } from '../agent/command-parts.ts';
import { limitsOf } from '../agent/evaluate-run.ts';
import type { LoadedAgent } from '../agent/load-agent.ts';
import { type OpenedAgent, openAgent } from '../agent/open-agent.ts';
import type { WorkerRequest } from '../commands/worker.ts';
import { databaseProblem } from '../journal/database-problem.ts';
import type { MountedServers } from '../mcp/mcp-servers.ts';
import { Disposals } from '../process/disposals.ts';
import { type CliEnvironment, CliInterruption, exitCodes, unlessAborted } from '../process/environment.ts';
import { reasonOf, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { hostRedact } from '../process/redact.ts';
import { StrayError } from '../process/stray-error.ts';
import { withoutRepetition } from '../process/without-repetition.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { databaseAddress, openQueue } from './open-queue.ts';

/** An agent of a worker, and where it was loaded from. */
interface NamedAgent extends LoadedAgent {
  /** Path of its module. */
  readonly path: string;
}

/**
 * Takes jobs from the queue of a database and runs their agents, until the process is interrupted; then it drains.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for an agent, a journal or a queue that cannot be used.
 */
export async function workerCommand(
  request: WorkerRequest,
  environment: CliEnvironment,
  overrides: Partial<CommandParts> & {
    readonly openQueue?: typeof openQueue;
    readonly clock?: Pick<Clock, 'now'>;
  } = {},
): Promise<number> {
  const { signal, stderr, stdout, variables } = environment;
  const parts = { ...ownParts(environment), openQueue, clock: systemClock, ...overrides };
  const { concurrency, drainMs, isStrict, journalNames } = request;
  const address = databaseAddress(journalNames?.journal, variables);
  const loaded = await loadAgents(request, environment, parts);
  const folder = loaded[0]?.folder ?? '.';
  await using opened = new Disposals();
  const mounted = await mountServers(request.mcpFile, environment, parts, opened);
  const clean = hostRedact({ workspace: undefined, agentFolder: folder }, environment, mounted?.secrets);
  const say = (line: string): void => stderr.write(`wink: ${printable(clean(line))}\n`);
  const sayOnce = withoutRepetition(say, parts.clock);
  const sayError = (error: unknown, job?: RunJob): void => {
    // A signal of the command ends runs by itself.
    if (error instanceof CliInterruption) return;
    // What a run fails with may come from a model or a tool, which the advice about databases is not for.
    sayOnce(
      job === undefined
        ? `${databaseProblem(error)} The worker continues.`
        : `run ${job.runId}: ${reasonOf(error)}.`,
    );
  };
  for (const note of mounted?.notes ?? []) say(`${note}.`);
  const telemetry = request.hasTelemetry
    ? await unlessAborted(
        parts.startTelemetry({ agentFolder: resolve(folder), variables, version: environment.version }),
        signal,
      )
    : undefined;
  // After the worker has drained: what its last runs report is sent, too.
  opened.defer(async () => {
    for (const line of (await telemetry?.end()) ?? []) say(line);
  });
  const shared = { ...parts, ...sharedParts(mounted, telemetry) };

  const queue = opened.use(await parts.openQueue({ address, folder, isForWork: true, onError: sayError }));
  const journal = opened.use(await parts.journals.open(journalNames, { maxConnections: 10 }));
  const worked = new Map(
    loaded.map((one) => [one.agent.name, workedAgent(one, request, environment, shared, mounted)]),
  );
  const worker = await runWorker({
    journal,
    queue: queue.queue,
    agents: Object.fromEntries(worked),
    strict: isStrict,
    onError: sayError,
    onRun: (run, { runId }) => {
      const isSuspended = run.finishReason === 'suspended';
      const end = isSuspended ? `waits for ${counted(run.pending.length, 'answer')}` : 'has ended';
      stdout.write(`${printable(runId)} ${end}\n`);
    },
    ...present({ concurrency, drainMs }),
  });
  opened.use(worker);
  say(
    `takes jobs of ${quotedList([...worked.keys()])}; Ctrl-C lets what is in hand end, a second one ends at once.`,
  );
  try {
    await untilAborted(new Promise(() => undefined), signal);
  } catch (error) {
    if (error instanceof StrayError) return exitCodes.failed;
    if (!(error instanceof CliInterruption)) throw error;
    say(`takes no more jobs; ${counted(worker.working, 'run')} in hand.`);
  }
  return exitCodes.done;
}

/** @throws {UsageError} for a module that cannot be used, and for an agent that no worker can run. */
async function loadAgents(
  { agents, limits: { model } }: WorkerRequest,
  { cacheFolder, signal }: CliEnvironment,
  { load }: CommandParts,
): Promise<readonly NamedAgent[]> {
  const loaded: NamedAgent[] = [];
  for (const path of agents) {
    const one = await unlessAborted(load(path, cacheFolder), signal);
    const { name, workspace, adapter } = one.agent;
    const shown = printable(name);
    if (workspace !== undefined && workspace !== false) {
      throw new UsageError(
        `${shown} works on a folder, and a worker of this command has none: write a program with runWorker(), whose options open one for each run.`,
      );
    }
    if (model === undefined && adapter === undefined)
      throw new UsageError(`${shown} has no model, and none is selected: add --model.`);
    if (loaded.some(({ agent }) => agent.name === name))
      throw new UsageError(`two agents have the name "${shown}", which jobs name them by.`);
    loaded.push({ ...one, path });
  }
  return loaded;
}

/** What all runs of the worker have in common, and none of them ends. */
function sharedParts(
  mounted: MountedServers | undefined,
  telemetry: Telemetry | undefined,
): Partial<CommandParts> {
  return present({
    openServers:
      mounted === undefined
        ? undefined
        : async () => ({ ...mounted, notes: [], close: async () => undefined }),
    startTelemetry: telemetry === undefined ? undefined : async () => ({ ...telemetry, end: async () => [] }),
  });
}

/** Opens the agent for each run, as `wink run` does it. */
function workedAgent(
  { path, ...loaded }: NamedAgent,
  request: WorkerRequest,
  environment: CliEnvironment,
  parts: CommandParts,
  mounted: MountedServers | undefined,
): WorkedAgent {
  const { limits, version } = request;
  const options = async (job: RunJob): Promise<WorkedRunOptions> => {
    const opened = new Disposals();
    const say = (line: string): void => environment.stderr.write(`wink: ${line}\n`);
    try {
      const agent = await openAgent(
        {
          agent: path,
          workspace: undefined,
          params: job.params ?? noParams,
          apply: undefined,
          overrides: request.overrides,
          sandbox: request.sandbox,
          mcpFile: request.mcpFile,
          hasTelemetry: request.hasTelemetry,
        },
        {
          environment: { ...environment, signal: neverAborted },
          parts: { ...parts, load: async () => loaded },
          opened,
          model: { choice: limits.model, baseUrl: limits.baseUrl, timeoutMs: limits.timeoutMs },
          journal: undefined,
          isWithoutFolder: true,
          say,
        },
      );
      return { ...optionsOf(agent, request), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      // What is wrong is the job: the worker puts it aside.
      if (error instanceof UsageError && PromptValidationError.isInstance(error.cause)) throw error.cause;
      throw error;
    }
  };
  return { agent: mounted?.addTo(loaded.agent) ?? loaded.agent, options, ...present({ version }) };
}

const noParams: JsonObject = Object.freeze({});
/** The worker decides when runs end. */
const neverAborted = new AbortController().signal;

function optionsOf(
  { agent, model, overrides, redactor, resources, telemetry }: OpenedAgent,
  { expiresMs, limits }: WorkerRequest,
): WorkedRunOptions {
  if (model === undefined || hasOwnLoop(model)) {
    throw new UsageError(
      `a worker needs a model whose turns can be kept, and that of ${printable(agent.name)} runs a loop of its own: name one with --model.`,
    );
  }
  // With a budget, a run that has its answer is repeated to count what it cost.
  const hasBudget = Object.keys(limits.budget).length > 0;
  const budget = hasBudget ? { ...agent.limits?.budget, ...limits.budget } : undefined;
  return {
    adapter: model,
    resources,
    approve: agent.approve ?? suspendApproval(present({ expiresMs })),
    redact: redactor.text,
    limits: { ...limitsOf(limits), ...present({ budget }) },
    ...present({ overrides, observers: telemetry === undefined ? undefined : [telemetry.observer] }),
  };
}
