import { SandboxError } from '../../error/index.ts';
import type { StagedFolder } from '../../node/index.ts';
import { pathVariable, startProcess } from '../../node/internal.ts';
import { type CheckedCommand, missingDirectoryError } from '../backend/command.ts';
import { outputWindow, sandboxOutput } from '../backend/output.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { bubblewrapLine } from './command-line.ts';
import { BUBBLEWRAP, type BubblewrapSettings } from './options.ts';
import { reasonOf } from './unavailable.ts';

/** What the inside reports, at most. The descriptor is open only to our own script, but a command could find it. */
const MAX_REPORT_CHARACTERS = 1000;

/**
 * Runs one command in a staged folder.
 * @throws {SandboxError} `sandbox-command-invalid` for a missing directory, `sandbox-failed` when the sandbox could not be made.
 * @throws the signal's reason.
 */
export async function runCommand(
  settings: BubblewrapSettings,
  staged: StagedFolder,
  command: CheckedCommand,
  signal: AbortSignal | undefined,
): Promise<SandboxOutcome> {
  const { command: program, args, inputs } = bubblewrapLine(settings, command);
  const [stdout, stderr] = [outputWindow(command.maxOutputBytes), outputWindow(command.maxOutputBytes)];
  let report = '';
  const { ended } = startProcess(staged.spawnArguments(program, args), {
    env: { ...pathVariable(), LC_ALL: 'C' },
    input: command.stdin,
    inputs,
    signal,
    timeoutMs: command.timeoutMs,
    clock: settings.clock,
    onStdout: (chunk) => {
      stdout.add(chunk);
      command.onOutput();
    },
    onStderr: (chunk) => {
      stderr.add(chunk);
      command.onOutput();
    },
    onReport: (chunk) => {
      report = (report + Buffer.from(chunk).toString('latin1')).slice(0, MAX_REPORT_CHARACTERS);
    },
  });
  const { exitCode, signal: killedBy, timedOut, startFailure } = await ended;
  const lines = report.split('\n');
  if (lines[0] === 'missing') throw missingDirectoryError(BUBBLEWRAP, command.cwd);
  if (lines[0] !== 'started' && !timedOut) {
    const reason = startFailure === undefined ? reasonOf(stderr.text()) : `sh is ${startFailure}`;
    throw new SandboxError(
      'sandbox-failed',
      `The sandbox could not be made: ${reason === '' ? `bwrap ended with ${exitCode ?? killedBy}` : reason}. Nothing was run.`,
      { details: { backend: BUBBLEWRAP } },
    );
  }
  const killed = /^killed (\d{1,9})$/m.exec(report)?.[1];
  return {
    exitCode: timedOut ? undefined : exitCode,
    signal: killedBy,
    timedOut,
    stdout: sandboxOutput(stdout),
    stderr: sandboxOutput(stderr),
    killedProcesses: killed === undefined ? 0 : Number(killed),
  };
}
