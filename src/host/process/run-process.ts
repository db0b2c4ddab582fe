import { FilesystemError } from '../../core/error/index.ts';
import { assertIntegerOption } from '../../core/filesystem/index.ts';
import { OutputWindow } from './output-window.ts';
import { pathVariable } from './path-variable.ts';
import type { StagedCommandArguments, StagedCommandOptions, StagedCommandOutcome } from './run-options.ts';
import type { StandardStreams } from './standard-streams.ts';
import { startProcess } from './start-process.ts';

/** A running command. */
export interface RunningProcess {
  /** Rejects with the reason passed to `stop`. */
  readonly ended: Promise<StagedCommandOutcome>;
  /** Kills the command and every process in its group. */
  stop(reason: unknown): void;
}

/**
 * Starts a command as the leader of a process group, and keeps the last bytes of its output.
 * @param streams its standard input and outputs, which it takes over once it is started. Default: pipes of Node with the input of the options.
 * @throws {FilesystemError} `argument-invalid`. A command that does not exist, or cannot be executed, is reported in the outcome.
 */
export function runProcess(
  line: StagedCommandArguments,
  options: StagedCommandOptions,
  streams?: StandardStreams,
): RunningProcess {
  const { env = {}, input, signal, timeoutMs, maxOutputBytes = 65_536, clock } = options;
  assertIntegerOption('maxOutputBytes', maxOutputBytes, 0);
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new FilesystemError(
      'argument-invalid',
      `The option timeoutMs is ${timeoutMs}; it must be above 0.`,
    );
  }
  const limits = { headBytes: 0, tailBytes: maxOutputBytes };
  const [stdout, stderr, output] = [
    new OutputWindow(limits),
    new OutputWindow(limits),
    new OutputWindow(limits),
  ];
  const started = startProcess(line, {
    env: { ...pathVariable(), ...env },
    input,
    signal,
    timeoutMs,
    clock,
    streams,
    onStdout: (chunk) => {
      stdout.add(chunk);
      output.add(chunk);
    },
    onStderr: (chunk) => {
      stderr.add(chunk);
      output.add(chunk);
    },
  });
  const ended = started.ended.then(({ exitCode, signal: exitSignal, timedOut, startFailure }) => {
    if (startFailure !== undefined) {
      const problem = startFailure === 'not-found' ? 'not found' : 'cannot be executed';
      const message = Buffer.from(`${line.command}: ${problem}\n`);
      stderr.add(message);
      output.add(message);
    }
    const failureCode = startFailure === undefined ? undefined : startFailure === 'not-found' ? 127 : 126;
    return {
      exitCode: exitCode ?? failureCode,
      signal: exitSignal,
      timedOut,
      stdout: stdout.text(),
      stderr: stderr.text(),
      output: output.text(),
      truncated: output.omittedBytes > 0,
    };
  });
  return { ended, stop: started.stop };
}
