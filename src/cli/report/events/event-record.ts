import type { FileChange } from '../../../core/filesystem/index.ts';
import { escapeInvisible } from '../../../core/internal/index.ts';
import type { Redactor, RunEvent } from '../../../core/runtime/index.ts';
import type {
  BudgetExcess,
  HostedToolOutput,
  HostedToolOutputs,
  TokenUsage,
} from '../../../core/tool/index.ts';
import type { RunOutcomeKind } from '../../../record/index.ts';
import type { Application } from '../../folder/apply-to-folder.ts';
import type { QuestionRecord } from './question-record.ts';

/** The last line of an event stream: the result of the command. */
export interface ResultRecord {
  readonly type: 'command-result';
  readonly exitCode: number;
  readonly outcome: 'done' | 'failed' | 'conflict' | 'suspended' | 'interrupted';
  /** The final text of the model; absent when the run did not complete. */
  readonly text?: string;
  /** The structured answer; absent for a prompt without an output schema. */
  readonly output?: unknown;
  /** Outputs of hosted tools by tool name; absent when the provider ran none. */
  readonly hostedOutputs?: Readonly<Record<string, HostedToolOutputs>>;
  /** Name of the run in its journal; absent without one. */
  readonly runId?: string;
  /** What a suspended run waits for; absent for another one. */
  readonly questions?: readonly QuestionRecord[];
  /** The error, in one line; absent without one. */
  readonly failure?: string;
  /** What became of the run, and why, as the report has it. */
  readonly ending?: EndingRecord;
  /** Net changes to files, sorted by path. */
  readonly changes: readonly Pick<FileChange, 'path' | 'kind' | 'entry'>[];
  /** The state of the changes; absent without `--apply`. */
  readonly application?: Exclude<Application, { readonly kind: 'off' }>;
  /** Token usage reported by the models, also for a failed run. */
  readonly usage?: TokenUsage;
  /** The cost; absent when prices are not known. */
  readonly cost?: number;
  /** The exceeded limit of the budget; absent without one. */
  readonly budgetExceeded?: BudgetExcess;
}

/** A call as the last event names it. */
interface NamedCall {
  /** As in the report: `3`, in the order that the model asked. */
  readonly number: string;
  readonly turn: number;
  readonly toolName: string;
  /** In short, for people. */
  readonly arguments: string;
}

/** What became of a run, and why. */
export interface EndingRecord {
  readonly kind: RunOutcomeKind;
  /** What happened and why, in one sentence, which `message` may continue with. Absent for a run that finished. */
  readonly sentence?: string;
  /** What failed, in its own words; absent when the sentence says all. */
  readonly message?: string;
  readonly code?: string;
  /** Where the run ended. */
  readonly phase?: string;
  /** The call that ended the run, or that it waits for. */
  readonly call?: NamedCall;
  /** The calls that failed; equal ones, by tool, arguments and reason, are one. */
  readonly problems: readonly (Omit<NamedCall, 'number' | 'turn'> & {
    readonly count: number;
    readonly calls: readonly string[];
    readonly turns: readonly number[];
    readonly outcome: string;
    readonly reason: string;
  })[];
}

const deltaTypes: ReadonlySet<string> = new Set<RunEvent['type']>([
  'text-delta',
  'reasoning-delta',
  'answer-restarted',
]);

/** True for a part of an answer that a later event contains as a whole, and for what makes such parts void. */
export function isDelta(event: RunEvent | ResultRecord): boolean {
  return deltaTypes.has(event.type);
}

/**
 * One line of `--json` and `--log`, without its line feed: the event with `atMs`, milliseconds since the start of the run.
 * Safe to parse and to print with any content: line breaks and invisible characters are escaped, and what `redactor`
 * removes is left out. Also left out are the error object of a failed call, which `invocation.error` repeats as JSON, and
 * the bytes of generated images and fetched documents, which are in `command-result`.
 */
export function eventLine(event: RunEvent | ResultRecord, atMs: number, redactor: Redactor): string {
  const { type, ...rest } = redactor.record(leanEvent(event));
  const time = { atMs: Math.round(atMs) };
  // The line's own `atMs` takes precedence over a field of that name in an event.
  return escapeInvisible(JSON.stringify({ type, ...time, ...rest, ...time }, jsonSafe));
}

function leanEvent(event: RunEvent | ResultRecord): RunEvent | ResultRecord {
  if (event.type === 'tool-call-end') {
    const { cause: _cause, ...lean } = event;
    return lean;
  }
  if (event.type === 'hosted-tool-called') return { ...event, output: withoutBytes(event.output) };
  return event;
}

/** Images are in `base64`; the `content` of a fetched page is base64 too, unless it is text. */
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
