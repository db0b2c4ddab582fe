import type { ToolChoice } from '../../core/tool/index.ts';

/** One item of the conversation, as the provider received it in a request. */
export type ConformanceItem =
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'assistant'; readonly text: string }
  /** Reasoning of the model. `isIntact`: exactly as the provider sent it, ids and signatures included. */
  | { readonly type: 'reasoning'; readonly isIntact: boolean }
  /** A summary of the provider. `isIntact` as above. */
  | { readonly type: 'compaction'; readonly isIntact: boolean }
  /** `arguments`: as JSON text. */
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly text: string;
      /** Whether the result is marked as a failure; absent where the wire format has no mark. */
      readonly isError?: boolean;
      /** The program that the result names as the one that called. */
      readonly program?: string;
    }
  /** An image or a file of the user, or after the result that it belongs to. `data`: base64 text. */
  | { readonly type: 'media'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'approval'; readonly approvalId: string; readonly approved: boolean };

/** One request to the provider, independent of its wire format. */
export interface ConformanceRequest {
  /** Whether a streamed answer is requested. */
  readonly isStreaming: boolean;
  /** The system prompt. */
  readonly instructions: string;
  /**
   * All items, in order. Items without a type here, such as searches by the provider, are omitted. Adjacent text may be one
   * item or several.
   */
  readonly conversation: readonly ConformanceItem[];
  /** The names of the function tools, in order. */
  readonly tools: readonly string[];
  /** The kinds of the hosted tools, in order: `web_search`, `mcp`. */
  readonly hostedTools: readonly string[];
  /** Whether the request has a schema of the answer. */
  readonly hasOutputSchema: boolean;
  /** Absent when the request does not set it. */
  readonly toolChoice?: ToolChoice;
  /** The maximum number of tokens of the answer. Absent when the request does not set it. */
  readonly maxOutputTokens?: number;
}
