/** One piece of what a user says. `data` of an image or file is a URL or base64 text. */
export type InputPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string; readonly name?: string };

/** One call a model asks for. `arguments` is the JSON text as the model wrote it; empty text means no arguments. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

/** One piece of what a model says. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | ToolCallPart;

/** The items of one turn exactly as the provider sent them, kept so that the provider gets them back unchanged. */
export interface RawItems {
  /** Name of the model provider that made the items; no other provider may read them. */
  readonly provider: string;
  readonly items: readonly unknown[];
}

/** What the user said. */
export interface UserItem {
  readonly type: 'user';
  readonly content: readonly InputPart[];
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
}

/**
 * One entry of a conversation, without regard to a provider. The instructions are no part of it: they are the
 * rendered prompt. A conversation only grows; every call of an assistant item is answered by one tool result behind it.
 */
export type ConversationItem = UserItem | AssistantItem | ToolResultItem;
