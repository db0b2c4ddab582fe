import { type CliEnvironment, CliInterruption, exitCodes, type OutputStream } from './environment.ts';
import type { StrayError } from './stray-error.ts';
import { type TerminalInput, terminalQuestion } from './terminal-question.ts';

/** A stream of a process. Pipes and files have no width and are not terminals. */
export interface HostStream {
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The part of a process that a command needs. */
export interface HostProcess {
  readonly stdout: HostStream;
  readonly stderr: HostStream;
  readonly stdin: TerminalInput;
  readonly env: Readonly<Record<string, string | undefined>>;
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  /** Calls back for each uncaught error. */
  onStray(listener: (stray: StrayError) => void): void;
  /** See `onOtherOutput` of the environment. */
  onOtherOutput: CliEnvironment['onOtherOutput'];
  /** See `withOutput` of the environment. */
  withOutput: NonNullable<CliEnvironment['withOutput']>;
}

/** What of the environment is known where the process begins. */
export type ProcessFacts = Pick<CliEnvironment, 'version' | 'packageFolder' | 'cacheFolder'>;

/**
 * The environment of this process. The first interrupt stops the run in order, a second one ends the process at once. A
 * closed output pipe, as with `head`, stops the run too and is not a failure. An uncaught error also stops it in order.
 */
export function nodeEnvironment(
  host: HostProcess,
  { version, packageFolder, cacheFolder }: ProcessFacts,
): CliEnvironment {
  const stop = new AbortController();
  let strays: StrayError[] = [];
  host.onStray((stray) => {
    strays.push(stray);
    stop.abort(stray);
  });
  host.once('SIGINT', () => stop.abort(new CliInterruption('interrupted', exitCodes.interrupted)));
  host.once('SIGTERM', () => stop.abort(new CliInterruption('terminated', exitCodes.terminated)));
  const onClosed = (): void => stop.abort(new CliInterruption('output-closed', exitCodes.done));
  const stderr = outputStream(host.stderr, () => undefined);
  return {
    stdout: outputStream(host.stdout, onClosed),
    stderr,
    ask: host.stdin.isTTY === true && stderr.isTerminal ? terminalQuestion(host.stdin, stderr) : undefined,
    input: host.stdin.isTTY === true ? undefined : host.stdin,
    variables: host.env,
    version,
    packageFolder,
    cacheFolder,
    signal: stop.signal,
    now: () => performance.now(),
    after: (milliseconds, callback) => {
      const timer = setTimeout(callback, milliseconds).unref();
      return () => clearTimeout(timer);
    },
    onOtherOutput: host.onOtherOutput,
    withOutput: host.withOutput,
    takeStrays: async () => {
      // Node reports a rejection once the microtasks are done.
      await new Promise((resolve) => setImmediate(resolve));
      const taken = strays;
      strays = [];
      return taken;
    },
  };
}

function outputStream(stream: HostStream, onClosed: () => void): OutputStream {
  let isOpen = true;
  stream.on('error', () => {
    isOpen = false;
    onClosed();
  });
  return {
    write: (text) => {
      if (isOpen) stream.write(text);
    },
    isTerminal: stream.isTTY ?? false,
    get columns() {
      // Some pseudo terminals report a width of 0.
      return stream.columns === 0 ? undefined : stream.columns;
    },
  };
}
