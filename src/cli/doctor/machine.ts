import { isBuiltin } from 'node:module';
import { describeError } from '../../core/error/index.ts';
import { isRecord, present } from '../../core/internal/index.ts';
import { type StagingSupport, stagingSupport, startProcess, userStateFolder } from '../../host/index.ts';
import { loadAgent } from '../agent/load-agent.ts';
import { journalsOf } from '../journal/open-journal.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { recordsFolder } from '../records/records-folder.ts';

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined: it is not there, or was killed. */
  readonly exitCode: number | undefined;
  readonly isFound: boolean;
  readonly stdout: string;
}

/** What the checks see of a machine, so that tests can make one. */
export interface Machine {
  /** Such as `24.21.0`. */
  readonly nodeVersion: string;
  /** As `process.platform`. */
  readonly platform: string;
  /** The working folder. */
  readonly folder: string;
  /** Where the command keeps journals. */
  readonly stateFolder: string;
  /** Where it keeps records. */
  readonly recordsFolder: string;
  /** The version of SQLite in `node:sqlite`; undefined: this Node has none. */
  readonly sqliteVersion: () => Promise<string | undefined>;
  /** Runs a program to its end, without input. */
  readonly run: (command: string, args: readonly string[]) => Promise<ProgramEnd>;
  /** Starts a command in bubblewrap. @returns why that does not work; undefined: it does. */
  readonly tryBubblewrap: () => Promise<string | undefined>;
  /** What makes staging faster in the folder for temporary files. May reject. */
  readonly tryStaging: () => Promise<StagingSupport>;
  /** How many runs the journal in a file has. May reject. */
  readonly countRuns: (file: string) => Promise<number>;
  readonly load: typeof loadAgent;
}

/** Only a machine that hangs needs so much. */
const programMs = 20_000;
const maxOutputCharacters = 10_000;

/** The machine of this process. */
export function thisMachine(environment: CliEnvironment): Machine {
  const { signal, variables } = environment;
  return {
    nodeVersion: process.versions.node,
    platform: process.platform,
    folder: process.cwd(),
    stateFolder: userStateFolder(),
    recordsFolder: recordsFolder(variables),
    sqliteVersion,
    run: async (command, args) => {
      let stdout = '';
      const decoder = new TextDecoder();
      const env = present({
        PATH: variables['PATH'],
        HOME: variables['HOME'],
        XDG_RUNTIME_DIR: variables['XDG_RUNTIME_DIR'],
      });
      const { ended } = startProcess(
        { command, args, cwd: process.cwd() },
        {
          env,
          signal,
          timeoutMs: programMs,
          onStdout: (chunk) => {
            if (stdout.length < maxOutputCharacters) stdout += decoder.decode(chunk, { stream: true });
          },
        },
      );
      const { exitCode, startFailure } = await ended;
      return { exitCode, isFound: startFailure === undefined, stdout };
    },
    tryBubblewrap: async () => {
      const { bubblewrapSandbox } = await import('../../host/sandbox/index.ts');
      try {
        await (await bubblewrapSandbox().prepare({ signal }))[Symbol.asyncDispose]();
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        return describeError(error);
      }
    },
    tryStaging: () => stagingSupport(),
    countRuns: async (file) => {
      const names = { journal: file, blobs: undefined };
      await using journal = await journalsOf(environment).openExisting(names, { readOnly: true });
      return (await journal?.runs({}))?.length ?? 0;
    },
    load: loadAgent,
  };
}

async function sqliteVersion(): Promise<string | undefined> {
  if (!isBuiltin('node:sqlite')) return undefined;
  const versions: unknown = process.versions;
  const version = isRecord(versions) ? versions['sqlite'] : undefined;
  return typeof version === 'string' ? version : '';
}
