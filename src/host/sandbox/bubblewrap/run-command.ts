import { SandboxError } from '../../../core/error/index.ts';
import { startOf } from '../../../core/internal/index.ts';
import { pathVariable } from '../../process/path-variable.ts';
import { closeStandardStreams, openStandardStreams } from '../../process/standard-streams.ts';
import {
  type ProcessEnd,
  type ProcessOptions,
  type StartedProcess,
  startProcess,
} from '../../process/start-process.ts';
import type { StagedFolder } from '../../staged-folder/staged-folder.ts';
import { temporaryFolderOf } from '../../staged-folder/staged-folder.ts';
import { type CheckedCommand, missingDirectoryError } from '../backend/command.ts';
import { outputWindow, sandboxOutput } from '../backend/output.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { bubblewrapLine } from './command-line.ts';
import { type BubblewrapSettings, bubblewrapBackend } from './options.ts';
import { reasonOf } from './unavailable.ts';

/** What the inside reports, at most. The descriptor is open only to our own script, but a command could find it. */
const maxReportCharacters = 1000;

/** @throws what `startProcess` throws. */
async function start(
  staged: StagedFolder,
  program: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessEnd> {
  let started: StartedProcess;
  try {
    started = startProcess(staged.spawnArguments(program, args), options);
  } catch (error) {
    if (options.streams !== undefined) closeStandardStreams(options.streams);
    throw error;
  }
  return started.ended;
}

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
  const folder = temporaryFolderOf(staged);
  const streams = folder === undefined ? undefined : await openStandardStreams(folder, command.stdin);
  const options = {
    env: { ...pathVariable(), LC_ALL: 'C' },
    input: command.stdin,
    inputs,
    signal,
    streams,
    timeoutMs: command.timeoutMs,
    clock: settings.clock,
    onStdout: (chunk: Uint8Array) => {
      stdout.add(chunk);
      command.onOutput();
    },
    onStderr: (chunk: Uint8Array) => {
      stderr.add(chunk);
      command.onOutput();
    },
    onReport: (chunk: Uint8Array) => {
      report = startOf(report + Buffer.from(chunk).toString('latin1'), maxReportCharacters);
    },
  };
  const { exitCode, signal: killedBy, timedOut, startFailure } = await start(staged, program, args, options);
  const lines = report.split('\n');
  if (lines[0] === 'missing') throw missingDirectoryError(bubblewrapBackend, command.cwd);
  if (lines[0] !== 'started' && !timedOut) {
    const reason = startFailure === undefined ? reasonOf(stderr.text()) : `sh is ${startFailure}`;
    throw new SandboxError(
      'sandbox-failed',
      `The sandbox could not be made: ${reason === '' ? `bwrap ended with ${exitCode ?? killedBy}` : reason}. Nothing was run.`,
      { details: { backend: bubblewrapBackend } },
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
