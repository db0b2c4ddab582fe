import { present } from '../../../core/internal/index.ts';
import {
  count,
  described,
  dictionary,
  flag,
  integer,
  list,
  optional,
  recordSchema,
  text,
} from '../../../core/schema/index.ts';
import type { AnyTool, ToolEffects } from '../../../core/tool/index.ts';
import { commandTool, timeoutField } from './command-tool.ts';
import type { ShellLimits, ShellRollback } from './shell-limits.ts';
import { describeKilled, describeSkipped } from './shell-report.ts';

/** What the tool is made with. */
interface ShellExecuteOptions {
  readonly limits: ShellLimits;
  readonly effects: ToolEffects;
  readonly rollbackOn: ShellRollback;
}

/** The tool `shell_execute`: one command on the files of the call. */
export function shellExecuteTool(options: ShellExecuteOptions): AnyTool {
  return commandTool({
    ...options,
    name: 'shell_execute',
    description:
      'Run a shell command on the files of the workspace and wait until it ends. Returns exit code, output and changed files.',
    inputSchema: recordSchema({
      command: described(text, {
        minLength: 1,
        description: 'The script for the shell, such as "sh test.sh" or "grep -c import src/*.ts | sort".',
      }),
      cwd: optional(text, {
        default: '.',
        description: 'Working directory, from the workspace root. "." is the root.',
      }),
      env: optional(dictionary(text), {
        description: 'Environment variables. There are no others than these and the usual ones such as PATH.',
      }),
      stdin: optional(text, { description: 'Text for the standard input. Default: none.' }),
      timeout_seconds: timeoutField('command', options.limits),
    }),
    outputSchema: recordSchema({
      /** Absent when a signal killed it. */
      exit_code: optional(integer),
      timed_out: flag,
      stdout: text,
      stderr: text,
      /** True when the middle of an output was left out. */
      truncated: flag,
      /** Processes that outlived the command and were killed. */
      killed_processes: count,
      /** What the outputs do not say: processes that were killed, and what could not be kept. Absent: nothing. */
      notes: optional(list(text)),
      created: list(text),
      modified: list(text),
      removed: list(text),
    }),
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
    noun: 'command',
    commandOf: ({ command, cwd, env, stdin, timeout_seconds: timeoutSeconds }) => ({
      command,
      ...present({ cwd, env, stdin }),
      timeoutSeconds,
    }),
    describeRollback: ({ timedOut }) => {
      const advice = timedOut
        ? 'Run less at once, or raise timeout_seconds.'
        : 'Read the output, and change the command or the files.';
      return `The workspace is as it was before the command: nothing that it changed was kept. ${advice}`;
    },
    valueOf: (outcome, report) => {
      const { exitCode, timedOut, stdout, stderr, killedProcesses } = outcome;
      const notes = [...describeKilled(outcome), ...(report === undefined ? [] : describeSkipped(report))];
      return {
        ...present({ exit_code: exitCode, notes: notes.length === 0 ? undefined : notes }),
        timed_out: timedOut,
        stdout: stdout.text,
        stderr: stderr.text,
        truncated: stdout.omittedBytes + stderr.omittedBytes > 0,
        killed_processes: killedProcesses,
        created: report?.created ?? [],
        modified: report?.modified ?? [],
        removed: report?.removed ?? [],
      };
    },
  });
}
