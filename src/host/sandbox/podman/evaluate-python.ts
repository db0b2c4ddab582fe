/* oxlint-disable typescript/no-unnecessary-type-assertion -- The fields name their types: isolatedDeclarations wants them written down. */
import { present } from '../../../core/internal/index.ts';
import {
  described,
  type Field,
  integer,
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
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { runInCall } from '../shell/run-in-call.ts';
import type { ShellLimits } from '../shell/shell-limits.ts';

/** Linux accepts 131,072 bytes for one argument of a program; a character has at most three, or two of them four. */
const maxCodeCharacters = 32_000;

const params = {
  /** A Python program. */
  code: described(text, {
    minLength: 1,
    maxLength: maxCodeCharacters,
    description: 'A Python program. What it prints is the result: the value of its last line is not.',
  }) as Field<string>,
  /** Seconds after which it is killed. Default: that of the section. */
  timeout_seconds: optional(number, { exclusiveMinimum: 0 }) as OptionalField<number>,
};

/** Arguments of `evaluate_python`. */
export interface EvaluatePythonParams extends RecordOf<typeof params> {}

const printed = {
  /** Absent when a signal killed it. */
  exit_code: optional(integer) as OptionalField<number>,
  stdout: text as Field<string>,
  stderr: text as Field<string>,
};

/** What a Python program printed. */
export interface EvaluatePythonResult extends RecordOf<typeof printed> {}

const outputSchema: Schema<EvaluatePythonResult> = recordSchema<EvaluatePythonResult>(printed);

function inputSchema({ timeoutMs, maxTimeoutMs }: ShellLimits): Schema<EvaluatePythonParams> {
  return recordSchema<EvaluatePythonParams>(params, {
    timeout_seconds: {
      maximum: maxTimeoutMs / 1000,
      default: timeoutMs / 1000,
      description: `The program is killed after this time. At most ${maxTimeoutMs / 1000}.`,
    },
  });
}

/** What the tool is made with. */
export interface EvaluatePythonOptions {
  readonly limits: ShellLimits;
  readonly effects: ToolEffects;
}

/** The tool `evaluate_python`: one Python program on the files of the call. */
export function evaluatePythonTool(
  options: EvaluatePythonOptions,
): Tool<EvaluatePythonParams, EvaluatePythonResult> {
  return tool({
    name: 'evaluate_python',
    description:
      'Run a Python program on the files of the workspace. Returns exit code and output. What it writes outside of the workspace is gone when it ends.',
    inputSchema: inputSchema(options.limits),
    outputSchema,
    effects: options.effects,
    examples: [
      {
        description: 'Compute something exactly.',
        input: { code: 'print(sum(range(101)))' },
        output: { exit_code: 0, stdout: '5050\n', stderr: '' },
      },
    ],
    render: () => '',
    execute: (given, context) => execute(given, context, options.limits),
  });
}

function execute(
  { code, timeout_seconds: timeoutSeconds }: EvaluatePythonParams,
  context: ToolContext,
  limits: ShellLimits,
): Promise<ToolResult<EvaluatePythonResult>> {
  return runInCall(context, {
    command: {
      // An argument of its own: no shell interprets the code.
      command: ['python3', '-c', code],
      // Compiled modules would become part of the workspace.
      env: { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
    },
    noun: 'program',
    timeoutSeconds,
    limits,
    rollbackOn: 'failure',
    describeRollback: () => 'The workspace is as it was before: nothing that the program changed was kept.',
    valueOf,
  });
}

function valueOf({ exitCode, stdout, stderr }: SandboxOutcome): EvaluatePythonResult {
  return {
    ...present({ exit_code: exitCode }),
    stdout: stdout.text,
    stderr: stderr.text,
  };
}
