import type { JsonSchema } from '../../schema/index.ts';
import type {
  AssistantPart,
  ConversationItem,
  FinishReason,
  HostedTool,
  HostedToolReading,
  ModelSettings,
  ModelTool,
  RawItems,
  TokenUsage,
  ToolChoice,
} from '../../tool/index.ts';
import type { RecordedError } from '../events/event-origin.ts';
import type { ObservedEvaluation } from './observed-evaluation.ts';

/** A replacement of some items of a conversation. */
export interface ConversationEdit {
  /** Index of the first item that is replaced, in the conversation after the edits before this one. */
  readonly at: number;
  /** How many items are removed there. */
  readonly remove: number;
  readonly insert: readonly ConversationItem[];
}

/** A request as a model gets it. Instructions and tools are the very objects of the request before while they are the same. */
export interface ObservedRequest extends ObservedEvaluation {
  readonly turn: number;
  readonly atMs: number;
  readonly instructions: string;
  readonly tools: readonly ModelTool[];
  readonly hostedTools: readonly HostedTool[];
  readonly toolChoice: ToolChoice;
  readonly settings: ModelSettings;
  readonly outputSchema?: JsonSchema;
  /** What makes the conversation of the request before into the one of this request; the first request of a run begins with none. */
  readonly edits: readonly { [Name in keyof ConversationEdit]: ConversationEdit[Name] }[];
  /** Items of the conversation. */
  readonly length: number;
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
}

/** What a model answered, or why it did not. */
export type ObservedResponse = ObservedEvaluation & {
  readonly turn: number;
  readonly atMs: number;
  readonly durationMs: number;
  /** From the request to the first piece of the answer; absent when the answer was not streamed, or no piece came. */
  readonly timeToFirstPieceMs?: number;
  /** True when `redact` changed something in it. */
  readonly isRedacted: boolean;
} & (
    | {
        readonly outcome: 'answered';
        readonly content: readonly AssistantPart[];
        readonly raw?: RawItems;
        readonly hosted?: readonly HostedToolReading[];
        readonly hasFiles?: boolean;
        readonly finishReason: FinishReason;
        readonly usage?: TokenUsage;
        /** The provider's id of the answer. */
        readonly responseId?: string;
        /** The model that answered, as the provider names it. */
        readonly responseModel?: string;
      }
    | { readonly outcome: 'failed'; readonly error: RecordedError }
  );
