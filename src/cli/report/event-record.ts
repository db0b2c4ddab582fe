import type { FileChange } from '../../filesystem/index.ts';
import { escapeInvisible } from '../../internal/index.ts';
import type { Redactor, RunEvent } from '../../runtime/index.ts';
import type { BudgetExcess, HostedToolOutput, HostedToolOutputs, TokenUsage } from '../../tool/index.ts';
import type { Application } from '../run/apply-to-folder.ts';

/** The last line of a stream of events: how the whole command came out. */
export interface ResultRecord {
  readonly type: 'command-result';
  readonly exitCode: number;
  readonly outcome: 'done' | 'failed' | 'conflict' | 'interrupted';
  /** What the model said last; absent when the run did not end of its own. */
  readonly text?: string;
  /** The structured answer; absent for a prompt without one. */
  readonly output?: unknown;
  /** What the hosted tools came to, by their names; absent when the provider ran none. */
  readonly hostedOutputs?: Readonly<Record<string, HostedToolOutputs>>;
  /** What went wrong, in one line; absent when nothing did. */
  readonly failure?: string;
  /** Net changes to files, sorted by path. */
  readonly changes: readonly Pick<FileChange, 'path' | 'kind' | 'entry'>[];
  /** What became of the changes; absent without `--apply`. */
  readonly application?: Exclude<Application, { readonly kind: 'off' }>;
  /** What the models reported, also of a run that failed. */
  readonly usage?: TokenUsage;
  /** What that cost; absent when the prices are not known. */
  readonly cost?: number;
  /** The limit of the budget that was passed; absent when none was. */
  readonly budgetExceeded?: BudgetExcess;
}

/** True for a piece of an answer that is told as a whole when it is there, in the run or in an evaluation inside a call. */
export function isDelta(event: RunEvent | ResultRecord): boolean {
  return event.type === 'nested-run'
    ? isDelta(event.event)
    : event.type === 'text-delta' || event.type === 'reasoning-delta';
}

/**
 * One line of `--json` and `--log`, without its line feed: the event with `atMs`, milliseconds since the run began. Safe
 * to parse and to print whatever a tool put into it: what breaks lines or is not seen is escaped. Without what `redactor`
 * takes out. The error object of a failed call is left out: `invocation.error` says the same in JSON; and so are the bytes of images that a provider made and of documents that it fetched, which the `command-result` has.
 */
export function eventLine(event: RunEvent | ResultRecord, atMs: number, redactor: Redactor): string {
  const { type, ...rest } = redactor.record(leanEvent(event));
  const time = { atMs: Math.round(atMs) };
  // The time of the line stays its own, also where an event brings a time of that name.
  return escapeInvisible(JSON.stringify({ type, ...time, ...rest, ...time }, jsonSafe));
}

function leanEvent(event: RunEvent | ResultRecord): RunEvent | ResultRecord {
  if (event.type === 'tool-call-end') {
    const { type, turn, callId, toolName, invocation } = event;
    return { type, turn, callId, toolName, invocation };
  }
  if (event.type === 'hosted-tool-called') return { ...event, output: withoutBytes(event.output) };
  if (event.type !== 'nested-run') return event;
  const inner = leanEvent(event.event);
  // Nothing becomes another kind of event here.
  return inner.type === 'command-result' ? event : { ...event, event: inner };
}

/** An image is `base64`; of a page that was fetched `content` is base64 too, unless it is a text. */
function withoutBytes(output: HostedToolOutput): HostedToolOutput {
  const { base64, content, ...rest }: HostedToolOutput & Readonly<Record<string, unknown>> = { ...output };
  const { mediaType } = rest;
  const isDocument = typeof mediaType === 'string' && !mediaType.startsWith('text/');
  const bytes = base64 ?? (isDocument ? content : undefined);
  if (typeof bytes !== 'string') return output;
  return Object.assign(rest, { characters: bytes.length });
}

function jsonSafe(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
