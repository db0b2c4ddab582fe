import type { FileChange } from '../filesystem/index.ts';
import type { Redactor, RunEvent } from '../runtime/index.ts';
import type { BudgetExcess, TokenUsage } from '../tool/index.ts';
import type { Application } from './apply-to-folder.ts';

/** The last line of a stream of events: how the whole command came out. */
export interface ResultRecord {
  readonly type: 'result';
  readonly exitCode: number;
  readonly outcome: 'done' | 'failed' | 'conflict' | 'interrupted';
  /** What the model said last; absent when the run did not end of its own. */
  readonly text?: string;
  /** The structured answer; absent for a prompt without one. */
  readonly output?: unknown;
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

/**
 * One line of `--json` and `--log`, without its line feed: the event with `atMs`, milliseconds since the run began. Safe
 * to parse whatever a tool put into it; without what `redactor` takes out. The error object of a failed call is left out:
 * `invocation.error` says the same in JSON.
 */
export function eventLine(event: RunEvent | ResultRecord, atMs: number, redactor: Redactor): string {
  const { type, ...rest } = redactor.record(withoutCause(event));
  const time = { atMs: Math.round(atMs) };
  // The time of the line stays its own, also where an event brings a time of that name.
  return JSON.stringify({ type, ...time, ...rest, ...time }, jsonSafe);
}

function withoutCause(event: RunEvent | ResultRecord): RunEvent | ResultRecord {
  if (event.type === 'tool-call-end') return { type: event.type, invocation: event.invocation };
  if (event.type !== 'nested') return event;
  const inner = withoutCause(event.event);
  // Nothing becomes another kind of event here.
  return inner.type === 'result' ? event : { ...event, event: inner };
}

function jsonSafe(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
