import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import { counted, present, readableBytes } from '../../core/internal/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { type FileRunRecorder, openRunRecorder } from '../../host/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { errorMessage, orUsageError, reasonOf, UsageError } from '../process/errors.ts';
import { isInsideFolder } from '../process/inside-folder.ts';
import { printable } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';
import { removeOldRecords } from '../records/prune-records.ts';
import { newRecordName } from '../records/records-folder.ts';

/** What the record of a run is opened with. */
export interface RecordFileOptions {
  /** The file; empty: a new one in the folder of records. */
  readonly file: string;
  /** The folder of records. */
  readonly folder: string;
  readonly variables: CliEnvironment['variables'];
  /** Name of the agent, for the name of a new file. */
  readonly agentName: string;
  /** Module of the agent as it was named. */
  readonly module: string;
  /** The folder that the agent works on; undefined when it works on none. */
  readonly workspace: string | undefined;
  /** Name of the folder in the prompt. */
  readonly workspaceName: string;
  /** When changes are written to it; undefined when there is none. */
  readonly apply: 'each' | 'end' | 'never' | undefined;
  /** Params that were given for the run, as they may be shown. */
  readonly params: JsonObject;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Number of the record among those of one server, from 1. From 2 on the name of the file ends with it. Default: 1. */
  readonly number?: number;
  /** Whether a report says how to open it, so that this is not said twice. Default: none does. */
  readonly isInReport?: boolean;
}

/** The record of a run in a file. */
export interface RecordFile {
  readonly observer: FileRunRecorder;
  /** Writes what is left. @returns what is to be said of it, one line each. */
  close(): Promise<readonly string[]>;
}

/**
 * Creates the file that the run is recorded in.
 *
 * @throws {UsageError} when it exists, cannot be created, or is inside the folder that the agent works on.
 */
export async function openRecordFile(options: RecordFileOptions): Promise<RecordFile> {
  const { file, number = 1 } = options;
  // Once for all sessions of a server.
  const removed = file === '' && number === 1 ? await removeOld(options) : [];
  const path = numbered(file === '' ? newFile(options) : file, number);
  const shown = printable(path);
  // A record inside the folder would change under every search of the agent.
  if (options.workspace !== undefined && isInsideFolder(path, options.workspace)) {
    throw new UsageError(
      `the record "${shown}" would be inside the folder that the agent works on. Name a file outside of it, or leave the name out.`,
    );
  }
  let problem: string | undefined;
  const open = (): Promise<FileRunRecorder> =>
    openRunRecorder({
      file: path,
      module: options.module,
      workspace: options.workspaceName,
      ...present({ apply: options.apply }),
      ...present({ params: Object.keys(options.params).length === 0 ? undefined : options.params }),
      onFailure: (error) => {
        problem = `the record "${shown}" is incomplete: ${reasonOf(error)}.`;
      },
    });
  const observer = await orUsageError(open, (error) => {
    const { code, cause } = FilesystemError.isInstance(error) ? error : { code: undefined, cause: error };
    return code === 'path-taken'
      ? `the record "${shown}" exists; name a file that does not.`
      : `the record "${shown}" cannot be written: ${errorMessage(cause)}.`;
  });
  return {
    observer,
    close: async () => {
      await observer[Symbol.asyncDispose]();
      const { size: sizeBytes } = statSync(path);
      if (sizeBytes === 0) {
        // The run did not begin.
        rmSync(path);
        return [...(problem === undefined ? [] : [problem]), ...removed];
      }
      return [
        ...(problem === undefined ? [] : [problem]),
        options.isInReport === true
          ? `recorded, ${readableBytes(sizeBytes)}: ${shown}`
          : `recorded, ${readableBytes(sizeBytes)}; open it with: npx wink view ${shellWord(path)}`,
        ...removed,
      ];
    },
  };
}

/** Removes what is too old in the folder of records. @returns what is to be said of it. */
async function removeOld({ folder, now, variables }: RecordFileOptions): Promise<readonly string[]> {
  const removed = await removeOldRecords(folder, variables, now());
  if (removed.length === 0) return [];
  const bytes = removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [`removed ${counted(removed.length, 'old record')}, ${readableBytes(bytes)} (WINK_RECORDS_DAYS)`];
}

/** A file of a new name in the folder of records, which is readable for its owner only. */
function newFile({ agentName, folder, now }: RecordFileOptions): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, newRecordName({ agentName, nowMs: now(), pid: process.pid }));
}

/** `calls.jsonl` and 2: `calls-2.jsonl`. */
function numbered(path: string, number: number): string {
  if (number === 1) return path;
  const { dir, ext, name } = parse(path);
  return join(dir, `${name}-${number}${ext}`);
}
