import { FilesystemError, SandboxError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import {
  type InferOutput,
  number,
  type OptionalField,
  optional,
  type Schema,
} from '../../../core/schema/index.ts';
import {
  type AnyTool,
  type ReturnedValue,
  type ToolContext,
  type ToolOptions,
  ToolResult,
  tool,
} from '../../../core/tool/index.ts';
import { SkillFiles } from '../../../suite/skills/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import { SandboxBackend, type SandboxCommand, type SandboxOutcome } from '../backend/sandbox-backend.ts';
import type { ShellLimits, ShellRollback } from './shell-limits.ts';
import { describeChanges, describeEnd, describeKilled, describeOutput } from './shell-report.ts';

/** What a call runs, and the time that it asks for; the default is that of the limits. */
interface CallCommand extends Pick<SandboxCommand, 'command' | 'cwd' | 'env' | 'stdin'> {
  readonly timeoutSeconds: number | undefined;
}

/** A tool that runs a command: as any tool, with the command in place of the handler. */
interface CommandToolOptions<PS extends Schema, RS extends Schema>
  extends Omit<ToolOptions<PS, RS>, 'execute' | 'render'> {
  readonly inputSchema: PS;
  /** What it is called in messages. */
  readonly noun: 'command' | 'program';
  readonly limits: ShellLimits;
  readonly rollbackOn: ShellRollback;
  readonly commandOf: (params: InferOutput<PS>) => CallCommand;
  /** What the model reads when nothing was kept, besides how it ended. */
  readonly describeRollback: (outcome: SandboxOutcome) => string;
  /** The value of the result. @param report what was kept, if anything. */
  readonly valueOf: (outcome: SandboxOutcome, report: StagedFolderReport | undefined) => ReturnedValue<RS>;
}

/** The argument that limits the time of a call. */
export function timeoutField(
  noun: 'command' | 'program',
  { timeoutMs, maxTimeoutMs }: ShellLimits,
): OptionalField<number> {
  return optional(number, {
    exclusiveMinimum: 0,
    maximum: maxTimeoutMs / 1000,
    default: timeoutMs / 1000,
    description: `The ${noun} is killed after this time. At most ${maxTimeoutMs / 1000}.`,
  });
}

/**
 * Makes a tool that runs a command in a sandbox with the files of the call. What it changed becomes part of the call, unless it is rolled
 * back. The messages hold all that the values have.
 */
export function commandTool<PS extends Schema, RS extends Schema>({
  noun,
  limits,
  rollbackOn,
  commandOf,
  describeRollback,
  valueOf,
  ...rest
}: CommandToolOptions<PS, RS>): AnyTool {
  const execute = async (
    params: InferOutput<PS>,
    { filesystem, signal, resources, beat }: ToolContext,
  ): Promise<ToolResult<ReturnedValue<RS>>> => {
    const { timeoutSeconds, ...command } = commandOf(params);
    const timeoutMs = timeoutSeconds === undefined ? limits.timeoutMs : Math.ceil(timeoutSeconds * 1000);
    try {
      const backend = await resources.get(SandboxBackend);
      const skills = resources.has(SkillFiles) ? (await resources.get(SkillFiles)).filesystem : undefined;
      await using sandbox = await backend.start({ filesystem, signal, ...present({ skills }) });
      const { maxOutputBytes } = limits;
      const outcome = await sandbox.exec({ ...command, timeoutMs, maxOutputBytes, onOutput: beat });
      const end = `The ${noun} ${describeEnd(outcome, timeoutMs)}.`;
      const printed = [
        ...describeKilled(outcome),
        ...describeOutput(outcome.stdout.text, outcome.stderr.text),
      ];
      const isKept = outcome.exitCode === 0 || (rollbackOn === 'never' && outcome.exitCode !== undefined);
      if (!isKept) {
        const message = [`${end} ${describeRollback(outcome)}`, ...printed].join('\n');
        return ToolResult.error(message, valueOf(outcome, undefined), { excludeValueFromContext: true });
      }
      const report = await sandbox.collect();
      return ToolResult.ok(
        valueOf(outcome, report),
        [end, ...describeChanges(report), ...printed].join('\n'),
      );
    } catch (error) {
      // What the command line, the sandbox or the files do not allow is for the model to read; an abort is not.
      if (SandboxError.isInstance(error) || FilesystemError.isInstance(error))
        return ToolResult.error(`${error.message} The workspace is as it was before the ${noun}.`);
      throw error;
    }
  };
  // Commands have the files there, whichever sandbox runs them; only the shell takes a directory.
  const files = { root: '/workspace', arguments: { cwd: 'path' } } as const;
  return tool<PS, RS>({ ...rest, render: () => '', execute, '~files': files });
}
