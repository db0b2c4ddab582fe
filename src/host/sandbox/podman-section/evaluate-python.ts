import { present } from '../../../core/internal/index.ts';
import { jsonSchema, type Schema } from '../../../core/schema/index.ts';
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

/** Arguments of `evaluate_python`. */
export interface EvaluatePythonParams {
  /** A Python program. */
  readonly code: string;
  /** Seconds after which it is killed. Default: that of the section. */
  readonly timeout_seconds?: number;
}

/** What a Python program printed. */
export interface EvaluatePythonResult {
  /** Absent when a signal killed it. */
  readonly exit_code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

const outputSchema: Schema<EvaluatePythonResult> = jsonSchema<EvaluatePythonResult>({
  type: 'object',
  properties: { exit_code: { type: 'integer' }, stdout: { type: 'string' }, stderr: { type: 'string' } },
  required: ['stdout', 'stderr'],
  additionalProperties: false,
});

/** Linux accepts 131,072 bytes for one argument of a program; a character has at most three, or two of them four. */
const maxCodeCharacters = 32_000;

function inputSchema({ timeoutMs, maxTimeoutMs }: ShellLimits): Schema<EvaluatePythonParams> {
  return jsonSchema<EvaluatePythonParams>({
    type: 'object',
    properties: {
      code: {
        type: 'string',
        minLength: 1,
        maxLength: maxCodeCharacters,
        description: 'A Python program. What it prints is the result: the value of its last line is not.',
      },
      timeout_seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: maxTimeoutMs / 1000,
        default: timeoutMs / 1000,
        description: `The program is killed after this time. At most ${maxTimeoutMs / 1000}.`,
      },
    },
    required: ['code'],
    additionalProperties: false,
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
    execute: (params, context) => execute(params, context, options.limits),
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
