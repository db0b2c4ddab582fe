/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import { present } from '../../../core/internal/index.ts';
import {
  count,
  described,
  dictionary,
  type Field,
  flag,
  integer,
  list,
  number,
  type OptionalField,
  optional,
  type RecordOf,
  recordSchema,
  type Schema,
  text,
} from '../../../core/schema/index.ts';
import {
  type Tool,
  type ToolContext,
  type ToolEffects,
  type ToolResult,
  tool,
} from '../../../core/tool/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { runInCall } from './run-in-call.ts';
import type { ShellLimits, ShellRollback } from './shell-limits.ts';

const params = {
  /** A script for the shell of the sandbox. */
  command: described(text, {
    minLength: 1,
    description: 'The script for the shell, such as "sh test.sh" or "grep -c import src/*.ts | sort".',
  }) as Field<string>,
  /** The working directory, from the workspace root. Default: the root. */
  cwd: optional(text, {
    default: '.',
    description: 'Working directory, from the workspace root. "." is the root.',
  }) as OptionalField<string>,
  /** Environment variables. Default: none. */
  env: optional(dictionary(text), {
    description: 'Environment variables. There are no others than these and the usual ones such as PATH.',
  }) as OptionalField<Readonly<Record<string, string>>>,
  /** The standard input. Default: empty. */
  stdin: optional(text, {
    description: 'Text for the standard input. Default: none.',
  }) as OptionalField<string>,
  /** Seconds after which the command is killed. Default: that of the section. */
  timeout_seconds: optional(number, { exclusiveMinimum: 0 }) as OptionalField<number>,
};

/** Arguments of `shell_execute`. */
export interface ShellExecuteParams extends RecordOf<typeof params> {}

const outcome = {
  /** Absent when a signal killed it. */
  exit_code: optional(integer) as OptionalField<number>,
  timed_out: flag as Field<boolean>,
  stdout: text as Field<string>,
  stderr: text as Field<string>,
  /** True when the middle of an output was left out. */
  truncated: flag as Field<boolean>,
  /** Processes that outlived the command and were killed. */
  killed_processes: count as Field<number>,
  created: list(text) as Field<readonly string[]>,
  modified: list(text) as Field<readonly string[]>,
  removed: list(text) as Field<readonly string[]>,
};

/** What a command printed and changed. */
export interface ShellExecuteResult extends RecordOf<typeof outcome> {}

const outputSchema: Schema<ShellExecuteResult> = recordSchema<ShellExecuteResult>(outcome);

function inputSchema({ timeoutMs, maxTimeoutMs }: ShellLimits): Schema<ShellExecuteParams> {
  const [usual, most] = [timeoutMs / 1000, maxTimeoutMs / 1000];
  return recordSchema<ShellExecuteParams>(params, {
    timeout_seconds: {
      maximum: most,
      default: usual,
      description: `The command is killed after this time. At most ${most}.`,
    },
  });
}

/** What the tool is made with. */
export interface ShellExecuteOptions {
  readonly limits: ShellLimits;
  readonly effects: ToolEffects;
  readonly rollbackOn: ShellRollback;
}

/** The tool `shell_execute`: one command on the files of the call. */
export function shellExecuteTool(options: ShellExecuteOptions): Tool<ShellExecuteParams, ShellExecuteResult> {
  return tool({
    name: 'shell_execute',
    description:
      'Run a shell command on the files of the workspace and wait until it ends. Returns exit code, output and changed files.',
    inputSchema: inputSchema(options.limits),
    outputSchema,
    effects: options.effects,
    examples: [
      {
        description: 'Run the tests.',
        input: { command: 'sh test.sh' },
        output: {
          exit_code: 0,
          timed_out: false,
          stdout: '4 tests passed\n',
          stderr: '',
          truncated: false,
          killed_processes: 0,
          created: [],
          modified: [],
          removed: [],
        },
      },
    ],
    render: () => '',
    execute: (given, context) => execute(given, context, options),
  });
}

function execute(
  { command, cwd, env, stdin, timeout_seconds: timeoutSeconds }: ShellExecuteParams,
  context: ToolContext,
  { limits, rollbackOn }: ShellExecuteOptions,
): Promise<ToolResult<ShellExecuteResult>> {
  return runInCall(context, {
    command: {
      command,
      ...present({ cwd, env, stdin }),
    },
    noun: 'command',
    timeoutSeconds,
    limits,
    rollbackOn,
    describeRollback,
    valueOf,
  });
}

function describeRollback({ timedOut }: SandboxOutcome): string {
  const advice = timedOut
    ? 'Run less at once, or raise timeout_seconds.'
    : 'Read the output, and change the command or the files.';
  return `The workspace is as it was before the command: nothing that it changed was kept. ${advice}`;
}

function valueOf(ended: SandboxOutcome, report: StagedFolderReport | undefined): ShellExecuteResult {
  const { exitCode, timedOut, stdout, stderr, killedProcesses } = ended;
  return {
    ...present({ exit_code: exitCode }),
    timed_out: timedOut,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: stdout.omittedBytes + stderr.omittedBytes > 0,
    killed_processes: killedProcesses,
    created: report?.created ?? [],
    modified: report?.modified ?? [],
    removed: report?.removed ?? [],
  };
}
