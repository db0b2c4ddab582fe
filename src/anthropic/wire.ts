import type { JsonObject, JsonSchema } from '../schema/index.ts';
import type { HostedWire } from './hosted/codecs.ts';

// The part of the Messages interface that this adapter writes, in the provider's own words. Lists are mutable and keys are
// snake_case because that is what the provider's client takes.

/** Marks the end of what the provider shall keep, to read it again in the next request. */
export interface CacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

/** Something that a prefix to be kept may end with. */
export interface Cacheable {
  cache_control?: CacheControl;
}

/** A text block of any role. */
export interface TextBlock extends Cacheable {
  type: 'text';
  text: string;
}

/** The kinds of images that the provider takes as data. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** An image, as data or by address. */
export interface ImageBlock extends Cacheable {
  type: 'image';
  source: { type: 'base64'; media_type: ImageType; data: string } | { type: 'url'; url: string };
}

/** A PDF document as data or by address, or a text. */
export interface DocumentBlock extends Cacheable {
  type: 'document';
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'text'; media_type: 'text/plain'; data: string }
    | { type: 'url'; url: string };
  title?: string;
}

/** What a user says, and what a tool shows. */
export type InputBlock = TextBlock | ImageBlock | DocumentBlock;

/** A call that another model asked for. */
export interface ToolUseBlock extends Cacheable {
  type: 'tool_use';
  id: string;
  name: string;
  input: { [key: string]: JsonObject[string] };
}

/** The answer to one call. */
export interface ToolResultBlock extends Cacheable {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | InputBlock[];
  is_error?: true;
}

/** One piece of what the side of the user says. */
export type UserBlock = ToolResultBlock | InputBlock;

/** Blocks that the provider made are sent back as they came. */
export type AssistantBlock = TextBlock | ToolUseBlock;

/** One turn of the conversation. */
export type Message =
  | { role: 'user'; content: UserBlock[] }
  | { role: 'assistant'; content: AssistantBlock[] };

/** A tool that is called back here. */
export interface FunctionTool extends Cacheable {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  input_schema: { type: 'object'; [keyword: string]: JsonSchema[string] };
  /** Whether the provider holds the model to the schema, which must then keep to its strict subset. */
  strict?: true;
  /** Arguments as the model would write them. */
  input_examples?: { [key: string]: JsonObject[string] }[];
}

/** Which tool the model must call. */
export type WireToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' };

/** How much the model works on its answer, and the shape of the final one. */
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
  tools?: (FunctionTool | (HostedWire & Cacheable))[];
  tool_choice?: WireToolChoice;
  output_config?: OutputConfig;
  stream?: boolean;
}

/**
 * How a turn remembers what of its message, beside the blocks, the next request depends on: the last of its raw items, where
 * there is something to remember. It is not a block and is not sent back.
 */
export interface MessageEnd {
  readonly type: 'message_end';
  /** There when the turn is to go on. */
  readonly stop_reason?: 'pause_turn';
  /** The container that the provider's code ran in. */
  readonly container?: { readonly id: string };
}

/** Whether a block holds what the model thought, readable or not. */
export function isThinking(block: object): boolean {
  const type = typeOf(block);
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Whether a block asks for something that runs at the provider, or says what came of it. */
export function isHosted(block: object): boolean {
  const type = typeOf(block);
  return isServerUse(block) || (typeof type === 'string' && type.endsWith('_tool_result'));
}

/** Whether a block asks for something that runs at the provider. */
export function isServerUse(block: object): boolean {
  const type = typeOf(block);
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

function typeOf(block: object): unknown {
  return Reflect.get(block, 'type');
}
