import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { systemClock } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { describeInterruptedRuns } from '../journal/interrupted-runs.ts';
import { type KeptRun, openDurableRun } from '../journal/open-durable.ts';
import type { JournalNames } from '../options/journal-names.ts';
import type { RunRequest } from '../options/run-task.ts';
import type { Disposals } from '../process/disposals.ts';
import type { CliEnvironment } from '../process/environment.ts';
import type { CommandParts } from './command-parts.ts';
import { type EventLog, openLogOf } from './event-log.ts';
import { type OpenedAgent, openAgent, openRecordOf } from './open-agent.ts';
import type { RecordFile } from './record-file.ts';

/** The state of a run before the first turn. */
export interface OpenedRun extends OpenedAgent {
  readonly model: ProviderAdapter;
  readonly log: EventLog | undefined;
  /** Undefined: the run is not recorded. */
  readonly recordFile: RecordFile | undefined;
  /** Undefined: the run is not kept in a journal. */
  readonly durable: KeptRun | undefined;
}

/** What a run is opened with. */
export interface OpenRunOptions {
  readonly environment: CliEnvironment;
  readonly parts: CommandParts;
  /** Closes what was opened, also when a later step fails. */
  readonly opened: Disposals;
  /** Gets what servers report. Default: none. */
  readonly logger?: Logger | undefined;
}

/**
 * Opens everything that a run needs.
 *
 * @throws {UsageError} as `openAgent`, for a run that the journal has already, and for a record or a log that cannot be written.
 */
export async function openRun(request: RunRequest, options: OpenRunOptions): Promise<OpenedRun> {
  const { environment, opened, parts } = options;
  const { durable: choice } = request;
  const say = (line: string): void => environment.stderr.write(`wink: ${line}\n`);
  const agent = await openAgent(request, {
    ...options,
    say,
    model: { choice: request.model, baseUrl: request.baseUrl, timeoutMs: request.timeoutMs },
    isApplyNamed: request.apply !== undefined,
    insteadOfWaiting: choice?.resumed === undefined ? 'leave out --apply' : undefined,
    journal: choice === undefined ? undefined : { names: choice.journalNames },
  });
  if (agent.model === undefined) throw new TypeError('A run has a model.');
  const workspace = agent.folder?.hostPath;
  if (choice?.resumed === undefined)
    for (const note of await interruptedOn(agent, choice?.journalNames, parts)) say(`${note}.`);
  const durable =
    choice === undefined || agent.journal === undefined
      ? undefined
      : await openDurableRun({
          choice,
          request: { kind: 'run', ...choice.task },
          agentName: agent.agent.name,
          workspace,
          nowMs: systemClock.now(),
          journal: agent.journal,
        });
  const recordFile =
    request.recordFile === undefined
      ? undefined
      : await openRecordOf(
          agent,
          request,
          { file: request.recordFile, isInReport: !request.isJson, variables: environment.variables },
          parts,
        );
  opened.defer(async () => {
    for (const line of (await recordFile?.close()) ?? []) say(line);
  });
  const log = openLogOf(request.logFile, { openLog: parts.openLog, opened, say });
  return { ...agent, model: agent.model, log, recordFile, durable };
}

/** What is to be said of runs on the folder that were interrupted. A folder in memory has no path that a run could be found by. */
async function interruptedOn(
  { folder, journal }: OpenedAgent,
  journalNames: JournalNames | undefined,
  { journals }: CommandParts,
): Promise<readonly string[]> {
  const workspace = folder?.filesystem.hostPath;
  if (folder === undefined || workspace === undefined) return [];
  return describeInterruptedRuns({ workspace, pending: folder.pending, journal, journalNames, journals });
}
