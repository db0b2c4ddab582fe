import type { JsonValue } from '../schema/index.ts';

/** One part of a user's message. */
export type InputPart = { readonly type: 'text'; readonly text: string } | MediaPart;

/** An image or a file. `data` is a URL or base64 text. */
export type MediaPart =
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string; readonly name?: string };

/** One call a model asks for. `arguments` is the JSON text as the model wrote it; empty text means no arguments. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  /**
   * Whether the provider reports that the call is complete: one with `false` is not run, but answered with a failed result. Default: the provider does
   * not say; then the calls of a turn that was cut off (`length`, `context-window`, `content-filter`, `refusal`) are run but for the last one, and
   * those whose arguments are empty or not JSON.
   */
  readonly isComplete?: boolean;
  /**
   * True when `arguments` was written from a value that something else had parsed, such as the SDK of a provider, which rounds integers beyond 2^53 − 1:
   * a call with such an integer is refused. Default: false, the digits are those that the model wrote.
   */
  readonly wasParsed?: boolean;
  /** The kind of the provider tool in whose shape the model asked, such as `openai.shell`. Absent: it called the tool itself. */
  readonly providerKind?: string;
  /** Why what the model asked in such a shape cannot be a call of the tool: it is not run, and answered with this text. Absent: it can. */
  readonly problem?: string;
}

/** The provider would run something for the model, such as a tool of a remote MCP server, and asks for approval. */
export interface HostedApprovalRequestPart {
  readonly type: 'approval-request';
  /** The provider's name for the request; the answer names it again. */
  readonly approvalId: string;
  /** Name of the hosted tool, as the prompt has it; what the provider calls it when the prompt does not have it. */
  readonly toolName: string;
  /** What is to be run, such as the name of the remote tool. */
  readonly name: string;
  /** The JSON text of its arguments as the model wrote it; empty text means none. */
  readonly arguments: string;
}

/** One part of a model's message. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | ToolCallPart
  | HostedApprovalRequestPart;

/** The items of one turn exactly as the provider sent them, kept so that the provider gets them back unchanged. */
export interface RawItems {
  /** Name of the model provider that made the items; no other provider may read them. */
  readonly provider: string;
  readonly items: readonly unknown[];
  /** The provider's id of the answer, where its next request is compared with this one. Default: not kept. */
  readonly responseId?: string;
}

/** What is said to the model in the role of the user. */
export interface UserItem {
  readonly type: 'user';
  readonly content: readonly InputPart[];
  /**
   * Who says it, when it is neither a person nor the calling program: `runtime` is what the run itself says, such as what a completion checker found
   * missing, and belongs to the turn before it; `digest` is the state of a session in the place of turns that were left out. No provider gets this. Absent: a
   * person or the calling program, whose words `context.maxTurns` never leaves out.
   */
  readonly source?: 'digest' | 'runtime';
  /** Of a digest: the session whose state it says. The next digest of the same session takes its place. */
  readonly sessionId?: string;
}

/** What the model said in one turn, in the order it said it. */
export interface AssistantItem {
  readonly type: 'assistant';
  readonly content: readonly AssistantPart[];
  readonly raw?: RawItems;
}

/** The answer to one call: `text` is exactly what the model reads. */
export interface ToolResultItem {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
  /** Images and files that the model gets after the text. Default: none. */
  readonly attachments?: readonly MediaPart[];
  /** Names of the tools that the model can call since: the call has opened their sections. Only in an evaluation whose model gets them there; see `openedTools` of adapters. */
  readonly loadedTools?: readonly string[];
  /** The value of the result, for a call in the shape of a provider tool, whose answer may need more than a text. Absent: for other calls, and without a value. */
  readonly value?: JsonValue;
  /** Of such a call: what feedback providers had to say, which is the end of `text`. Absent: nothing. */
  readonly feedback?: string;
}

/** The answer to an {@link HostedApprovalRequestPart}. */
export interface HostedApprovalItem {
  readonly type: 'approval';
  readonly approvalId: string;
  readonly approved: boolean;
  /** Why not, for the model. */
  readonly reason?: string;
}

/**
 * One entry of a conversation, independent of the provider. The instructions are not part of it: they are the
 * rendered prompt. Every call of an assistant item is answered by one tool result after it, and every request for approval
 * by one approval.
 */
export type ConversationItem = UserItem | AssistantItem | ToolResultItem | HostedApprovalItem;
