import type { ToolChoice } from '../../tool/index.ts';

/** One thing that was said, as the provider found it in a request. */
export type ConformanceItem =
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'assistant'; readonly text: string }
  /** What the model had thought. `isIntact`: exactly as the provider had sent it, marks and signatures included. */
  | { readonly type: 'reasoning'; readonly isIntact: boolean }
  /** `arguments`: as JSON text. */
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly text: string;
      /** Whether the result is marked as a failure; absent where the wire format has no mark. */
      readonly isError?: boolean;
    }
  /** An image or a file of the user, or after the result that it belongs to. `data`: base64 text. */
  | { readonly type: 'media'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'approval'; readonly approvalId: string; readonly approved: boolean };

/** What the provider was sent in one request, without regard to its wire format. */
export interface ConformanceRequest {
  /** Whether the answer is asked for piece by piece. */
  readonly isStreaming: boolean;
  /** The system text. */
  readonly instructions: string;
  /**
   * Everything said, in order. Items that the case does not know of, such as searches of the provider's own, are left out. Texts that follow one another
   * may be one item or several.
   */
  readonly conversation: readonly ConformanceItem[];
  /** The names of the tools that are called back, in order. */
  readonly tools: readonly string[];
  /** The kinds of the hosted tools, in order: `web_search`, `mcp`. */
  readonly hostedTools: readonly string[];
  /** Whether the provider is given a schema of the answer to hold the model to. */
  readonly hasOutputSchema: boolean;
  /** Absent where the request does not say. */
  readonly toolChoice?: ToolChoice;
  /** Tokens that the answer may have. Absent where the request does not say. */
  readonly maxOutputTokens?: number;
}
