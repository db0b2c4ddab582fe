import { MissingPeerError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { isRecord } from '../../core/internal/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import type { CommandParts } from '../agent/command-parts.ts';
import { type EventLog, openLogOf } from '../agent/event-log.ts';
import { type OpenedAgent, openAgent, openRecordOf } from '../agent/open-agent.ts';
import type { ServeJournalChoice, ServeRequest } from '../commands/serve.ts';
import type { OpenedFolder } from '../folder/open-folder.ts';
import { describeInterruptedRuns } from '../journal/interrupted-runs.ts';
import type { OpenedJournal } from '../journal/opened-journal.ts';
import { settleInterrupted } from '../journal/settle-interrupted.ts';
import type { JournalNames } from '../options/journal-names.ts';
import type { Disposals } from '../process/disposals.ts';
import { type CliEnvironment, unlessAborted } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { loadModule } from '../process/load-module.ts';
import { printable } from '../process/plain-text.ts';
import { SessionRecords } from './session-records.ts';
import { workspaceAgent } from './workspace-agent.ts';

/** A journal that calls are kept in. */
export interface ServeJournal {
  readonly choice: ServeJournalChoice;
  readonly journal: OpenedJournal;
}

/** The state of a server before it accepts clients. */
export interface ServedAgent extends OpenedAgent {
  readonly kept: ServeJournal | undefined;
  /** Undefined: sessions are not recorded. */
  readonly records: SessionRecords | undefined;
  readonly log: EventLog | undefined;
}

/** What a server is opened with. */
export interface OpenServedOptions {
  readonly environment: CliEnvironment;
  readonly parts: CommandParts;
  /** Closes what was opened, also when a later step fails. */
  readonly opened: Disposals;
  /** Gets what mounted servers report, as long as they are open. Default: none. */
  readonly logger: Logger | undefined;
}

/**
 * Opens everything that a server needs.
 *
 * @throws {UsageError} when something is missing or invalid.
 */
export async function openServedAgent(
  request: ServeRequest,
  options: OpenServedOptions,
): Promise<ServedAgent> {
  const { environment, opened, parts } = options;
  const { durable, policyFile, sandbox } = request;
  const say = (line: string): void => environment.stderr.write(`wink: ${line}\n`);
  const policies =
    policyFile === undefined
      ? []
      : await unlessAborted(loadPolicies(policyFile, environment.cacheFolder), environment.signal);
  const makeAgent = async (folder: OpenedFolder): Promise<AnyAgent> => {
    const ready = await workspaceAgent({ folder, sandbox, policies });
    for (const note of ready.notes) say(`${note}.`);
    return ready.agent;
  };
  const missing: string[] = [];
  const agent = await openAgent(request, {
    ...options,
    say,
    makeAgent,
    insteadOfWaiting: 'use --apply=never, which writes nothing',
    openJournal: (names) => openIfPossible(names, durable, parts, missing),
    journal: durable === undefined ? undefined : { names: durable.journalNames },
  });
  // A server that cannot open its folder says only that.
  for (const note of missing) say(note);
  const kept =
    durable === undefined || agent.journal === undefined
      ? undefined
      : { choice: durable, journal: agent.journal };
  if (request.clients > 1 && kept !== undefined && agent.folder !== undefined) {
    const instead =
      durable?.isRequired === true ? 'leave out the options of the journal' : 'add --no-durable';
    throw new UsageError(
      `--clients=${request.clients}: a folder takes part in one session with a journal at a time; ${instead}, and the calls cannot be undone.`,
    );
  }
  for (const note of await interrupted(agent.folder, kept, parts)) say(`${note}.`);
  // Without a journal for want of `node:sqlite`, calls are at least recorded.
  const file = request.recordFile ?? (durable !== undefined && kept === undefined ? '' : undefined);
  const records =
    file === undefined
      ? undefined
      : await SessionRecords.open({
          open: (number) =>
            openRecordOf(agent, request, { file, number, variables: environment.variables }, parts),
          say,
        });
  opened.defer(() => records?.close());
  const log = openLogOf(request.logFile, { openLog: parts.openLog, opened, say });
  return { ...agent, kept, records, log };
}

/** Opens the journal; undefined where it was not asked for and this version of Node cannot, with a note of what is missing. */
async function openIfPossible(
  names: JournalNames | undefined,
  choice: ServeJournalChoice | undefined,
  { journals }: CommandParts,
  missing: string[],
): Promise<OpenedJournal | undefined> {
  try {
    return await journals.open(names);
  } catch (error) {
    const isMissing = error instanceof UsageError && MissingPeerError.isInstance(error.cause);
    if (choice?.isRequired !== false || !isMissing) throw error;
    const version = printable(process.versions.node);
    missing.push(
      `calls are recorded, and cannot be undone by "wink rewind": Node ${version} has no node:sqlite, Node 22.13 and later have it.`,
    );
    return undefined;
  }
}

/** Settles what earlier servers have decided, and names other runs that can continue. */
async function interrupted(
  folder: OpenedFolder | undefined,
  kept: ServeJournal | undefined,
  { journals }: CommandParts,
): Promise<readonly string[]> {
  const workspace = folder?.filesystem.hostPath;
  if (folder?.mode === undefined || workspace === undefined || kept === undefined) return [];
  const { filesystem, pending } = folder;
  const { choice, journal } = kept;
  const { journalNames } = choice;
  const { left, lines } = await settleInterrupted({ journal, journalNames, filesystem, pending });
  return [
    ...lines,
    ...(await describeInterruptedRuns({ workspace, pending: left, journal, journalNames, journals })),
  ];
}

/**
 * The rules of a module: a list that it exports as `default` or as `policies`.
 *
 * @throws {UsageError} when there is no such module, it cannot be loaded, or it exports no list of policies.
 */
async function loadPolicies(name: string, cacheFolder: string | undefined): Promise<readonly ToolPolicy[]> {
  const { exported } = await loadModule(name, 'policy file', cacheFolder);
  const found = [exportOf(exported, 'default'), exportOf(exported, 'policies')].find(isPolicyList);
  if (found !== undefined) return found;
  throw new UsageError(
    `"${printable(name)}" exports no list of policies, each with a name and a check, as default or as "policies".`,
  );
}

function exportOf(exported: unknown, name: string): unknown {
  return typeof exported === 'object' && exported !== null ? Reflect.get(exported, name) : undefined;
}

/** The template checks the rest. */
function isPolicyList(value: unknown): value is readonly ToolPolicy[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((policy) => isRecord(policy) && typeof policy['name'] === 'string')
  );
}
