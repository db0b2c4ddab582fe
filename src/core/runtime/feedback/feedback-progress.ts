import {
  constant,
  count,
  type Field,
  list,
  milliseconds,
  type OptionalField,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../schema/index.ts';
import {
  defineSystemEvent,
  defineSystemSlice,
  type EventDefinition,
  type Slice,
} from '../../session/index.ts';

const providerProgress = {
  name: text as Field<string>,
  /** How many calls had ended when it last ran; 0: it has not. */
  calls: count as Field<number>,
  /** When it last ran; absent: it has not. */
  atMs: optional(milliseconds) as OptionalField<number>,
  /** True when a file of its kind was created since it last ran. Absent: none was. */
  isFileCreated: optional(constant(true)) as OptionalField<true>,
};

/** What is remembered of one provider. */
export interface FeedbackProviderProgress extends RecordOf<typeof providerProgress> {}

const progress = {
  /** Namespace and key of the prompt. */
  scope: text as Field<string>,
  /** Calls that have ended. */
  calls: count as Field<number>,
  /** When the first of them began. */
  sinceMs: milliseconds as Field<number>,
  providers: list(record(providerProgress)) as Field<readonly FeedbackProviderProgress[]>,
};

/** What is remembered of one prompt for its feedback. */
export interface FeedbackProgress extends RecordOf<typeof progress> {}

/** One more call that has ended, and what it meant for the providers. */
export interface FeedbackStep {
  readonly scope: string;
  readonly startedAtMs: number;
  /** Providers whose file the call created. */
  readonly created: readonly string[];
  /** Providers that ran after the call. */
  readonly ran: readonly { readonly name: string; readonly atMs: number }[];
}

/** The progress after a step. Pure. */
export function foldFeedback(before: FeedbackProgress | undefined, step: FeedbackStep): FeedbackProgress {
  const calls = (before?.calls ?? 0) + 1;
  const providers = new Map((before?.providers ?? []).map((provider) => [provider.name, provider]));
  for (const name of step.created) {
    providers.set(name, { calls: 0, ...providers.get(name), name, isFileCreated: true });
  }
  for (const { name, atMs } of step.ran) providers.set(name, { name, calls, atMs });
  return {
    scope: step.scope,
    calls,
    sinceMs: before?.sinceMs ?? step.startedAtMs,
    providers: [...providers.values()],
  };
}

/** Dispatched once for every call of an evaluation with feedback. */
export const FeedbackStepped: EventDefinition<FeedbackStep, FeedbackStep> = defineSystemEvent<FeedbackStep>(
  'weakincentives.feedback-stepped',
);

/**
 * How far the feedback of each prompt is, one item per prompt: part of snapshots and exports, so that a session that is
 * imported again continues its counts. An evaluation with feedback installs it; install it yourself before
 * `importState()`.
 */
export const FeedbackState: Slice<FeedbackProgress> = defineSystemSlice<FeedbackProgress>({
  name: 'weakincentives.feedback',

  key: ({ scope }) => scope,
  systemState: true,
  reducers: (on) => [
    on(FeedbackStepped, (items, step) => items.append(foldFeedback(items.get(step.scope), step))),
  ],
  importSchema: recordSchema(progress),
});
