import type { FinishReason, HostedApprovalRequestPart, TokenUsage } from '../../core/tool/index.ts';
import type { ConformanceItem, ConformanceRequest } from './request.ts';

/** A tool call of the provider's model. */
export interface ConformanceCall {
  /** Absent when the provider does not send an id. Two calls of one answer may have the same id. */
  readonly callId?: string;
  readonly name: string;
  /** The JSON text of the arguments as the model writes it; may be malformed. */
  readonly arguments: string;
  /** True for a call that was truncated by the limit on the length of the answer: its arguments are incomplete. Default: false. */
  readonly isCutOff?: boolean;
  /** The id of the program of the provider that makes the call. Default: the model makes it. */
  readonly program?: string;
}

/** One web search that the provider ran by itself. */
export interface ConformanceSearch {
  readonly invocationId: string;
  readonly query: string;
  readonly status: 'completed' | 'failed';
  /** The sources found; empty when the search failed. */
  readonly sources: readonly { readonly url: string; readonly title: string }[];
  /** The range of the answer's text that cites the first source: start inclusive, end exclusive. */
  readonly cited?: readonly [start: number, end: number];
}

/** A whole answer of the provider. Its parts are in this order: summary, reasoning, searches, text, calls, approval requests, the item for the client. */
export interface ConformanceAnswer {
  readonly type: 'answer';
  /** The summary that takes the place of the conversation before it; `text: null` when it failed. `usage`: counted apart from that of the answer. */
  readonly compaction?: { readonly text: string | null; readonly usage?: TokenUsage };
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ConformanceCall[];
  readonly searches?: readonly ConformanceSearch[];
  /** Tools of the remote server with the label `toolName` that need approval. */
  readonly approvalRequests?: readonly Omit<HostedApprovalRequestPart, 'type'>[];
  /** True when the answer has an item that asks the client for what no tool gives. */
  readonly asksClient?: boolean;
  /** Why the model stopped. Default: `tool-calls` with calls, else `stop`. */
  readonly finishReason?: FinishReason;
  /** Default: the provider reports no usage, or any. */
  readonly usage?: TokenUsage;
  /** A report that counts neither input nor output, in place of `usage`: zeros, nulls, or their total alone. Absent: `usage` is reported. */
  readonly uncounted?: 'zeros' | 'nulls' | 'total';
}

/** An answer that ends early. */
export type ConformanceFragment =
  | {
      /**
       * The connection is lost during the answer: in a stream, after the text or, with a call, after half of its arguments;
       * otherwise in the middle of the body.
       */
      readonly type: 'broken-off';
      readonly text: string;
      readonly toolCall?: ConformanceCall & { readonly callId: string };
    }
  | {
      /**
       * The connection stays open without further data until the client aborts it: in a stream, after the text; otherwise
       * before the body.
       */
      readonly type: 'hanging';
      readonly text: string;
    }
  | {
      /**
       * Status 200 and no answer: an empty body, the web page of a proxy, or a body that is cut in the same place as of `broken-off` and ends there in
       * order.
       */
      readonly type: 'no-answer';
      readonly body: 'empty' | 'page' | 'cut';
      readonly text: string;
    };

/** The provider returns an error. */
export type ConformanceRefusal =
  /** Too many requests; retry after this delay, if set. */
  | { readonly type: 'rate-limited'; readonly retryAfterMs?: number }
  /** The quota is exhausted. */
  | { readonly type: 'quota-exceeded' }
  | { readonly type: 'server-error' }
  /** The conversation exceeds the context window of the model. */
  | { readonly type: 'context-exceeded' }
  /** The request is invalid; a retry would fail too. */
  | { readonly type: 'bad-request' }
  /** Well-formed JSON that does not match the provider's API. */
  | { readonly type: 'nonsense' };

/** The reaction of the provider to one request. */
export type ConformanceTurn = ConformanceAnswer | ConformanceFragment | ConformanceRefusal;

/** A turn with text, calls, or both. */
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

type ItemOf<Type> = Extract<ConformanceItem, { readonly type: Type }>;

/** The items of one type in a request. */
export function itemsOf<Type extends ConformanceItem['type']>(
  request: ConformanceRequest,
  type: Type,
): readonly ItemOf<Type>[] {
  return request.conversation.filter((item): item is ItemOf<Type> => item.type === type);
}
