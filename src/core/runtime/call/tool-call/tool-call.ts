import { describeError } from '../../../error/index.ts';
import type { FileChange } from '../../../filesystem/index.ts';
import { none, present, type Writable } from '../../../internal/index.ts';
import type { BoundTool } from '../../../prompt/index.ts';
import {
  describeIssues,
  freezeOwnJson,
  type JsonObject,
  readGivenJson,
  type SchemaIssue,
} from '../../../schema/index.ts';
import type {
  MediaPart,
  ToolCallFailureReason,
  ToolCallPart,
  ToolEffects,
  ToolInvokedPayload,
} from '../../../tool/index.ts';
import type { FileReading } from '../../context/touched-files.ts';
import type { TraceContext } from '../../events/trace-context.ts';
import type { VisiblePrompt } from '../../model/visible-prompt.ts';
import type { CallPatch, TransactionRoots } from '../transaction/transaction.ts';
import { type PathChoice, readCallPaths } from './call-paths.ts';
import type { OuterCall } from './outer-call.ts';
import { type FailedVerdict, failed } from './verdict.ts';

/** A call as a turn of the model asked for it. */
export interface ToolCall {
  readonly callId: string;
  readonly toolName: string;
  /** JSON text of the arguments; empty means none. */
  readonly arguments: string;
  /** Number of the model turn, from 1. */
  readonly turn: number;
  /** True for a call that the model may not have written to its end. Default: false. */
  readonly isCutOff?: boolean;
  /** True when the arguments were written from a value that something else had parsed. Default: false. */
  readonly wasParsed?: boolean;
  /** The kind of the provider tool in whose shape the model asked. Absent: it called the tool itself. */
  readonly providerKind?: string;
  /** Why it cannot be made. Absent: it can. */
  readonly problem?: string;
  /** The span of the caller. */
  readonly trace?: TraceContext;
}

/** The result of a call: what the model reads, what is recorded, and what has to be put on the state. */
export interface ToolCallResult {
  readonly invocation: ToolInvokedPayload;
  /** Images and files that the model gets after the text. Absent: none. */
  readonly attachments?: readonly MediaPart[];
  /** True when the handler kept the value from the model. */
  readonly isValueExcluded?: true;
  /** The changes of a committed call, the log entries of any other; absent when the call never opened a transaction. */
  readonly patch?: CallPatch;
  /** What the handler threw, as it was thrown. Not kept by a journal. */
  readonly cause?: unknown;
  /** Ends the evaluation after this call: thrown by the handler for that purpose. */
  readonly interrupt?: { readonly error: unknown };
  /** True for a call without a result: it waits for an answer, or for a call before it that does. */
  readonly isSuspended?: boolean;
  /** Set on a call that a journal has decided before. Subscribers and feedback providers receive it only when it was not delivered. */
  readonly resumed?: {
    readonly isDelivered: boolean;
    /** What it changed, for the outer call. Absent: nothing. */
    readonly changes?: readonly FileChange[];
    /** What the model was to read before an excerpt of it was made, and feedback was added. */
    readonly wholeText: string;
    /** What it has read. */
    readonly reads: readonly FileReading[];
  };
}

/** A call whose tool is known and whose arguments are a JSON object. */
export interface ResolvedCall {
  readonly call: ToolCall;
  readonly bound: BoundTool;
  /** The arguments as they came over the wire, with the paths that they mean; frozen. */
  readonly params: JsonObject;
  /** The paths that could mean something else, too. */
  readonly choices: readonly PathChoice[];
}

/** What looking a call up leads to: something to run, or the reason why it is rejected. */
export type CallResolution =
  | { readonly kind: 'resolved'; readonly resolved: ResolvedCall }
  | { readonly kind: 'rejected'; readonly verdict: FailedVerdict; readonly params?: JsonObject };

const maxNamedTools = 50;

/** Effects in order: later ones may do more. */
const effectsRank: Readonly<Record<ToolEffects, number>> = { read: 0, state: 1, external: 2 };

/** The call of one part of an assistant item. */
export function toToolCall(part: ToolCallPart, turn: number, isCutOff: boolean): ToolCall {
  const call: Writable<ToolCall> = {
    callId: part.callId,
    toolName: part.name,
    arguments: part.arguments,
    turn,
    isCutOff,
    wasParsed: part.wasParsed === true,
  };
  if (part.providerKind !== undefined) call.providerKind = part.providerKind;
  if (part.problem !== undefined) call.problem = part.problem;
  return call;
}

/**
 * Steps 1 and 2 of a call: the tool is looked up and the arguments are parsed. A call that was cut off is rejected, and so is a tool that is not among `allowedTools`, and, in an evaluation inside the
 * call `outer`, one that may do more than that call.
 *
 * @see docs/spec/tool-calls.md §2
 */
export function resolveCall(
  call: ToolCall,
  {
    display,
    allowedTools,
    outer,
    roots,
  }: {
    readonly display: VisiblePrompt;
    readonly allowedTools: ReadonlySet<string> | undefined;
    readonly outer: OuterCall | undefined;
    readonly roots: Pick<TransactionRoots, 'filesystem'>;
  },
): CallResolution {
  if (call.isCutOff === true) return cutOff(call);
  const bound = display.toolNamed(call.toolName);
  const parsed = readArguments(call, bound);
  const params = parsed.value;
  if (bound === undefined) {
    return rejected('unknown-tool', unknownTool(call.toolName, display, allowedTools), params);
  }
  if (allowedTools !== undefined && !allowedTools.has(call.toolName) && !display.isOwn(call.toolName)) {
    return rejected('not-allowed', notAllowed(call.toolName, display, allowedTools), params);
  }
  if (bound.tool.execute === undefined) {
    const message = `The tool "${call.toolName}" is declared without a handler and cannot be called here.`;
    return rejected('no-handler', message, params);
  }
  const { effects } = bound.tool;
  if (outer !== undefined && effectsRank[effects] > effectsRank[outer.effects]) {
    const message = [
      `The tool "${call.toolName}" has effects "${effects}" and cannot be called inside a call of "${outer.toolName}",`,
      `which has effects "${outer.effects}": what it changes could not be taken back with that call.`,
      `Declare "${outer.toolName}" with effects "${effects}", or leave "${call.toolName}" out of the inner prompt.`,
    ].join(' ');
    return rejected('effects-exceeded', message, params);
  }
  if (call.problem !== undefined) return rejected('invalid-arguments', call.problem, params);
  if (!parsed.ok) return rejected('invalid-arguments', parsed.message, params);
  if (bound.tool['~files']?.arguments === undefined)
    return { kind: 'resolved', resolved: { call, bound, params: parsed.value, choices: none } };
  const paths = readCallPaths(bound.tool, parsed.value, display.rendered, roots.filesystem?.hostPath);
  if (paths.kind === 'refused') return rejected('invalid-arguments', paths.message, params);
  return { kind: 'resolved', resolved: { call, bound, params: paths.params, choices: paths.choices } };
}

function cutOff({ toolName }: ToolCall): CallResolution {
  const message = [
    `The call of "${toolName}" was not run: your answer was cut off before the call was known to be complete. Nothing was changed.`,
    'Make the call again with shorter arguments, or do the work in several smaller calls.',
  ].join(' ');
  return rejected('cut-off', message);
}

function rejected(reason: ToolCallFailureReason, message: string, params?: JsonObject): CallResolution {
  return { kind: 'rejected', verdict: failed('rejected', reason, message), ...present({ params }) };
}

type Shown = Pick<VisiblePrompt, 'tools' | 'isOwn'>;

function unknownTool(name: string, display: Shown, allowed: ReadonlySet<string> | undefined): string {
  const names = namesAmong(display, allowed);
  if (names.length === 0) return `There is no tool "${name}"; this prompt has no tools.`;
  return `There is no tool "${name}". The tools are: ${listed(names)}.`;
}

function notAllowed(name: string, display: Shown, allowed: ReadonlySet<string>): string {
  const names = namesAmong(display, allowed);
  const refusal = `The tool "${name}" was not called: it is not allowed here.`;
  return names.length === 0
    ? `${refusal} Continue without it.`
    : `${refusal} The tools that are allowed: ${listed(names)}. Use one of them, or continue without it.`;
}

/** The tools that can be called. */
function namesAmong(display: Shown, allowed: ReadonlySet<string> | undefined): readonly string[] {
  const names = display.tools.map(({ name }) => name);
  return allowed === undefined ? names : names.filter((name) => allowed.has(name) || display.isOwn(name));
}

function listed(names: readonly string[]): string {
  const more = names.length > maxNamedTools ? ` and ${names.length - maxNamedTools} more` : '';
  return `${names.slice(0, maxNamedTools).join(', ')}${more}`;
}

type GivenArguments =
  | { readonly ok: true; readonly value: JsonObject }
  /** @property value what the record shows of them. */
  | { readonly ok: false; readonly message: string; readonly value?: JsonObject };

/** The arguments of a call as the tool means them: the one place that reads them. A call of an unknown tool has arguments, too, for its record. */
function readArguments(
  { arguments: text, toolName, wasParsed = false }: ToolCall,
  bound: BoundTool | undefined,
): GivenArguments {
  let parsed: unknown;
  try {
    parsed = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    return unreadable(toolName, `they are not valid JSON (${describeError(error)})`);
  }
  if (typeof parsed !== 'object' || parsed === null) {
    return unreadable(toolName, `got ${parsed === null ? 'null' : typeof parsed}`);
  }
  if (Array.isArray(parsed)) return unreadable(toolName, 'got an array');
  const schema = bound?.tool.compiledInput?.inputJsonSchema;
  // What JSON.parse makes of an object literal is a JsonObject, and stays one.
  const { issues, ...read } = readGivenJson({ text, value: parsed as JsonObject, wasParsed }, schema);
  const value = read.value as JsonObject;
  try {
    // Recorded as they are now, independent of what a handler does to its copy. JSON text can hold what JSON values cannot: 1e999.
    freezeOwnJson(value, 'what the text holds');
  } catch (error) {
    return unreadable(toolName, `they cannot be used (${describeError(error)})`);
  }
  return issues.length === 0 ? { ok: true, value } : { ok: false, message: misfit(toolName, issues), value };
}

function unreadable(toolName: string, problem: string): GivenArguments {
  return { ok: false, message: `The arguments of "${toolName}" must be one JSON object: ${problem}.` };
}

/** What the model reads of arguments that do not fit their tool. */
export function misfit(toolName: string, issues: readonly SchemaIssue[]): string {
  return `Tool validation failed: the arguments of "${toolName}" do not fit.\n${describeIssues(issues)}`;
}
