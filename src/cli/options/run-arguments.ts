import { resolve } from 'node:path';
import type { JsonObject } from '../../core/schema/index.ts';
import type { Budget, ModelSettings } from '../../core/tool/index.ts';
import type { ResumedFiles } from '../../durable/index.ts';
import { type ModelChoice, readModelChoice } from '../model/model-choice.ts';
import { UsageError } from '../process/errors.ts';
import { type ListValues, type OptionValues, readCommandLine } from './command-line.ts';
import { type JournalNames, readJournalNames } from './journal-names.ts';
import {
  type ApplyMode,
  type ContextOverflow,
  type OverridesChoice,
  readAmount,
  readApply,
  readBaseUrl,
  readBudget,
  readContextOverflow,
  readDuration,
  readExpiry,
  readOverrides,
  readParams,
  readRunName,
  readSandbox,
  readSettings,
  type SandboxChoice,
} from './option-values.ts';

/** What happens to questions without an answer during a run that is kept in a journal. */
export interface SuspensionChoice {
  /** Whether the run is suspended also where someone could answer: at a terminal, or a function of the agent. */
  readonly isForced: boolean;
  /** How long a question can be answered; undefined: at any time. */
  readonly expiresMs: number | undefined;
  /** A command line for the shell, which is run when the run is suspended; undefined: none. */
  readonly command: string | undefined;
}

/** What a run is to do, and within which limits: its journal keeps it, so that it can go on. Undefined: not specified. */
export interface RunTask {
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
  /** How long the provider of a model of `--model` may give no sign of an answer. */
  readonly timeoutMs: number | undefined;
  /** How long the run may be without activity. */
  readonly idleTimeoutMs: number | undefined;
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
  /** Names of environment variables whose values are not shown, besides those that are named like secrets. */
  readonly redact?: readonly string[] | undefined;
}

/** A request of `wink run`. */
export interface RunRequest extends RunTask {
  readonly kind: 'run';
  readonly logFile: string | undefined;
  /** File of the record; empty: a new one in the folder of records. Undefined: the run is not recorded. */
  readonly recordFile: string | undefined;
  /** Undefined: the run is not kept in a journal. */
  readonly durable: DurableChoice | undefined;
  readonly isJson: boolean;
  /** Whether events include the deltas of the model's answers. */
  readonly hasDeltas: boolean;
  readonly isVerbose: boolean;
  /** Whether the run is reported to OpenTelemetry. */
  readonly hasTelemetry: boolean;
  /** Whether the table of calls and the diff are printed without limits. */
  readonly isFull: boolean;
}

/** A run that is kept in a journal, as the command line asks for it. */
export interface DurableChoice {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Name of the run; undefined: a new one. */
  readonly runId: string | undefined;
  /** With absolute paths; without the folder that is worked on when none is named. */
  readonly task: RunTask;
  /** The run that is resumed under this name; undefined: it begins. */
  readonly resumed: RunToResume | undefined;
}

/** What is known of a run that is resumed. */
export interface RunToResume {
  readonly sessionId: string;
  /** Whether a changed prompt, tools, policies or model are refused. */
  readonly isStrict: boolean;
  /** What to do about a folder that is not as the run left it; undefined: as `resumeRun` does. */
  readonly files: ResumedFiles | undefined;
  /** What is said to the model before it goes on; undefined: nothing. */
  readonly input: string | undefined;
  /** Whether it has its answer. */
  readonly isFinished: boolean;
  /** Whether its changes are in the folder already, where they are written at the end. */
  readonly isApplied: boolean;
}

/** The task with absolute paths, so that it can be taken up in another folder. */
export function absoluteTask<
  Task extends Pick<RunTask, 'overrides' | 'mcpFile'> & { readonly agent?: string | undefined },
>(task: Task): Task {
  const { agent, mcpFile, overrides } = task;
  return {
    ...task,
    agent: absolutePath(agent),
    mcpFile: absolutePath(mcpFile),
    overrides: overrides === undefined ? undefined : { ...overrides, root: absolutePath(overrides.root) },
  };
}

/** The absolute path; undefined for none. */
export function absolutePath(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

const commands = [
  ...['run', 'resume', 'fork', 'rewind', 'runs', 'once', 'budgets', 'approvals', 'journal'],
  ...['serve', 'worker', 'submit', 'prompt', 'view', 'replay', 'query'],
];

const texts = [
  'workspace',
  'params',
  'input',
  'model',
  'base-url',
  'effort',
  'max-output-tokens',
  'context-overflow',
  'max-conversation-turns',
  'max-turns',
  'max-repeated-failures',
  'max-tokens',
  'max-cost',
  'prices',
  'deadline',
  'timeout',
  'idle-timeout',
  'log',
  'record',
  'journal',
  'blobs',
  'run-id',
  'expires',
  'on-suspend',
  'apply',
  'tag',
  'overrides',
  'sandbox',
  'mcp',
] as const;
const flags = [
  'durable',
  'suspend',
  'no-enforce',
  'json',
  'deltas',
  'verbose',
  'full',
  'otel',
  'version',
] as const;

/** The value of a bare `--apply`. */
const defaultApply: ApplyMode = 'end';

type Values = OptionValues<(typeof texts)[number], (typeof flags)[number]> & ListValues;

/**
 * Parses the arguments of the command, including its name.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readRunArguments(
  argv: readonly string[],
): RunRequest | { readonly kind: 'help' | 'version' } {
  const { values, positionals } = readCommandLine(spelledOut(argv), { texts, flags, lists: ['redact'] });
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const [command, ...targets] = positionals;
  if (command === 'run') return runRequest(targets, values);
  throw new UsageError(
    `${command === undefined ? 'no command given' : `unknown command "${command}"`}; the commands are: ${commands.join(', ')}.`,
  );
}

/** A bare `--apply` gets its default value; the next argument is not its value. */
function spelledOut(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const applied = words.map((word) => (word === '--apply' ? `--apply=${defaultApply}` : word));
  return [...applied, ...argv.slice(words.length)];
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
  const task: RunTask = {
    ...readTargets(targets, values),
    params: readParams(values.params),
    input: values.input,
    settings: readSettings({
      maxOutputTokens: readAmount('--max-output-tokens', values['max-output-tokens']),
      effort: values.effort,
    }),
    contextOverflow: readContextOverflow(values['context-overflow']),
    maxConversationTurns: readAmount('--max-conversation-turns', values['max-conversation-turns'], 2),
    ...readLimits(values),
    suspension: readSuspension(values),
    overrides: readOverrides(values),
    apply: readApply(values.apply),
    sandbox: readSandbox(values.sandbox),
    mcpFile: values.mcp,
    isEnforced: values['no-enforce'] !== true,
    redact: values.redact,
  };
  const durable = readDurable(task, values);
  return { kind: 'run', ...task, ...readOutputs(values), recordFile: values.record, durable };
}

/** The model and limits of a run, which it may be given anew when it goes on. */
export function readLimits(
  values: Values,
): Pick<
  RunTask,
  | 'model'
  | 'baseUrl'
  | 'maxTurns'
  | 'maxRepeatedFailures'
  | 'budget'
  | 'deadlineMs'
  | 'timeoutMs'
  | 'idleTimeoutMs'
> {
  return {
    model: readModelChoice(values.model),
    baseUrl: readBaseUrl(values['base-url']),
    maxTurns: readAmount('--max-turns', values['max-turns']),
    maxRepeatedFailures: readAmount('--max-repeated-failures', values['max-repeated-failures']),
    budget: readBudget({
      maxTokens: readAmount('--max-tokens', values['max-tokens']),
      maxCost: values['max-cost'],
      prices: values.prices,
    }),
    deadlineMs: readDuration('--deadline', values.deadline),
    timeoutMs: readDuration('--timeout', values.timeout),
    idleTimeoutMs: readDuration('--idle-timeout', values['idle-timeout']),
  };
}

/** What of a run is printed, written and reported. */
export function readOutputs(
  values: Values,
): Pick<RunRequest, 'logFile' | 'isJson' | 'hasDeltas' | 'isVerbose' | 'hasTelemetry' | 'isFull'> {
  if (values.deltas === true && values.json !== true && values.log === undefined) {
    throw new UsageError('--deltas requires --json or --log.');
  }
  return {
    logFile: values.log,
    isJson: values.json === true,
    hasDeltas: values.deltas === true,
    isVerbose: values.verbose === true,
    hasTelemetry: values.otel === true,
    isFull: values.full === true,
  };
}

/** Reads `--durable`, `--journal`, `--blobs` and `--run-id`; undefined without any. */
function readDurable(task: RunTask, values: Values): DurableChoice | undefined {
  const { durable, journal, 'run-id': runId } = values;
  if (durable !== true && journal === undefined) {
    refuseWithoutJournal(values);
    return undefined;
  }
  const journalNames = readJournalNames(values);
  return { journalNames, runId: readRunName(runId), task: absoluteTask(task), resumed: undefined };
}

/** @throws {UsageError} for options that say something of a journal where there is none. */
export function refuseWithoutJournal(values: Pick<Values, 'blobs' | 'run-id'>): void {
  const given = (['run-id', 'blobs'] as const).find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} requires --durable or --journal.`);
}

/** Reads `--suspend`, `--expires` and `--on-suspend`. */
export function readSuspension(values: Values): SuspensionChoice {
  const { suspend = false, expires, 'on-suspend': command } = values;
  const given = suspend ? '--suspend' : expires === undefined ? '--on-suspend' : '--expires';
  const isGiven = suspend || expires !== undefined || command !== undefined;
  if (isGiven && values.durable !== true && values.journal === undefined) {
    throw new UsageError(`${given} requires --durable or --journal.`);
  }
  if (command?.trim() === '') throw new UsageError('the command of --on-suspend is empty.');
  return { isForced: suspend, expiresMs: readExpiry(expires), command };
}
