import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { MissingPeerError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import type { DynamicParams, OverridesSource } from '../../core/prompt/index.ts';
import type { AnyResourceBinding } from '../../core/resource/index.ts';
import { Redactor } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { describeInterruptedRuns } from '../durable/interrupted-runs.ts';
import {
  type JournalFiles,
  type OpenedJournal,
  refuseJournalInside,
  sqliteJournalFiles,
} from '../durable/open-journal.ts';
import { settleInterrupted } from '../durable/settle-interrupted.ts';
import { type CliEnvironment, unlessAborted } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { bindParams } from '../run/bind-params.ts';
import { type AgentHooks, type LoadedAgent, loadAgent } from '../run/load-agent.ts';
import type { MountedServers, openMcpServers } from '../run/mcp-servers.ts';
import { FolderError, folderName, type OpenedFolder, openFolder } from '../run/open-folder.ts';
import { chooseOverrides } from '../run/overrides.ts';
import { preparedWithServers } from '../run/prepared-with-servers.ts';
import type { openRecordFile } from '../run/record-file.ts';
import { hostRedact } from '../run/redact.ts';
import { sandboxBindings } from '../run/sandbox-bindings.ts';
import type { startTelemetry, Telemetry } from '../run/telemetry.ts';
import { loadPolicies } from './policy-file.ts';
import type { ServeJournalChoice, ServeRequest } from './serve-arguments.ts';
import { SessionRecords } from './session-records.ts';
import { workspaceAgent } from './workspace-agent.ts';

/** External dependencies of the command. */
export interface ServeParts {
  readonly load: (name: string) => Promise<LoadedAgent>;
  readonly open: typeof openFolder;
  readonly openRecord: typeof openRecordFile;
  readonly journals: JournalFiles;
  readonly startTelemetry: typeof startTelemetry;
  readonly openServers: typeof openMcpServers;
  /** The standard input of the process. */
  readonly input: () => Readable;
}

export const ownServeParts: ServeParts = {
  load: loadAgent,
  open: openFolder,
  openRecord: async (options) => (await import('../run/record-file.ts')).openRecordFile(options),
  journals: sqliteJournalFiles,
  // What it takes is loaded for a server that wants it.
  startTelemetry: async (options) => (await import('../run/telemetry.ts')).startTelemetry(options),
  openServers: async (options) => (await import('../run/mcp-servers.ts')).openMcpServers(options),
  input: () => process.stdin,
};

/** A journal that calls are kept in. */
export interface ServeJournal {
  readonly choice: ServeJournalChoice;
  readonly journal: OpenedJournal;
}

/** The state of a server before it accepts clients. */
export interface ServePreparation {
  readonly agent: AnyAgent;
  readonly hooks: AgentHooks;
  readonly params: DynamicParams;
  readonly folder: OpenedFolder | undefined;
  readonly sandbox: readonly AnyResourceBinding[];
  readonly overrides: OverridesSource | undefined;
  readonly kept: ServeJournal | undefined;
  /** Undefined: sessions are not recorded. */
  readonly records: SessionRecords | undefined;
  /** Undefined: the calls are not reported. */
  readonly telemetry: Telemetry | undefined;
  readonly redactor: Redactor;
  /** What is to be said before clients are accepted, one line each. */
  readonly notes: readonly string[];
  /** Releases the folder, then the journal, then the servers. */
  close(): Promise<void>;
}

/**
 * Loads and opens everything that a server needs.
 *
 * @param logger gets what mounted servers report, as long as they are open. Default: none.
 * @throws {UsageError} when something is missing or invalid.
 */
export async function prepareServe(
  request: ServeRequest,
  environment: CliEnvironment,
  parts: ServeParts,
  logger: Logger | undefined,
): Promise<ServePreparation> {
  const { mcpFile: file } = request;
  if (file === undefined) return prepareWith(request, environment, parts, undefined);
  const { signal, variables } = environment;
  const mounted = await parts.openServers({ file, variables, signal, logger });
  return preparedWithServers(mounted, async () => {
    const preparation = await prepareWith(request, environment, parts, mounted);
    return { ...preparation, notes: [...mounted.notes, ...preparation.notes] };
  });
}

async function prepareWith(
  request: ServeRequest,
  environment: CliEnvironment,
  parts: ServeParts,
  mounted: MountedServers | undefined,
): Promise<ServePreparation> {
  const { signal, variables } = environment;
  const loaded =
    request.agent === undefined
      ? undefined
      : withServers(await unlessAborted(parts.load(request.agent), signal), mounted);
  const bound = loaded === undefined ? undefined : await bindAgent(loaded, request, signal);
  const policies =
    request.policyFile === undefined ? [] : await unlessAborted(loadPolicies(request.policyFile), signal);
  const overrides =
    loaded === undefined || request.agent === undefined
      ? undefined
      : await chooseOverrides(request.overrides, loaded, request.agent);
  const { version } = environment;
  const agentFolder = loaded?.folder ?? resolve('.');
  const telemetry = request.hasTelemetry
    ? await unlessAborted(parts.startTelemetry({ agentFolder, variables, version }), signal)
    : undefined;
  const notes: string[] = [...(overrides?.notes ?? [])];
  const takesFolder = bound?.takesFolder ?? true;
  const kept = await openJournal(request, parts, takesFolder, notes);
  let folder: OpenedFolder | undefined;
  let records: SessionRecords | undefined;
  const close = async (): Promise<void> => {
    await folder?.close();
    await kept?.journal[Symbol.asyncDispose]();
  };
  try {
    folder = takesFolder ? await openServed(request, parts, loaded, kept) : undefined;
    if (folder !== undefined) notes.push(...folder.notes, ...(await interrupted(folder, kept, parts)));
    const { agent, hooks, params } = await agentToServe(request, loaded, bound, {
      folder,
      policies,
      mounted,
      notes,
    });
    const redactor = new Redactor(
      hostRedact(
        {
          workspace: folder === undefined ? undefined : resolve(folder.hostPath),
          agentFolder: loaded?.folder,
          workingFolder: resolve('.'),
          home: homedir(),
        },
        variables,
        mounted?.secrets,
      ),
      () => undefined, // It never throws.
    );
    const file = request.recordFile ?? (isRecordedInstead(request, kept) ? '' : undefined);
    if (file !== undefined) {
      const workspace = folder?.hostPath;
      records = await SessionRecords.open({
        open: (number) =>
          parts.openRecord({
            file,
            agentName: agent.name,
            module: request.agent ?? '',
            workspace,
            workspaceName: folder?.name ?? '',
            params: redactor.fields(request.params) as JsonObject,
            now: () => systemClock.now(),
            number,
          }),
        say: (line) => environment.stderr.write(`wink: ${line}\n`),
      });
    }
    const sandbox = bound?.sandbox ?? [];
    return {
      agent,
      hooks,
      params,
      folder,
      sandbox,
      overrides: overrides?.source,
      kept,
      records,
      telemetry,
      redactor,
      notes,
      close,
    };
  } catch (error) {
    await records?.close();
    await close();
    throw error;
  }
}

/** What the agent of a module takes. */
interface BoundAgent {
  readonly params: DynamicParams;
  readonly takesFolder: boolean;
  readonly sandbox: readonly AnyResourceBinding[];
}

async function bindAgent(
  { agent }: LoadedAgent,
  request: ServeRequest,
  signal: AbortSignal,
): Promise<BoundAgent> {
  const name = printable(agent.name);
  if (agent.workspace === false && request.workspace !== undefined)
    throw new UsageError(`${name} does not use a workspace: leave out --workspace.`);
  const workspaceName = agent.workspace === false ? '' : folderName(request.workspace);
  const { params, prompt } = await unlessAborted(bindParams(agent, request.params, workspaceName), signal);
  const resources = prompt.resources();
  const takesFolder =
    agent.workspace !== false &&
    (agent.workspace !== undefined || request.workspace !== undefined || resources.has(Filesystem));
  return { params, takesFolder, sandbox: await sandboxBindings(request.sandbox, agent.name, resources) };
}

function withServers(loaded: LoadedAgent, mounted: MountedServers | undefined): LoadedAgent {
  return mounted === undefined ? loaded : { ...loaded, agent: mounted.addTo(loaded.agent) };
}

/** What the agent for a folder is made of. */
interface FolderParts {
  readonly folder: OpenedFolder | undefined;
  readonly policies: readonly ToolPolicy[];
  readonly mounted: MountedServers | undefined;
  /** Gets what is to be said of it. */
  readonly notes: string[];
}

/** The agent of the module, or the one for a folder. */
async function agentToServe(
  { sandbox }: ServeRequest,
  loaded: LoadedAgent | undefined,
  bound: BoundAgent | undefined,
  { folder, mounted, notes, policies }: FolderParts,
): Promise<Pick<ServePreparation, 'agent' | 'hooks' | 'params'>> {
  if (loaded !== undefined) return { agent: loaded.agent, hooks: loaded.hooks, params: bound?.params ?? {} };
  if (folder === undefined) throw new TypeError('A folder is open where no agent is named.');
  const ready = await workspaceAgent({ folder, sandbox, policies });
  notes.push(...ready.notes);
  return { agent: mounted?.addTo(ready.agent) ?? ready.agent, hooks: {}, params: {} };
}

/** Without a journal for want of `node:sqlite`, calls are at least recorded. */
const isRecordedInstead = ({ durable }: ServeRequest, kept: ServeJournal | undefined): boolean =>
  durable !== undefined && kept === undefined;

async function openJournal(
  { durable, workspace }: ServeRequest,
  { journals }: ServeParts,
  takesFolder: boolean,
  notes: string[],
): Promise<ServeJournal | undefined> {
  if (durable === undefined) return undefined;
  refuseJournalInside(durable.journalFile, takesFolder ? (workspace ?? '.') : undefined);
  try {
    return { choice: durable, journal: await journals.open(durable.journalFile) };
  } catch (error) {
    const isMissing = error instanceof UsageError && MissingPeerError.isInstance(error.cause);
    if (durable.isRequired || !isMissing) throw error;
    notes.push(
      `calls are recorded, and cannot be undone by "wink rewind": Node ${process.versions.node} has no node:sqlite, Node 22.13 and later have it`,
    );
    return undefined;
  }
}

async function openServed(
  { apply, workspace }: ServeRequest,
  { open }: ServeParts,
  loaded: LoadedAgent | undefined,
  kept: ServeJournal | undefined,
): Promise<OpenedFolder> {
  const rules = loaded?.agent.workspace;
  try {
    return await open(workspace, rules === undefined || rules === false ? {} : rules, apply, {
      journal: kept?.journal,
      insteadOfWaiting: 'use --apply=never, which writes nothing',
    });
  } catch (error) {
    if (error instanceof FolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Settles what earlier servers have decided, and names other runs that can go on. */
async function interrupted(
  { filesystem, mode, pending }: OpenedFolder,
  kept: ServeJournal | undefined,
  { journals }: ServeParts,
): Promise<readonly string[]> {
  const { hostPath: workspace } = filesystem;
  if (workspace === undefined || mode === undefined || kept === undefined) return [];
  const { choice, journal } = kept;
  const { journalFile } = choice;
  const { left, lines } = await settleInterrupted({ journal, journalFile, filesystem, pending });
  return [
    ...lines,
    ...(await describeInterruptedRuns({ workspace, pending: left, journal, journalFile, journals })),
  ];
}
