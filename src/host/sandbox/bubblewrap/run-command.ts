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
import type { CheckedCommand } from '../backend/command.ts';
import { failedError, missingDirectoryError, shownReason } from '../backend/errors.ts';
import { CommandOutputs } from '../backend/output.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { bubblewrapLine } from './command-line.ts';
import { type BubblewrapSettings, bubblewrapBackend } from './options.ts';

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
 * @param skills the folder that is shown at `/skills`. Default: none.
 * @throws {SandboxError} `sandbox-command-invalid` for a missing directory, `sandbox-failed` when the sandbox could not be made.
 * @throws the signal's reason.
 */
export async function runCommand(
  settings: BubblewrapSettings,
  staged: StagedFolder,
  command: CheckedCommand,
  signal: AbortSignal | undefined,
  skills?: string,
): Promise<SandboxOutcome> {
  const { command: program, args, inputs } = bubblewrapLine(settings, command, skills);
  const outputs = new CommandOutputs(command);
  let report = '';
  const folder = temporaryFolderOf(staged);
  const streams = folder === undefined ? undefined : await openStandardStreams(folder, command.stdin);
  const {
    exitCode,
    signal: killedBy,
    timedOut,
    startFailure,
  } = await start(staged, program, args, {
    env: { ...pathVariable(), LC_ALL: 'C' },
    input: command.stdin,
    inputs,
    signal,
    streams,
    timeoutMs: command.timeoutMs,
    clock: settings.clock,
    onStdout: (chunk) => outputs.add('stdout', chunk),
    onStderr: (chunk) => outputs.add('stderr', chunk),
    onReport: (chunk) => {
      report = startOf(report + Buffer.from(chunk).toString('latin1'), maxReportCharacters);
    },
  });
  const lines = report.split('\n');
  if (lines[0] === 'missing') throw missingDirectoryError(bubblewrapBackend, command.cwd);
  if (lines[0] !== 'started' && !timedOut) {
    const reason = startFailure === undefined ? firstLine(outputs.stderr.text) : `sh is ${startFailure}`;
    throw failedError(
      bubblewrapBackend,
      `The sandbox could not be made: ${shownReason(reason || `bwrap ended with ${exitCode ?? killedBy}`)}. Nothing was run.`,
    );
  }
  const killedProcesses = Number(/^killed (\d{1,9})$/m.exec(report)?.[1] ?? 0);
  return outputs.outcome({ exitCode, signal: killedBy, timedOut, killedProcesses });
}

/** The first line of what a program wrote. */
export function firstLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.find((line) => line !== '') ?? '';
}
