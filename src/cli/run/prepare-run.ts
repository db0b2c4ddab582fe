import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type AgentWorkspace, modelOf, type ProviderAdapter } from '../../core/evaluation/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import type { DynamicParams, OverridesSource } from '../../core/prompt/index.ts';
import type { AnyResourceBinding } from '../../core/resource/index.ts';
import { Redactor, type RunJournal } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { startProcess } from '../../host/index.ts';
import { describeInterruptedRuns } from '../durable/interrupted-runs.ts';
import { type KeptRun, openDurableRun } from '../durable/open-durable.ts';
import {
  type JournalFiles,
  type OpenedJournal,
  refuseJournalInside,
  sqliteJournalFiles,
} from '../durable/open-journal.ts';
import { chooseModel } from '../model/choose-model.ts';
import { type ModelMakers, modelMakers } from '../model/model-makers.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { unlessAborted } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { bindParams } from './bind-params.ts';
import { type EventLog, openEventLog } from './event-log.ts';
import { type LoadedAgent, loadAgent } from './load-agent.ts';
import type { openMcpServers } from './mcp-servers.ts';
import { FolderError, folderName, type OpenedFolder, openFolder } from './open-folder.ts';
import { chooseOverrides } from './overrides.ts';
import { preparedWithServers } from './prepared-with-servers.ts';
import type { openRecordFile, RecordFile } from './record-file.ts';
import { hostRedact } from './redact.ts';
import type { RunRequest } from './run-arguments.ts';
import { sandboxBindings } from './sandbox-bindings.ts';
import type { startTelemetry, Telemetry } from './telemetry.ts';

/** External dependencies of a run; the defaults are those of the command. */
export interface PrepareRunParts {
  readonly load: (name: string) => Promise<LoadedAgent>;
  readonly open: typeof openFolder;
  readonly makers: ModelMakers;
  readonly openLog: (path: string) => EventLog;
  readonly startTelemetry: typeof startTelemetry;
  readonly openRecord: typeof openRecordFile;
  readonly journals: JournalFiles;
  readonly startProcess: typeof startProcess;
  readonly openServers: typeof openMcpServers;
}

export const ownParts: PrepareRunParts = {
  load: loadAgent,
  open: openFolder,
  makers: modelMakers,
  openLog: openEventLog,
  // What it takes is loaded for a run that wants it.
  startTelemetry: async (options) => (await import('./telemetry.ts')).startTelemetry(options),
  openRecord: async (options) => (await import('./record-file.ts')).openRecordFile(options),
  journals: sqliteJournalFiles,
  startProcess,
  openServers: async (options) => (await import('./mcp-servers.ts')).openMcpServers(options),
};

/** The state of a run before the first turn. */
export interface Preparation {
  readonly loaded: LoadedAgent;
  readonly params: DynamicParams;
  readonly model: ProviderAdapter;
  readonly folder: OpenedFolder | undefined;
  /** The backend of the command line, in the place of the agent's own. */
  readonly sandbox: readonly AnyResourceBinding[];
  readonly log: EventLog | undefined;
  /** Undefined: the run is not reported. */
  readonly telemetry: Telemetry | undefined;
  /** Undefined: the run is not recorded. */
  readonly recordFile: RecordFile | undefined;
  /** Undefined: the run is not kept in a journal. */
  readonly durable: KeptRun | undefined;
  readonly overrides: OverridesSource | undefined;
  /** Removes what must not be shown from texts. */
  readonly redactor: Redactor;
  /** Releases the folder, then the journal, then the servers. */
  close(): Promise<void>;
}

/**
 * Loads and opens everything that a run needs.
 * @param logger gets what servers report, as long as they are open. Default: none.
 * @throws {UsageError} when something is missing or invalid; the reason of the environment's signal when it is aborted
 * meanwhile.
 */
export async function prepareRun(
  request: RunRequest,
  environment: CliEnvironment,
  overridden: Partial<PrepareRunParts>,
  logger?: Logger,
): Promise<Preparation> {
  const parts = { ...ownParts, ...overridden };
  const { signal } = environment;
  const loaded = await unlessAborted(parts.load(request.agent), signal);
  const { mcpFile } = request;
  if (mcpFile === undefined) return prepareLoaded(request, environment, parts, loaded);
  const mounted = await parts.openServers({
    file: mcpFile,
    variables: environment.variables,
    signal,
    logger,
  });
  return preparedWithServers(mounted, async () => {
    for (const note of mounted.notes) environment.stderr.write(`wink: ${note}.\n`);
    const served = { ...loaded, agent: mounted.addTo(loaded.agent) };
    return prepareLoaded(request, environment, parts, served, mounted.secrets);
  });
}

/** @param secrets what must not be shown besides secret environment variables. */
async function prepareLoaded(
  request: RunRequest,
  environment: CliEnvironment,
  parts: PrepareRunParts,
  loaded: LoadedAgent,
  secrets: Readonly<Record<string, string>> = {},
): Promise<Preparation> {
  const { signal, variables } = environment;
  const { agent } = loaded;
  if (agent.workspace === false && (request.workspace !== undefined || request.apply !== undefined)) {
    throw new UsageError(
      `${printable(agent.name)} does not use a workspace: leave out ${request.apply === undefined ? '--workspace' : '--apply'}.`,
    );
  }
  const named = agent.workspace === false ? '' : folderName(request.workspace);
  const { params, prompt } = await unlessAborted(bindParams(agent, request.params, named), signal);
  const resources = prompt.resources();
  const takesFolder =
    agent.workspace !== false &&
    (agent.workspace !== undefined || request.workspace !== undefined || resources.has(Filesystem));
  if (request.apply !== undefined && !takesFolder) {
    throw new UsageError(`${printable(agent.name)} does not use files: there is nothing to --apply.`);
  }
  const sandbox = await sandboxBindings(request.sandbox, agent.name, resources);
  const overrides = await chooseOverrides(request.overrides, loaded, request.agent);
  const adapter = await unlessAborted(
    chooseModel({
      choice: request.model,
      baseUrl: request.baseUrl,
      agent,
      agentFolder: loaded.folder,
      params,
      workspaceName: named,
      variables,
      makers: parts.makers,
    }),
    signal,
  );
  if (request.durable !== undefined && modelOf(adapter) === undefined) {
    throw new UsageError(
      `--durable needs a model whose turns can be kept, and "${printable(adapter.name)}" runs a loop of its own: name one with --model.`,
    );
  }
  const telemetry = request.hasTelemetry
    ? await unlessAborted(
        parts.startTelemetry({ agentFolder: loaded.folder, variables, version: environment.version }),
        signal,
      )
    : undefined;
  signal.throwIfAborted();
  const { folder, journal } = await openParts(request, parts, takesFolder ? (agent.workspace ?? {}) : false);
  const close = async (): Promise<void> => {
    await folder?.close();
    await journal?.[Symbol.asyncDispose]();
  };
  const redactor = new Redactor(
    hostRedact(
      {
        workspace: folder === undefined ? undefined : resolve(folder.hostPath),
        agentFolder: loaded.folder,
        workingFolder: resolve('.'),
        home: homedir(),
      },
      variables,
      secrets,
    ),
    () => undefined, // It never throws.
  );
  let log: EventLog | undefined;
  let recordFile: RecordFile | undefined;
  let durable: KeptRun | undefined;
  let interrupted: readonly string[] = [];
  try {
    if (folder !== undefined && request.durable?.resumed === undefined) {
      interrupted = await announceInterrupted(parts, folder, journal, request.durable?.journalFile);
    }
    durable =
      request.durable === undefined || journal === undefined
        ? undefined
        : await openDurableRun({
            choice: request.durable,
            agentName: agent.name,
            workspace: folder?.hostPath,
            nowMs: systemClock.now(),
            journal,
          });
    recordFile =
      request.recordFile === undefined
        ? undefined
        : await parts.openRecord({
            file: request.recordFile,
            agentName: agent.name,
            module: request.agent,
            workspace: folder?.hostPath,
            workspaceName: named,
            params: redactor.fields(request.params) as JsonObject,
            now: () => systemClock.now(),
          });
    log = request.logFile === undefined ? undefined : parts.openLog(request.logFile);
  } catch (error) {
    await recordFile?.close();
    await close();
    throw error;
  }
  for (const note of overrides?.notes ?? []) environment.stderr.write(`wink: ${note}\n`);
  for (const note of [...(folder?.notes ?? []), ...interrupted]) environment.stderr.write(`wink: ${note}.\n`);
  return {
    loaded,
    params,
    model: adapter,
    folder,
    sandbox,
    log,
    telemetry,
    recordFile,
    durable,
    overrides: overrides?.source,
    redactor,
    close,
  };
}

/** What a run holds while it goes on. */
interface HeldParts {
  readonly folder: OpenedFolder | undefined;
  readonly journal: OpenedJournal | undefined;
}

/**
 * Opens the journal of a durable run, and the folder under its lease.
 *
 * @param workspace which files of the folder are visible; false: the run works on none.
 */
async function openParts(
  { durable, workspace: name, apply }: RunRequest,
  parts: PrepareRunParts,
  workspace: AgentWorkspace | false,
): Promise<HeldParts> {
  if (durable !== undefined) {
    refuseJournalInside(durable.journalFile, workspace === false ? undefined : (name ?? '.'));
  }
  const journal = durable === undefined ? undefined : await parts.journals.open(durable.journalFile);
  try {
    const folder =
      workspace === false
        ? undefined
        : await parts.open(name, workspace, apply, {
            journal,
            insteadOfWaiting: durable?.resumed === undefined ? 'leave out --apply' : undefined,
          });
    return { folder, journal };
  } catch (error) {
    await journal?.[Symbol.asyncDispose]();
    if (error instanceof FolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** A folder in memory has no path that a run could be found by. */
async function announceInterrupted(
  parts: PrepareRunParts,
  { filesystem, pending }: OpenedFolder,
  journal: RunJournal | undefined,
  journalFile: string | undefined,
): Promise<readonly string[]> {
  const { hostPath: workspace } = filesystem;
  if (workspace === undefined) return [];
  return describeInterruptedRuns({ workspace, pending, journal, journalFile, journals: parts.journals });
}
