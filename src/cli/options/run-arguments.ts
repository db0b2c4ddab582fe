import { parseArgs } from 'node:util';
import type { JsonObject } from '../../core/schema/index.ts';
import type { Budget, ModelSettings } from '../../core/tool/index.ts';
import { type ModelChoice, readModelChoice } from '../model/model-choice.ts';
import { UsageError } from '../process/errors.ts';
import { type DurableChoice, readDurable } from './durable-choice.ts';
import {
  type ApplyMode,
  type ContextOverflow,
  readAmount,
  readApply,
  readBaseUrl,
  readBudget,
  readContextOverflow,
  readDeadline,
  readMcpFileName,
  readParams,
  readSettings,
} from './option-values.ts';
import { type OverridesChoice, readOverrides } from './overrides-choice.ts';
import { runOptions } from './run-options.ts';
import { readSandbox, type SandboxChoice } from './sandbox-choice.ts';
import { readSuspension, type SuspensionChoice } from './suspension-choice.ts';

/** A request of `wink run`. Undefined: not specified. */
export interface RunRequest {
  readonly kind: 'run';
  /** Path of a module. */
  readonly agent: string;
  readonly workspace: string | undefined;
  readonly params: JsonObject;
  readonly input: string | undefined;
  readonly model: ModelChoice | undefined;
  readonly baseUrl: string | undefined;
  /** Settings of the model; they take precedence over those of its adapter. */
  readonly settings: ModelSettings;
  readonly contextOverflow: ContextOverflow | undefined;
  readonly maxConversationTurns: number | undefined;
  readonly maxTurns: number | undefined;
  readonly maxRepeatedFailures: number | undefined;
  /** The budget of the run; takes precedence over the agent's. */
  readonly budget: Budget;
  readonly deadlineMs: number | undefined;
  readonly logFile: string | undefined;
  /** File of the record; empty: a new one in the folder of records. Undefined: the run is not recorded. */
  readonly recordFile: string | undefined;
  /** Undefined: the run is not kept in a journal. */
  readonly durable: DurableChoice | undefined;
  readonly suspension: SuspensionChoice;
  /** Undefined: the texts of the code. */
  readonly overrides: OverridesChoice | undefined;
  /** When changes are written to the folder; undefined: never. */
  readonly apply: ApplyMode | undefined;
  /** Undefined: the agent's own. */
  readonly sandbox: SandboxChoice | undefined;
  /** File of servers whose tools the agent gets as well; undefined: none. */
  readonly mcpFile: string | undefined;
  /** False: policies are evaluated, but nothing is denied and no approval is requested. */
  readonly isEnforced: boolean;
  readonly isJson: boolean;
  /** Whether events include the deltas of the model's answers. */
  readonly hasDeltas: boolean;
  readonly isVerbose: boolean;
  /** Whether the run is reported to OpenTelemetry. */
  readonly hasTelemetry: boolean;
  /** Whether the table of calls and the diff are printed without limits. */
  readonly isFull: boolean;
}

const commands = [
  ...['run', 'resume', 'fork', 'rewind', 'runs', 'approvals', 'serve'],
  ...['prompt', 'view', 'replay', 'query'],
];

/** The value of a bare `--apply`. */
const defaultApply: ApplyMode = 'end';

/** The values of {@link runOptions} as `parseArgs` returns them. */
type Values = {
  readonly [Name in keyof typeof runOptions]?: (typeof runOptions)[Name]['type'] extends 'string'
    ? string | undefined
    : boolean | undefined;
};

/**
 * Parses the arguments of the command, including its name.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readRunArguments(
  argv: readonly string[],
): RunRequest | { readonly kind: 'help' | 'version' } {
  const { values, positionals } = parseArgs({
    args: spelledOut(argv),
    allowPositionals: true,
    options: runOptions,
  });
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const [command, ...targets] = positionals;
  if (command === 'run') return runRequest(targets, values);
  throw new UsageError(
    `${command === undefined ? 'no command given' : `unknown command "${command}"`}; the commands are: ${commands.join(', ')}.`,
  );
}

/** A bare `--apply` gets its default value; the next argument is not its value. So does a `--record` that no value follows. */
function spelledOut(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    if (end >= 0 && index >= end) return word;
    if (word === '--apply') return `--apply=${defaultApply}`;
    const next = argv[index + 1];
    return word === '--record' && (next === undefined || next.startsWith('-')) ? '--record=' : word;
  });
}

/** The agent, and an optional folder. */
function readTargets(
  [agent, folder, ...others]: readonly string[],
  { workspace }: Values,
): Pick<RunRequest, 'agent' | 'workspace'> {
  if (agent === undefined || agent === '') {
    throw new UsageError('no agent given: name a file (.ts, .mts, .js, .mjs) that exports one.');
  }
  if (folder === 'each' || folder === 'end') {
    throw new UsageError(`"${folder}" is read as a folder. To write to the folder use --apply=${folder}.`);
  }
  if (others.length > 0) throw new UsageError(`one folder at a time, not ${1 + others.length}.`);
  if (folder !== undefined && workspace !== undefined) {
    throw new UsageError('the folder is named twice: as DIR and with --workspace.');
  }
  if ((folder ?? workspace) === '') throw new UsageError('the name of the folder is empty.');
  return { agent, workspace: folder ?? workspace };
}

function runRequest(targets: readonly string[], values: Values): RunRequest {
  const { agent, workspace } = readTargets(targets, values);
  if (values.log === '') throw new UsageError('the name of the log is empty.');
  if (values.deltas === true && values.json !== true && values.log === undefined) {
    throw new UsageError('--deltas requires --json or --log.');
  }
  return {
    kind: 'run',
    agent,
    workspace,
    params: readParams(values.params),
    input: values.input,
    model: readModelChoice(values.model),
    baseUrl: readBaseUrl(values['base-url']),
    settings: readSettings({
      maxOutputTokens: readAmount('--max-output-tokens', values['max-output-tokens']),
      effort: values.effort,
    }),
    contextOverflow: readContextOverflow(values['context-overflow']),
    maxConversationTurns: readAmount('--max-conversation-turns', values['max-conversation-turns'], 2),
    maxTurns: readAmount('--max-turns', values['max-turns']),
    maxRepeatedFailures: readAmount('--max-repeated-failures', values['max-repeated-failures']),
    budget: readBudget({
      maxTokens: readAmount('--max-tokens', values['max-tokens']),
      maxCost: values['max-cost'],
      prices: values.prices,
    }),
    deadlineMs: readDeadline(values.deadline),
    logFile: values.log,
    recordFile: values.record,
    durable: readDurable(agent, values),
    suspension: readSuspension(values),
    overrides: readOverrides(values),
    apply: readApply(values.apply),
    sandbox: readSandbox(values.sandbox),
    mcpFile: readMcpFileName(values.mcp),
    isEnforced: values['no-enforce'] !== true,
    isJson: values.json === true,
    hasDeltas: values.deltas === true,
    isVerbose: values.verbose === true,
    hasTelemetry: values.otel === true,
    isFull: values.full === true,
  };
}
