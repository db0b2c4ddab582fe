import { present } from '../../../core/internal/index.ts';
import { described, integer, optional, recordSchema, text } from '../../../core/schema/index.ts';
import type { AnyTool, ToolEffects } from '../../../core/tool/index.ts';
import { commandTool, timeoutField } from '../shell/command-tool.ts';
import type { ShellLimits } from '../shell/shell-limits.ts';

/** Linux accepts 131,072 bytes for one argument of a program; a character has at most three, or two of them four. */
const maxCodeCharacters = 32_000;

/** The tool `evaluate_python`: one Python program on the files of the call. */
export function evaluatePythonTool(options: {
  readonly limits: ShellLimits;
  readonly effects: ToolEffects;
}): AnyTool {
  return commandTool({
    ...options,
    name: 'evaluate_python',
    description:
      'Run a Python program on the files of the workspace. Returns exit code and output. What it writes outside of the workspace is gone when it ends.',
    inputSchema: recordSchema({
      code: described(text, {
        minLength: 1,
        maxLength: maxCodeCharacters,
        description: 'A Python program. What it prints is the result: the value of its last line is not.',
      }),
      timeout_seconds: timeoutField('program', options.limits),
    }),
    // Without an exit code when a signal killed it.
    outputSchema: recordSchema({ exit_code: optional(integer), stdout: text, stderr: text }),
    examples: [
      {
        description: 'Compute something exactly.',
        input: { code: 'print(sum(range(101)))' },
        output: { exit_code: 0, stdout: '5050\n', stderr: '' },
      },
    ],
    noun: 'program',
    rollbackOn: 'failure',
    commandOf: ({ code, timeout_seconds: timeoutSeconds }) => ({
      // An argument of its own: no shell interprets the code.
      command: ['python3', '-c', code],
      // Compiled modules would become part of the workspace.
      env: { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
      timeoutSeconds,
    }),
    describeRollback: () => 'The workspace is as it was before: nothing that the program changed was kept.',
    valueOf: ({ exitCode, stdout, stderr }) => ({
      ...present({ exit_code: exitCode }),
      stdout: stdout.text,
      stderr: stderr.text,
    }),
  });
}
