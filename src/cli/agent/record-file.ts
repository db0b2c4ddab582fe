import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import { present, startOf } from '../../core/internal/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { type FileRunRecorder, openRunRecorder, userStateFolder } from '../../host/index.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';
import { isInsideFolder } from '../process/inside-folder.ts';
import { printable } from '../process/plain-text.ts';
import { shellWord } from '../process/shell-word.ts';

/** What the record of a run is opened with. */
export interface RecordFileOptions {
  /** The file; empty: a new one in the folder of records. */
  readonly file: string;
  /** Name of the agent, for the name of a new file. */
  readonly agentName: string;
  /** Module of the agent as it was named. */
  readonly module: string;
  /** The folder that the agent works on; undefined when it works on none. */
  readonly workspace: string | undefined;
  /** Name of the folder in the prompt. */
  readonly workspaceName: string;
  /** Params that were given for the run, as they may be shown. */
  readonly params: JsonObject;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Number of the record among those of one server, from 1. From 2 on the name of the file ends with it. Default: 1. */
  readonly number?: number;
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
  const path = numbered(options.file === '' ? newFile(options) : options.file, options.number ?? 1);
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
      ...present({ params: Object.keys(options.params).length === 0 ? undefined : options.params }),
      onFailure: (error) => {
        problem = `the record "${shown}" is incomplete: ${reasonOf(error)}.`;
      },
    });
  const observer = await orUsageError(open, (error) => {
    const isTaken = FilesystemError.isInstance(error) && error.code === 'path-taken';
    return `the record "${shown}" ${isTaken ? 'exists; name a file that does not' : 'cannot be written'}.`;
  });
  return {
    observer,
    close: async () => {
      await observer[Symbol.asyncDispose]();
      if (statSync(path).size === 0) {
        // The run did not begin.
        rmSync(path);
        return problem === undefined ? [] : [problem];
      }
      return [
        ...(problem === undefined ? [] : [problem]),
        `recorded; open it with: npx wink view ${shellWord(path)}`,
      ];
    },
  };
}

/** A file of a new name in the user's folder of records, which is readable for its owner only. */
function newFile({ agentName, now }: RecordFileOptions): string {
  const folder = join(userStateFolder(), 'records');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = startOf(agentName.replaceAll(/[^A-Za-z0-9._-]+/g, '-'), 60);
  const time = new Date(now()).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return join(folder, `${name}-${time}-${process.pid}.jsonl`);
}

/** `calls.jsonl` and 2: `calls-2.jsonl`. */
function numbered(path: string, number: number): string {
  if (number === 1) return path;
  const { dir, ext, name } = parse(path);
  return join(dir, `${name}-${number}${ext}`);
}
