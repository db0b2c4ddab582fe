import type { Readable } from 'node:stream';
import { startProcess } from '../../host/index.ts';
import { openFolder } from '../folder/open-folder.ts';
import { type Journals, journalsOf } from '../journal/open-journal.ts';
import type { openMcpServers } from '../mcp/mcp-servers.ts';
import { type ModelMakers, modelMakers } from '../model/model-makers.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { loadedFiles } from '../process/load-module.ts';
import type { startTelemetry } from '../telemetry/telemetry.ts';
import { type EventLog, openEventLog } from './event-log.ts';
import { loadAgent } from './load-agent.ts';
import type { openRecordFile } from './record-file.ts';

/** What the commands that run an agent take from outside, so that tests can replace it. */
export interface CommandParts {
  readonly load: typeof loadAgent;
  readonly open: typeof openFolder;
  readonly makers: ModelMakers;
  readonly openLog: (path: string) => EventLog;
  readonly startTelemetry: typeof startTelemetry;
  readonly openRecord: typeof openRecordFile;
  readonly journals: Journals;
  readonly startProcess: typeof startProcess;
  readonly openServers: typeof openMcpServers;
  /** The standard input of the process. */
  readonly input: () => Readable;
}

/** What a command takes from outside unless a test replaces it. */
export const ownParts = (
  environment: Pick<CliEnvironment, 'cacheFolder' | 'onLoaded' | 'variables'>,
): CommandParts => ({
  load: async (name, cacheFolder) => {
    try {
      return await loadAgent(name, cacheFolder);
    } finally {
      environment.onLoaded?.(loadedFiles());
    }
  },
  open: openFolder,
  makers: modelMakers,
  openLog: openEventLog,
  // What these take is loaded for a run that wants it.
  startTelemetry: async (options) => (await import('../telemetry/telemetry.ts')).startTelemetry(options),
  openRecord: async (options) => (await import('./record-file.ts')).openRecordFile(options),
  journals: journalsOf(environment),
  startProcess,
  openServers: async (options) => (await import('../mcp/mcp-servers.ts')).openMcpServers(options),
  input: () => process.stdin,
});
