import type { BareEvent } from '../../core/runtime/index.ts';
import {
  anyObject,
  count,
  dictionary,
  type Field,
  flag,
  type JsonObject,
  list,
  number,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  text,
} from '../../core/schema/index.ts';
import type { TokenPrices, ToolEffects } from '../../core/tool/index.ts';
import type { RowType } from './row-parts.ts';

/** The name of the format. */
export const recordVersion = 'wink-run/1';

export const runHeader = {
  evaluationId: text as Field<string>,
  promptName: text as Field<string>,
  prompt: record({ namespace: text, key: text, hash: text }) as Field<{
    readonly namespace: string;
    readonly key: string;
    readonly hash: string;
  }>,
  agent: optional(text) as OptionalField<string>,
  adapter: text as Field<string>,
  provider: optional(text) as OptionalField<string>,
  model: text as Field<string>,
  prices: optional(anyObject()) as OptionalField<TokenPrices>,
  /** The models that the run may ask, in their order, where there are several; the others of these members are of the one that it begins with. */
  models: optional(
    list(record({ name: text, provider: optional(text), model: text, prices: optional(anyObject()) })),
  ) as OptionalField<NonNullable<Extract<BareEvent, { readonly type: 'run-start' }>['models']>>,
  settings: anyObject() as Field<JsonObject>,
  tools: list(record({ name: text, effects: text, idempotent: optional(flag) })) as Field<
    readonly {
      readonly name: string;
      readonly effects: ToolEffects;
      /** Calls with effects outside may be made again. */
      readonly idempotent?: true;
    }[]
  >,
  toolsHash: text as Field<string>,
  policies: list(text) as Field<readonly string[]>,
  /** How far it goes. A limit is absent where there is none; `expiresAtMs` in milliseconds since the Unix epoch. Absent: it is not known. */
  limits: optional(
    record({
      maxTurns: optional(count),
      maxRepeatedFailures: optional(count),
      maxTotalTokens: optional(count),
      maxInputTokens: optional(count),
      maxOutputTokens: optional(count),
      maxCost: optional(number),
      expiresAtMs: optional(number),
    }),
  ) as OptionalField<Partial<NonNullable<Extract<BareEvent, { readonly type: 'run-start' }>['limits']>>>,
  /** What happens to a long conversation. Absent: nothing was asked for, or it is not known. */
  context: optional(
    record({
      compact: optional(record({ atInputTokens: count, toInputTokens: count })),
      results: optional(record({ maxCharacters: count, maxTotalCharacters: optional(count) })),
      maxTurns: optional(count),
      overflow: optional(text),
    }),
  ) as OptionalField<NonNullable<Extract<BareEvent, { readonly type: 'run-start' }>['context']>>,
  /** What the prompt was bound to. Absent: it is not JSON. */
  bound: optional(anyObject()) as OptionalField<JsonObject>,
  /** Hashes of texts in the prompt that are not of the program, by name. Absent: there are none. */
  sources: optional(dictionary(text)) as OptionalField<Readonly<Record<string, string>>>,
};

/** What is said of an evaluation when it begins. */
export interface RunHeader extends RecordOf<typeof runHeader> {}

export const headerRow = {
  version: text as Field<typeof recordVersion>,
  runId: text as Field<string>,
  sessionId: text as Field<string>,
  /** Milliseconds since the Unix epoch; `t` of all rows counts from here. */
  startedAtMs: number as Field<number>,
  /** Where it ran, such as `node 22.11.0`. */
  runtime: optional(text) as OptionalField<string>,
  /** Module of the agent as the command line got it. */
  module: optional(text) as OptionalField<string>,
  /** Name of the folder that the agent works on, without the way to it. */
  workspace: optional(text) as OptionalField<string>,
  /** When changes of files are written to the folder: with each call, at the end, or never. Absent: it is not known. */
  apply: optional(text) as OptionalField<'each' | 'end' | 'never'>,
  /** Params that were given for the run. */
  params: optional(anyObject()) as OptionalField<JsonObject>,
  /** The run that this one was forked from, and the last commit that it took over; absent: it began by itself. */
  base: optional(record({ runId: text, seq: count })) as OptionalField<{
    readonly runId: string;
    readonly seq: number;
  }>,
};

/** The first row: the root run. */
export interface HeaderRow extends RowType<'header'>, RunHeader, RecordOf<typeof headerRow> {
  /** Whether content of files that the run has only read is kept, or its size and digest. */
  readonly reads: 'content' | 'digest';
  /** True when a redaction was in place. */
  readonly redacted: boolean;
  /** The run is the life of a tool runtime: its rows have the calls, and the loop around them is not known. Absent: it is an evaluation. */
  readonly toolRuntime?: true;
}
