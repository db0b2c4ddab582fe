import { parentPort, workerData } from 'node:worker_threads';
import { describeError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { RemoteCalls, RemoteTransfer } from '../../remote/index.ts';
import type { VirtualNetwork } from './options.ts';
import type {
  ServedFunctions,
  ShellFunctions,
  ShellScript,
  ShellThreadData,
  UnusableShell,
} from './protocol.ts';
import { FileRefusal, ShellFiles, type ShellMemory } from './shell-files.ts';

// The thread that interprets the scripts of one sandbox. It has no environment, no arguments and no files: those of the sandbox are served by our thread.

/** The result of a script. */
interface ShellResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** `bytes`: each character of `stdout` is a byte. */
  readonly stdoutKind?: 'text' | 'bytes';
  readonly stdoutEncoding?: 'binary';
}

/** The part of the package `just-bash` that is used. It is an optional peer, so its own declarations need not be there. */
interface JustBash {
  readonly InMemoryFs: new () => ShellMemory;
  readonly Bash: new (options: {
    readonly fs: ShellFiles | ShellMemory;
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly executionLimits?: Readonly<Record<string, number>>;
    readonly network?: VirtualNetwork;
  }) => {
    exec(
      script: string,
      options: {
        readonly stdin: string;
        readonly stdinKind: 'bytes';
        readonly rawScript: boolean;
        readonly signal: AbortSignal;
      },
    ): Promise<ShellResult>;
  };
}

/** Not a literal: the package need not be installed where this is compiled. */
const peerPackage: string = 'just-bash';
const unlimited = 1_000_000_000;
const maxOutputBytes = 67_108_864;
/** The fewest milliseconds between two signs of life. */
const aliveMs = 200;

/** Limits of the package that others of ours replace: time, memory and output. What is left out has its default. */
const executionLimits = {
  maxCommandCount: unlimited,
  maxLoopIterations: unlimited,
  maxAwkIterations: unlimited,
  maxSedIterations: unlimited,
  maxJqIterations: unlimited,
  maxWorkUnits: unlimited,
  maxTraversalWork: unlimited,
  maxGlobOperations: unlimited,
  maxExecutionTimeMs: 2_147_483_647,
  maxOutputSize: maxOutputBytes,
  maxCallDepth: 500,
} as const;

function main(): void {
  // Taken now: while a script runs, the package blocks such functions for all code of the thread.
  // oxlint-disable-next-line no-restricted-globals -- Only spaces out messages.
  const now = performance.now.bind(performance);
  const port = parentPort;
  if (port === null) return;
  // As our thread made it: see `ShellThread`.
  const { maxStringBytes, network } = workerData as ShellThreadData;
  let shell: JustBash | undefined;
  let base: ShellMemory | undefined;
  // Begins at once, for a sandbox that starts it ahead.
  const loaded = load();
  const functions = { start: () => loaded, run: (script: ShellScript) => run(script) } satisfies {
    [Name in keyof ShellFunctions]: unknown;
  };
  const calls = new RemoteCalls<ServedFunctions>({
    send: (message, buffers = []) => port.postMessage(message, buffers),
    serve: () => functions,
    unpack: ({ message }) => new FileRefusal(message),
  });
  port.on('message', (message) => calls.receive(message));

  async function load(): Promise<UnusableShell | undefined> {
    let isMissing = true;
    try {
      // Its shape is that of the supported versions; the self-test below would find another.
      shell = (await import(peerPackage)) as JustBash;
      isMissing = false;
      base = new shell.InMemoryFs();
      // It writes the files that the shell has for itself, such as /bin/ls.
      const maker = new shell.Bash({ fs: base, cwd: '/', ...present({ network }) });
      for (const directory of ['/workspace', '/tmp', '/etc']) base.mkdirSync(directory, { recursive: true });
      const { stdout } = await maker.exec('echo works | cat', {
        stdin: '',
        stdinKind: 'bytes',
        rawScript: true,
        signal: new AbortController().signal,
      });
      if (stdout !== 'works\n') throw new Error('its self-test printed something else');
      return undefined;
    } catch (error) {
      return { isMissing, reason: describeError(error) };
    }
  }

  async function run(script: ShellScript): Promise<RemoteTransfer> {
    let result: ShellResult;
    try {
      result = await interpret(script);
    } catch (error) {
      throw new Error(describeError(error), { cause: error });
    }
    const stdout = bytesOf(result.stdout, isBytes(result));
    const stderr = bytesOf(result.stderr, false);
    return new RemoteTransfer({ exitCode: result.exitCode, stdout, stderr }, [stdout.buffer, stderr.buffer]);
  }

  async function interpret({ script, cwd, env, stdin }: ShellScript): Promise<ShellResult> {
    if (shell === undefined || base === undefined) throw new Error('The package was not loaded.');
    let aliveAtMs = Number.NEGATIVE_INFINITY;
    const interpreter = new shell.Bash({
      fs: new ShellFiles(base, calls, stdin),
      cwd,
      env,
      executionLimits: { ...executionLimits, maxStringLength: maxStringBytes },
      ...present({ network }),
    });
    const { signal } = new AbortController();
    // The interpreter asks before every statement, also in a loop that keeps the thread to itself.
    Object.defineProperty(signal, 'aborted', {
      get: () => {
        const nowMs = now();
        if (nowMs - aliveAtMs >= aliveMs) {
          aliveAtMs = nowMs;
          calls.tell('alive');
        }
        return false;
      },
    });
    try {
      return await interpreter.exec(script, {
        stdin: Buffer.from(stdin).toString('latin1'),
        stdinKind: 'bytes',
        rawScript: true,
        signal,
      });
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error;
      // Programs handle such errors; the interpreter does not when it opens a file for a redirection.
      const stderr = `bash: redirection failed, and the script ended there: ${error.message}\n`;
      return { stdout: '', stderr, exitCode: 1 };
    }
  }
}

const isBytes = ({ stdoutKind, stdoutEncoding }: ShellResult): boolean =>
  stdoutKind === undefined ? stdoutEncoding === 'binary' : stdoutKind === 'bytes';

/** A copy with a buffer of its own, which can be handed over. */
function bytesOf(text: string, isLatin1: boolean): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, isLatin1 ? 'latin1' : 'utf8'));
}

main();
