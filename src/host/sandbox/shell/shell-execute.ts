import { present } from '../../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../../core/schema/index.ts';
import {
  type Tool,
  type ToolContext,
  type ToolEffects,
  type ToolResult,
  tool,
} from '../../../core/tool/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { runInCall, type ShellRollback } from './run-in-call.ts';
import type { ShellLimits } from './shell-limits.ts';

/** Arguments of `shell_execute`. */
export interface ShellExecuteParams {
  /** A script for the shell of the sandbox. */
  readonly command: string;
  /** The working directory, from the workspace root. Default: the root. */
  readonly cwd?: string;
  /** Environment variables. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The standard input. Default: empty. */
  readonly stdin?: string;
  /** Seconds after which the command is killed. Default: that of the section. */
  readonly timeout_seconds?: number;
}

/** What a command printed and changed. */
export interface ShellExecuteResult {
  /** Absent when a signal killed it. */
  readonly exit_code?: number;
  readonly timed_out: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** True when the middle of an output was left out. */
  readonly truncated: boolean;
  /** Processes that outlived the command and were killed. */
  readonly killed_processes: number;
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

const strings = { type: 'array', items: { type: 'string' } } as const;

const outputSchema: Schema<ShellExecuteResult> = jsonSchema<ShellExecuteResult>({
  type: 'object',
  properties: {
    exit_code: { type: 'integer' },
    timed_out: { type: 'boolean' },
    stdout: { type: 'string' },
    stderr: { type: 'string' },
    truncated: { type: 'boolean' },
    killed_processes: { type: 'integer', minimum: 0 },
    created: strings,
    modified: strings,
    removed: strings,
  },
  required: [
    'timed_out',
    'stdout',
    'stderr',
    'truncated',
    'killed_processes',
    'created',
    'modified',
    'removed',
  ],
  additionalProperties: false,
});

function inputSchema({ timeoutMs, maxTimeoutMs }: ShellLimits): Schema<ShellExecuteParams> {
  const [usual, most] = [timeoutMs / 1000, maxTimeoutMs / 1000];
  return jsonSchema<ShellExecuteParams>({
    type: 'object',
    properties: {
      command: {
        type: 'string',
        minLength: 1,
        description: 'The script for the shell, such as "sh test.sh" or "grep -c import src/*.ts | sort".',
      },
      cwd: {
        type: 'string',
        default: '.',
        description: 'Working directory, from the workspace root. "." is the root.',
      },
      env: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Environment variables. There are no others than these and the usual ones such as PATH.',
      },
      stdin: { type: 'string', description: 'Text for the standard input. Default: none.' },
      timeout_seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: most,
        default: usual,
        description: `The command is killed after this time. At most ${most}.`,
      },
    },
    required: ['command'],
    additionalProperties: false,
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
    execute: (params, context) => execute(params, context, options),
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

function valueOf(outcome: SandboxOutcome, report: StagedFolderReport | undefined): ShellExecuteResult {
  const { exitCode, timedOut, stdout, stderr, killedProcesses } = outcome;
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
