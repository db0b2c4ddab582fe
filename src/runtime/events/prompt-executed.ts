import type { JsonValue } from '../../schema/index.ts';
import {
  append,
  defineSystemEvent,
  defineSystemSlice,
  type EventDefinition,
  on,
  type Slice,
} from '../../session/index.ts';
import type { FinishReason, TokenUsage } from '../../tool/index.ts';
import type { EventOrigin, RecordedError } from './event-origin.ts';
import type { EvaluationPhase } from './prompt-evaluation-error.ts';
import {
  anything,
  evaluationError,
  milliseconds,
  recordSchema,
  text,
  tokenUsage,
  wholeNumber,
} from './record-schema.ts';

/** How an evaluation came out. JSON-safe. */
export interface PromptExecutedPayload extends EventOrigin {
  /** `eventId` of its first `PromptRendered`; absent when it ended before that. */
  readonly renderId?: string;
  readonly outcome: 'finished' | 'failed';
  /** The model's final text; absent when it failed, and when the loop was not the library's (`toolRuntime()`). */
  readonly text?: string;
  /** The structured answer as the model wrote it; absent when it failed, or none was asked for. */
  readonly output?: JsonValue;
  /** Why the model stopped; absent where `text` is. */
  readonly finishReason?: FinishReason;
  /** What ended it early, and where; absent when it finished. */
  readonly error?: RecordedError & { readonly phase?: EvaluationPhase };
  /** Sum over all turns, and over the evaluations inside its tool calls, which have events of their own. */
  readonly usage: TokenUsage;
  /** How often the model was asked; in a tool runtime, how many turns of calls were run. */
  readonly turns: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** Dispatched once for every evaluation that held its session, however it ended, as its last session event. */
export const PromptExecuted: EventDefinition<PromptExecutedPayload, PromptExecutedPayload> =
  defineSystemEvent<PromptExecutedPayload>('prompt.executed');

/** The last 1,000 {@link PromptExecuted} of a session: a LOG slice, never rolled back. */
export const PromptExecutions: Slice<PromptExecutedPayload> = defineSystemSlice<PromptExecutedPayload>(
  'weakincentives.prompt-executions',
  {
    policy: 'log',
    retain: 1_000,
    reducers: [on(PromptExecuted, (_items, payload) => append(payload))],
    importSchema: recordSchema<PromptExecutedPayload>({
      required: {
        outcome: text,
        usage: tokenUsage,
        turns: wholeNumber,
        startedAtMs: milliseconds,
        durationMs: milliseconds,
      },
      optional: { renderId: text, text, output: anything, finishReason: text, error: evaluationError },
    }),
  },
);
