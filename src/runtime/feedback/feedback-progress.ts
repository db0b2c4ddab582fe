import { jsonSchema } from '../../schema/index.ts';
import {
  append,
  defineSystemEvent,
  defineSystemSlice,
  type EventDefinition,
  on,
  type Slice,
} from '../../session/index.ts';
import { listOf, milliseconds, objectOf, text, wholeNumber } from '../events/record-schema.ts';

/** What is remembered of one provider. */
export interface FeedbackProviderProgress {
  readonly name: string;
  /** How many calls had ended when it last ran; 0: it has not. */
  readonly calls: number;
  /** When it last ran; absent: it has not. */
  readonly atMs?: number;
  /** True when a file of its kind was created since it last ran. Absent: none was. */
  readonly isFileCreated?: true;
}

/** What is remembered of one prompt for its feedback. */
export interface FeedbackProgress {
  /** Namespace and key of the prompt. */
  readonly scope: string;
  /** Calls that have ended. */
  readonly calls: number;
  /** When the first of them began. */
  readonly sinceMs: number;
  readonly providers: readonly FeedbackProviderProgress[];
}

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
export const FeedbackStepped: EventDefinition<FeedbackStep, FeedbackStep> =
  defineSystemEvent<FeedbackStep>('feedback.stepped');

const progress = objectOf<FeedbackProviderProgress>({
  required: { name: text, calls: wholeNumber },
  optional: { atMs: milliseconds, isFileCreated: { const: true } },
});

/**
 * How far the feedback of each prompt is, one item per prompt: part of snapshots and exports, so that a session that is
 * brought back goes on counting where it was. An evaluation with feedback installs it; install it yourself before
 * `importState()`.
 */
export const FeedbackState: Slice<FeedbackProgress> = defineSystemSlice<FeedbackProgress>(
  'weakincentives.feedback',
  {
    key: ({ scope }) => scope,
    systemState: true,
    reducers: [on(FeedbackStepped, (items, step) => append(foldFeedback(items.get(step.scope), step)))],
    importSchema: jsonSchema<FeedbackProgress>(
      objectOf<FeedbackProgress>({
        required: { scope: text, calls: wholeNumber, sinceMs: milliseconds, providers: listOf(progress) },
        optional: {},
      }),
    ),
  },
);
