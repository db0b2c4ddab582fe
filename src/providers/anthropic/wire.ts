import type { JsonObject, JsonSchema } from '../../core/schema/index.ts';
import type { AnthropicHostedWire } from './hosted/codecs.ts';

// The part of the Messages API that this adapter writes, with the provider's names. Lists are mutable and keys are
// snake_case because the provider's client requires it.

/** A cache breakpoint: the end of a cached prefix. */
export interface CacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

/** An element that can have a cache breakpoint. */
export interface Cacheable {
  cache_control?: CacheControl;
}

/** A text block of any role. */
export interface TextBlock extends Cacheable {
  type: 'text';
  text: string;
}

/** The image types that the provider supports as data. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** An image, as data or by URL. */
export interface ImageBlock extends Cacheable {
  type: 'image';
  source: { type: 'base64'; media_type: ImageType; data: string } | { type: 'url'; url: string };
}

/** A PDF document as data or by URL, or text. */
export interface DocumentBlock extends Cacheable {
  type: 'document';
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'text'; media_type: 'text/plain'; data: string }
    | { type: 'url'; url: string };
  title?: string;
}

/** Content of a user message or a tool result. */
export type InputBlock = TextBlock | ImageBlock | DocumentBlock;

/** A call by another model. */
export interface ToolUseBlock extends Cacheable {
  type: 'tool_use';
  id: string;
  name: string;
  input: { [key: string]: JsonObject[string] };
}

/** Brings a tool that is declared with `defer_loading`. */
export interface ToolReference extends Cacheable {
  type: 'tool_reference';
  tool_name: string;
}

/** The result of one call. */
export interface ToolResultBlock extends Cacheable {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | (InputBlock | ToolReference)[];
  is_error?: true;
}

/** One block of a user message. */
export type UserBlock = ToolResultBlock | InputBlock;

/** Blocks that the provider made are sent back unchanged. */
export type AssistantBlock = TextBlock | ToolUseBlock;

/** One turn of the conversation. */
export type Message =
  | { role: 'user'; content: UserBlock[] }
  | { role: 'assistant'; content: AssistantBlock[] };

/** A tool that runs here. */
export interface AnthropicFunctionTool extends Cacheable {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  input_schema: { type: 'object'; [keyword: string]: JsonSchema[string] };
  /** Whether the provider enforces the schema, which must then be in its strict subset. */
  strict?: true;
  /** The model gets it where a result refers to it. */
  defer_loading?: true;
  /** Example arguments, as the model would write them. */
  input_examples?: { [key: string]: JsonObject[string] }[];
}

/** Which tool the model must call. */
export type AnthropicToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' };

/** The effort of the model, and the format of the final answer. */
export interface OutputConfig {
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  format?: { type: 'json_schema'; schema: { [keyword: string]: JsonSchema[string] } };
}

/** The body of a request as this adapter creates it. Settings of the caller are added beside these keys. */
export interface AnthropicRequest {
  model: string;
  max_tokens: number;
  /** The rendered prompt. */
  system?: TextBlock[];
  messages: Message[];
  /** Hosted tools first; entries of other codecs are in the format of those codecs. */
  tools?: (AnthropicFunctionTool | (AnthropicHostedWire & Cacheable))[];
  tool_choice?: AnthropicToolChoice;
  output_config?: OutputConfig;
  stream?: boolean;
  /** What to compare the request with, to say why the cache was missed. */
  diagnostics?: { previous_message_id: string | null };
}

/**
 * Data of a message, beside its blocks, that the next request depends on. It is the last raw item of a turn, absent without
 * such data. It is not a block and is not sent back.
 */
export interface MessageEnd {
  readonly type: 'message_end';
  /** Present when the turn is to be continued: the provider paused it. */
  readonly stop_reason?: string;
  /** The container that the provider's code ran in. */
  readonly container?: { readonly id: string };
}

/** Whether a block is thinking, readable or redacted. */
export function isThinking(block: object): boolean {
  const type = typeOf(block);
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Whether a block is a summary that the provider put in the place of the conversation before it. */
export function isCompaction(block: object): boolean {
  return typeOf(block) === 'compaction';
}

/** Whether a block is a call that the provider runs, or its result. */
export function isHosted(block: object): boolean {
  const type = typeOf(block);
  return isServerUse(block) || (typeof type === 'string' && type.endsWith('_tool_result'));
}

/** Whether a block is a call that the provider runs. */
export function isServerUse(block: object): boolean {
  const type = typeOf(block);
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

function typeOf(block: object): unknown {
  return Reflect.get(block, 'type');
}
