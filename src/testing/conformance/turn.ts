import type { FinishReason, HostedApprovalRequestPart, TokenUsage } from '../../tool/index.ts';
import type { ConformanceItem, ConformanceRequest } from './request.ts';

/** A call that the provider's model asks for. */
export interface ConformanceCall {
  /** Absent where the provider gives the call no id. Two calls of one answer may have the same. */
  readonly callId?: string;
  readonly name: string;
  /** The JSON text of the arguments as the model writes it; may be malformed. */
  readonly arguments: string;
  /** True for a call that the limit on the length of the answer cut off: the arguments are what came of them. Default: false. */
  readonly isCutOff?: boolean;
}

/** One web search that the provider ran by itself. */
export interface ConformanceSearch {
  readonly invocationId: string;
  readonly query: string;
  readonly status: 'completed' | 'failed';
  /** What was found; empty when it failed. */
  readonly sources: readonly { readonly url: string; readonly title: string }[];
  /** The passage of the answer's text that rests on the first source: from, inclusive, to, exclusive. */
  readonly cited?: readonly [start: number, end: number];
}

/** A whole answer of the provider. Its pieces come in this order: reasoning, searches, text, calls, questions for approval. */
export interface ConformanceAnswer {
  readonly type: 'answer';
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ConformanceCall[];
  readonly searches?: readonly ConformanceSearch[];
  /** What the provider asks whether it may run: a tool of the remote server with the label `toolName`. */
  readonly approvalRequests?: readonly Omit<HostedApprovalRequestPart, 'type'>[];
  /** Why the model stopped. Default: `tool-calls` with calls, else `stop`. */
  readonly finishReason?: FinishReason;
  /** Default: the provider does not say, or says what it likes. */
  readonly usage?: TokenUsage;
}

/** The answer is not made to its end. */
export type ConformanceFragment =
  | {
      /**
       * The connection is lost in the middle of the answer. In a stream that is after the text, or after half of the arguments
       * when there is a call; in an answer that comes whole, in the middle of its body.
       */
      readonly type: 'broken-off';
      readonly text: string;
      readonly toolCall?: ConformanceCall & { readonly callId: string };
    }
  | {
      /**
       * The connection stays open and nothing more comes, until the client cuts it off. In a stream that is after the text; an
       * answer that comes whole does not begin.
       */
      readonly type: 'hanging';
      readonly text: string;
    };

/** The provider does not answer. */
export type ConformanceRefusal =
  /** Too many requests; to be asked again after so long, when it says so. */
  | { readonly type: 'rate-limited'; readonly retryAfterMs?: number }
  /** What was paid for is used up. */
  | { readonly type: 'quota-exceeded' }
  | { readonly type: 'server-error' }
  /** The conversation is longer than what the model can look at. */
  | { readonly type: 'context-exceeded' }
  /** Something is wrong with the request, and will be when it is sent again. */
  | { readonly type: 'bad-request' }
  /** An answer that is well-formed JSON and nothing that the provider's interface promises. */
  | { readonly type: 'nonsense' };

/** The reaction of the provider to one request. */
export type ConformanceTurn = ConformanceAnswer | ConformanceFragment | ConformanceRefusal;

/** A turn that says something, or asks for calls, or both. */
export function answer(parts: Omit<ConformanceAnswer, 'type'>): ConformanceAnswer {
  return { type: 'answer', ...parts };
}

/** A call with these arguments. */
export function call(
  callId: string,
  name: string,
  given: object,
): ConformanceCall & { readonly callId: string } {
  return { callId, name, arguments: JSON.stringify(given) };
}

/** The items of one type in a request. */
export function itemsOf<Type extends ConformanceItem['type']>(
  request: ConformanceRequest,
  type: Type,
): readonly Extract<ConformanceItem, { readonly type: Type }>[] {
  return request.conversation.filter(
    (item): item is Extract<ConformanceItem, { readonly type: Type }> => item.type === type,
  );
}
