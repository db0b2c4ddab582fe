import { join } from 'node:path';
import type { Clock } from '../../core/session/index.ts';
import { pathVariable } from '../process/path-variable.ts';
import { startProcess } from '../process/start-process.ts';
import { GitRefusal } from './git-error.ts';

/** How one command of git runs. */
export interface GitRun {
  /** The standard input. Default: empty. */
  readonly input?: string;
  /** Bytes of output after which git is stopped. Default: 16,777,216 (16 MiB). */
  readonly maxBytes?: number;
  /** Exit codes besides 0 that are not failures. */
  readonly accepts?: readonly number[];
}

/** What git printed. */
export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** True when there was more than `maxBytes`. */
  readonly isCut: boolean;
}

interface GitCommand {
  readonly git: string;
  /** The private folder. */
  readonly folder: string;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly maxMemoryBytes: number;
  readonly clock: Clock;
}

const maxErrorBytes = 4096;
const defaultBytes = 16_777_216;

/** Limits the address space where the system supports it, and becomes git. */
const limitedScript = 'ulimit -v "$1" 2>/dev/null; shift; exec "$@"';

/** The whole environment of git. */
function environment(folder: string): Readonly<Record<string, string>> {
  return {
    ...pathVariable(),
    HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'home'),
    GIT_DIR: join(folder, 'git'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    GIT_ADVICE: '0',
    LC_ALL: 'C',
    TZ: 'UTC',
  };
}

/** @throws {GitRefusal} when git fails; the reason of the signal. */
export async function runGit(
  { git, folder, args, signal, maxMemoryBytes, clock }: GitCommand,
  { input, maxBytes = defaultBytes, accepts = [] }: GitRun,
): Promise<GitOutput> {
  const line =
    process.platform === 'win32'
      ? { command: git, args }
      : {
          command: '/bin/sh',
          args: ['-c', limitedScript, 'sh', String(Math.ceil(maxMemoryBytes / 1024)), git, ...args],
        };
  const [stdout, stderr] = [new Collector(maxBytes), new Collector(maxErrorBytes)];
  const enough = new GitRefusal('enough output');
  const started = startProcess(
    { ...line, cwd: folder },
    {
      env: environment(folder),
      input,
      signal,
      clock,
      onStdout: (chunk) => {
        stdout.add(chunk);
        if (stdout.isCut) started.stop(enough);
      },
      onStderr: (chunk) => stderr.add(chunk),
    },
  );
  try {
    const { exitCode, startFailure } = await started.ended;
    // A shell that finds no program exits with 127, and with 126 when it cannot be executed.
    if (startFailure !== undefined || exitCode === 127 || exitCode === 126)
      throw new GitRefusal(
        'The program git was not found or cannot be executed. Install git, or set the option git to its path.',
      );
    if (exitCode !== undefined && (exitCode === 0 || accepts.includes(exitCode)))
      return { exitCode, stdout: stdout.bytes(), isCut: stdout.isCut };
    throw new GitRefusal(explain(stderr.bytes().toString('utf8')));
  } catch (error) {
    if (error === enough) return { exitCode: 0, stdout: stdout.bytes(), isCut: true };
    throw error;
  }
}

/** The messages of git contain paths of the host and text of the repository, so none is passed on. */
function explain(message: string): string {
  if (/out of memory|mmap failed|malloc|realloc/i.test(message))
    return 'git needs more memory than the limit maxMemoryBytes allows. Ask for less.';
  if (
    /missing|bad object|unable to (?:read|find)|could not (?:read|get object)|promisor|not a valid object|Not a valid object/.test(
      message,
    )
  )
    return 'An object of the history is missing or damaged. The repository may be a shallow or partial clone; missing objects are never fetched.';
  return 'git could not read the history: the repository may be damaged.';
}

/** The first bytes of an output. */
class Collector {
  readonly #chunks: Uint8Array[] = [];
  #left: number;
  isCut = false;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  add(chunk: Uint8Array): void {
    if (chunk.length > this.#left) this.isCut = true;
    const kept = chunk.subarray(0, this.#left);
    this.#left -= kept.length;
    if (kept.length > 0) this.#chunks.push(kept);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
