import { FilesystemError, SandboxError } from '../../../core/error/index.ts';
import { type ToolContext, ToolResult } from '../../../core/tool/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import { SandboxBackend, type SandboxCommand, type SandboxOutcome } from '../backend/sandbox-backend.ts';
import type { ShellLimits, ShellRollback } from './shell-limits.ts';
import { describeChanges, describeEnd, describeKilled, describeOutput } from './shell-report.ts';

/** What a tool runs on the files of its call. */
export interface CallCommand<Value> {
  readonly command: Pick<SandboxCommand, 'command' | 'cwd' | 'env' | 'stdin'>;
  /** What it is called in messages. */
  readonly noun: 'command' | 'program';
  /** What the call asks for. Default: that of the limits. */
  readonly timeoutSeconds: number | undefined;
  readonly limits: ShellLimits;
  readonly rollbackOn: ShellRollback;
  /** What the model reads when nothing was kept, besides how it ended. */
  readonly describeRollback: (outcome: SandboxOutcome) => string;
  /** The value of the result. @param report what was kept, if anything. */
  readonly valueOf: (outcome: SandboxOutcome, report: StagedFolderReport | undefined) => Value;
}

/** Runs a command in a sandbox with the files of the call. What it changed becomes part of the call, unless it is rolled back. */
export async function runInCall<Value>(
  { filesystem, signal, resources, beat }: ToolContext,
  { command, noun, timeoutSeconds, limits, rollbackOn, describeRollback, valueOf }: CallCommand<Value>,
): Promise<ToolResult<Value>> {
  const timeoutMs = timeoutSeconds === undefined ? limits.timeoutMs : Math.ceil(timeoutSeconds * 1000);
  try {
    const backend = await resources.get(SandboxBackend);
    await using sandbox = await backend.start({ filesystem, signal });
    const { maxOutputBytes } = limits;
    const outcome = await sandbox.exec({ ...command, timeoutMs, maxOutputBytes, onOutput: beat });
    const end = `The ${noun} ${describeEnd(outcome, timeoutMs)}.`;
    const printed = [...describeKilled(outcome), ...describeOutput(outcome.stdout.text, outcome.stderr.text)];
    const isKept = outcome.exitCode === 0 || (rollbackOn === 'never' && outcome.exitCode !== undefined);
    if (!isKept) {
      const message = [`${end} ${describeRollback(outcome)}`, ...printed].join('\n');
      // The message has all that the value has.
      return ToolResult.error(message, valueOf(outcome, undefined), { excludeValueFromContext: true });
    }
    const report = await sandbox.collect();
    return ToolResult.ok(valueOf(outcome, report), [end, ...describeChanges(report), ...printed].join('\n'));
  } catch (error) {
    // What the command line, the sandbox or the files do not allow is for the model to read; an abort is not.
    if (SandboxError.isInstance(error) || FilesystemError.isInstance(error))
      return ToolResult.error(`${error.message} The workspace is as it was before the ${noun}.`);
    throw error;
  }
}
