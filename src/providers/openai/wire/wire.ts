import type { JsonSchema } from '../../../core/schema/index.ts';
import type { OpenAILifetime } from '../../kit/index.ts';
import type { OpenAIHostedWire } from '../hosted/codecs.ts';

// The part of the Responses API that this adapter writes, with the provider's names. Lists are mutable and
// keys are snake_case because the provider's client requires it.

/** Marks the end of a prefix that the provider caches. */
export interface CacheBreakpoint {
  mode: 'explicit';
  ttl?: OpenAILifetime;
}

/** One part of a user message or a tool result. */
export type InputContent = (
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; file_url: string }
  | { type: 'input_file'; file_data: string; filename: string }
) & { prompt_cache_breakpoint?: { [Name in keyof CacheBreakpoint]: CacheBreakpoint[Name] } };

/** One entry of the conversation. Items that the provider made are sent back unchanged. */
export type InputItem =
  | { type: 'message'; role: 'user'; content: InputContent[] }
  | { type: 'message'; role: 'developer'; content: InputContent[] }
  | { type: 'message'; role: 'assistant'; content: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | {
      type: 'function_call_output';
      call_id: string;
      output: string | InputContent[];
      caller?: { [Name in keyof ProgramCaller]: ProgramCaller[Name] };
    }
  | OpenAITypedOutput
  | { type: 'additional_tools'; role: 'developer'; tools: OpenAIFunctionTool[] }
  | { type: 'mcp_approval_response'; approval_request_id: string; approve: boolean; reason?: string };

/** The program of the provider that made a call, as the call names it. */
export interface ProgramCaller {
  type: 'program';
  caller_id: string;
}

/** A tool that runs here. */
export interface OpenAIFunctionTool {
  type: 'function';
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: { [keyword: string]: JsonSchema[string] };
  /** Whether the provider enforces the schema, which must then be in its strict subset. */
  strict: boolean;
}

/** A tool of the provider's shape that runs here. */
export type OpenAITypedTool = { type: 'shell'; environment: { type: 'local' } } | { type: 'apply_patch' };

/** The answer to an item of such a shape. */
export type OpenAITypedOutput =
  | {
      type: 'shell_call_output';
      call_id: string;
      max_output_length?: number;
      output: {
        stdout: string;
        stderr: string;
        outcome: { type: 'timeout' } | { type: 'exit'; exit_code: number };
      }[];
      caller?: { [Name in keyof ProgramCaller]: ProgramCaller[Name] };
    }
  | {
      type: 'apply_patch_call_output';
      call_id: string;
      status: 'completed' | 'failed';
      output: string;
      caller?: { [Name in keyof ProgramCaller]: ProgramCaller[Name] };
    };

/** Which tools the model may call, and which it must. */
export type OpenAIToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | OpenAINamedTool
  | { type: 'allowed_tools'; mode: 'auto' | 'required'; tools: OpenAINamedTool[] };

/** One tool of a choice. A web search is named by `{ type: 'web_search' }`, which the vendor's types do not have yet. */
export type OpenAINamedTool =
  | { type: 'function'; name: string }
  | { type: 'shell' }
  | { type: 'apply_patch' }
  | { type: 'file_search' | 'code_interpreter' | 'image_generation' }
  | { type: 'mcp'; server_label: string };

/** The shape of the final answer. */
export interface AnswerFormat {
  type: 'json_schema';
  name: string;
  schema: { [keyword: string]: JsonSchema[string] };
  strict: boolean;
}

/** The body of a request as this adapter creates it. Settings of the caller are added beside these keys. */
export interface OpenAIRequest {
  model: string;
  /** The rendered prompt. */
  instructions: string;
  input: InputItem[];
  /** Whether the provider stores the response. */
  store: boolean;
  /** Additional data of the response, by the provider's names. */
  include?: IncludedData[];
  /** Hosted tools first, then those of the provider's shape. */
  tools?: (OpenAIHostedWire | OpenAITypedTool | OpenAIFunctionTool)[];
  tool_choice?: OpenAIToolChoice;
  parallel_tool_calls?: boolean;
  text?: { format?: AnswerFormat };
  /** The key of the prompt cache. */
  prompt_cache_key?: string;
  /** Lifetime of the prompt cache, and what to compare the request with. */
  prompt_cache_options?: { mode?: 'explicit'; ttl?: OpenAILifetime; comparison_response_id?: string };
  /** Present when a streamed answer is requested. */
  stream?: true;
}

/** Additional data that this adapter requests. */
export type IncludedData =
  | 'reasoning.encrypted_content'
  | 'web_search_call.action.sources'
  | 'code_interpreter_call.outputs'
  | 'file_search_call.results';
