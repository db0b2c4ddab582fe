import { isRecord } from '../../core/internal/index.ts';
import {
  anyObject,
  choice,
  type Field,
  type Fields,
  fieldFault,
  flag,
  type JsonObject,
  list,
  number,
  type OptionalField,
  optional,
  record,
  text,
  variant,
} from '../../core/schema/index.ts';
import { readArguments } from '../commands/read-arguments.ts';
import type { ServedCode, ServeTask } from '../commands/serve.ts';
import type { ModelChoice } from '../model/model-choice.ts';
import type { AddedTexts, OverridesChoice, SandboxChoice } from '../options/option-values.ts';
import type { RunTask, SuspensionChoice } from '../options/run-task.ts';

/** What a run was begun with, as its journal keeps it: the command, and what it was asked to do. Paths are absolute. */
export type KeptRequest = ({ readonly kind: 'run' } & RunTask) | ({ readonly kind: 'serve' } & KeptServeTask);

/** What was served, and the code that it was. Without it, an earlier version has written this. */
interface KeptServeTask extends ServeTask {
  readonly code?: ServedCode;
}

/** Raised when a member of a request gets another meaning; members that are new need no other version. */
const version = 1;

/** The members of a task as a journal has them: one that is undefined is absent. The compiler refuses a table that lacks one. */
type KeptFields<Task> = {
  readonly [Name in keyof Task]-?: undefined extends Task[Name]
    ? OptionalField<Exclude<Task[Name], undefined>>
    : Field<Task[Name]>;
};

/** The field of such a task. */
function kept<Task extends object>(fields: KeptFields<Task>): Field<Task> {
  const made: Field<unknown> = record<Fields>(fields);
  // What is absent is undefined to those who read it.
  return made as Field<Task>;
}

const sharedTask = {
  workspace: optional(text),
  params: anyObject<JsonObject>(),
  overrides: optional(kept<OverridesChoice>({ tag: optional(text), root: optional(text) })),
  apply: optional(choice('end', 'each')),
  sandbox: optional(variant<SandboxChoice>('kind', { bubblewrap: {}, virtual: {}, podman: { image: text } })),
  mcpFile: optional(text),
  redact: optional(list(text)),
};

const tasks = {
  run: kept<RunTask>({
    ...sharedTask,
    agent: text,
    texts: optional(
      kept<AddedTexts>({ skills: list(text), trust: optional(choice('workspace')), hasInstructions: flag }),
    ),
    input: optional(text),
    model: optional(
      variant<ModelChoice>('kind', {
        openai: { model: text },
        anthropic: { model: text },
        'ai-sdk': { package: text, model: text },
        'claude-agent': { model: optional(text) },
        acp: { line: text },
        'rule-based': {},
      }),
    ),
    baseUrl: optional(text),
    settings: anyObject(),
    contextCompact: optional(record({ atInputTokens: number, toInputTokens: number })),
    contextResults: optional(number),
    contextOverflow: optional(choice('error', 'drop-tool-results')),
    maxConversationTurns: optional(number),
    maxTurns: optional(number),
    maxRepeatedFailures: optional(number),
    budget: anyObject(),
    deadlineMs: optional(number),
    timeoutMs: optional(number),
    idleTimeoutMs: optional(number),
    suspension: kept<SuspensionChoice>({
      isForced: flag,
      expiresMs: optional(number),
      command: optional(text),
    }),
    isEnforced: flag,
  }),
  serve: kept<KeptServeTask>({
    ...sharedTask,
    agent: optional(text),
    policyFile: optional(text),
    code: optional(
      record({
        prompt: text,
        agent: optional(text),
        policyFile: optional(text),
        mcpFile: optional(text),
      }) as Field<ServedCode>,
    ),
  }),
};

/** The request as JSON. */
export function toJournal(request: KeptRequest): JsonObject {
  // What was read from a command line is JSON, but for members that are undefined.
  return { version, ...(JSON.parse(JSON.stringify(request)) as JsonObject) };
}

/**
 * Reads a request from what the journal has of a run.
 *
 * @returns undefined for a run that another program has begun; `unreadable` for what a later version has written or something else has changed, and for words that are no longer known.
 */
export function fromJournal({
  request,
  call,
}: JsonObject): { readonly request: KeptRequest | 'unreadable' } | undefined {
  if (isRecord(request)) {
    return { request: isKept(request) ? request : 'unreadable' };
  }
  const isWords = Array.isArray(call) && call.every((word) => typeof word === 'string');
  return isWords ? { request: fromWords(call) } : undefined;
}

function isKept(request: JsonObject): request is JsonObject & KeptRequest {
  const { kind } = request;
  if (request['version'] !== version || (kind !== 'run' && kind !== 'serve')) return false;
  return fieldFault(tasks[kind], request) === undefined;
}

/** Until 0.2.0 a journal kept the words of the command line, without those about the journal. */
function fromWords(words: readonly string[]): KeptRequest | 'unreadable' {
  // Options could come before the name of the command then.
  const command = words[0] === 'serve' ? 'serve' : 'run';
  const at = words.indexOf(command);
  if (at < 0) return 'unreadable';
  const request = readArguments([command, '--durable', ...words.slice(0, at), ...words.slice(at + 1)]);
  if (request.kind === 'run' && request.durable !== undefined)
    return { kind: 'run', ...request.durable.task };
  if (request.kind === 'serve' && request.durable !== undefined)
    return { kind: 'serve', ...request.durable.task };
  return 'unreadable';
}
