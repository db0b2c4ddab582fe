import type {
  ResponseCodeInterpreterToolCall,
  ResponseCreateParamsNonStreaming,
  ResponseCreateParamsStreaming,
  ResponseFileSearchToolCall,
  ResponseFunctionWebSearch,
  ResponseIncludable,
  ResponseInputItem,
  ResponseOutputItem,
  Tool,
  FunctionTool as VendorFunctionTool,
} from 'openai/resources/responses/responses';
import { describe, expectTypeOf, it } from 'vitest';
import type { OpenAIFunctionTool, OpenAIRequest, OpenAITypedTool } from 'weakincentives/openai';
import type { OpenAIHostedWire } from '../../src/providers/openai/hosted/codecs.ts';
import {
  toCodeInterpreter,
  toFileSearch,
  toHostedMcp,
  toImageGeneration,
  toWebSearch,
} from '../../src/providers/openai/hosted/codecs.ts';
import { checkRequest, prepareRequest } from '../../src/providers/openai/request/request.ts';
import type {
  IncludedData,
  InputItem,
  OpenAIToolChoice,
  OpenAITypedOutput,
} from '../../src/providers/openai/wire/wire.ts';

// The vendor's own types must accept whatever the adapter builds.

describe('an answer', () => {
  it('is read with these members beside those of the vendor', () => {
    // When the vendor's types have one of them, its line says so, and the guide to hosted tools is to be changed.
    type Source = NonNullable<ResponseFunctionWebSearch.Search['sources']>[number];
    expectTypeOf<Extract<keyof Source, 'title'>>().toBeNever();
    expectTypeOf<Extract<keyof ResponseFunctionWebSearch, 'error'>>().toBeNever();
    expectTypeOf<Extract<keyof ResponseFileSearchToolCall, 'error'>>().toBeNever();
    expectTypeOf<Extract<keyof ResponseCodeInterpreterToolCall, 'error'>>().toBeNever();
    // The gate itself: a member that there is is found.
    expectTypeOf<Extract<keyof ResponseOutputItem.McpCall, 'error'>>().toEqualTypeOf<'error'>();
    expectTypeOf<Extract<keyof ResponseOutputItem.ImageGenerationCall, 'error'>>().toEqualTypeOf<'error'>();
  });
});

describe('a request', () => {
  it('is one of the vendor, asked for whole or piece by piece', () => {
    expectTypeOf<Omit<OpenAIRequest, 'stream'>>().toExtend<ResponseCreateParamsNonStreaming>();
    expectTypeOf<OpenAIRequest & { stream: true }>().toExtend<ResponseCreateParamsStreaming>();
    expectTypeOf<ReturnType<typeof prepareRequest>['body']>().toExtend<OpenAIRequest>();
    expectTypeOf<InputItem>().toExtend<ResponseInputItem>();
    expectTypeOf<IncludedData>().toExtend<ResponseIncludable>();
    expectTypeOf<OpenAIToolChoice>().toExtend<NonNullable<ResponseCreateParamsNonStreaming['tool_choice']>>();
    expectTypeOf<ReturnType<typeof checkRequest>['toolChoice']>().toExtend<OpenAIToolChoice>();
  });

  it('is refused with what the vendor would refuse, so that the gate means something', () => {
    expectTypeOf<
      Omit<OpenAIRequest, 'store'> & { store: 'no' }
    >().not.toExtend<ResponseCreateParamsStreaming>();
    expectTypeOf<{ type: 'input_image'; image_url: string }>().not.toExtend<ResponseInputItem>();
    expectTypeOf<{ type: 'web_search' }>().not.toExtend<ResponseCreateParamsNonStreaming['tool_choice']>();
    expectTypeOf<'web_search_call.sources'>().not.toExtend<ResponseIncludable>();
  });
});

describe("a tool of the vendor's shape", () => {
  type KeysOf<Union> = Union extends unknown ? keyof Union : never;
  type Unknown<Wire, Known> = Exclude<KeysOf<Wire>, KeysOf<Known>>;
  type ToolOf<Type extends Tool['type']> = Extract<Tool, { type: Type }>;
  type OutputOf<Type extends OpenAITypedOutput['type']> = Extract<OpenAITypedOutput, { type: Type }>;

  it('is declared and answered as the vendor has it, with no other key', () => {
    expectTypeOf<OpenAITypedTool>().toExtend<Tool>();
    expectTypeOf<OpenAITypedTool['type']>().toExtend<Tool['type']>();
    expectTypeOf<Unknown<OpenAITypedTool, ToolOf<OpenAITypedTool['type']>>>().toBeNever();
    expectTypeOf<OutputOf<'shell_call_output'>>().toExtend<ResponseInputItem.ShellCallOutput>();
    expectTypeOf<Unknown<OutputOf<'shell_call_output'>, ResponseInputItem.ShellCallOutput>>().toBeNever();
    expectTypeOf<OutputOf<'apply_patch_call_output'>>().toExtend<ResponseInputItem.ApplyPatchCallOutput>();
    expectTypeOf<
      Unknown<OutputOf<'apply_patch_call_output'>, ResponseInputItem.ApplyPatchCallOutput>
    >().toBeNever();
    // The gate itself: what would have to be refused is.
    expectTypeOf<Unknown<{ limit: 1 }, ToolOf<'shell'>>>().toEqualTypeOf<'limit'>();
    expectTypeOf<{ type: 'shell'; environment: { type: 'remote' } }>().not.toExtend<Tool>();
    expectTypeOf<
      Omit<OutputOf<'apply_patch_call_output'>, 'status'>
    >().not.toExtend<ResponseInputItem.ApplyPatchCallOutput>();
  });
});

describe('a tool', () => {
  it('is one of the vendor', () => {
    expectTypeOf<OpenAIFunctionTool>().toExtend<VendorFunctionTool>();
    expectTypeOf<OpenAIHostedWire>().toExtend<Tool>();
    expectTypeOf(toWebSearch).returns.toExtend<Tool>();
    expectTypeOf(toCodeInterpreter).returns.toExtend<Tool>();
    expectTypeOf(toFileSearch).returns.toExtend<Tool>();
    expectTypeOf(toImageGeneration).returns.toExtend<Tool>();
    expectTypeOf(toHostedMcp).returns.toExtend<Tool>();
  });

  it('has no key that the vendor does not know', () => {
    // What extends a type may have more keys than it; a request with one of those is refused by the provider.
    type KeysOf<Union> = Union extends unknown ? keyof Union : never;
    type ToolOf<Type extends string, One = Tool> = One extends { type: infer Known }
      ? Type extends Known
        ? One
        : never
      : never;
    type Unknown<Wire extends OpenAIHostedWire> = Exclude<KeysOf<Wire>, KeysOf<ToolOf<Wire['type']>>>;
    type Of<Type extends OpenAIHostedWire['type']> = Extract<OpenAIHostedWire, { type: Type }>;
    expectTypeOf<Unknown<Of<'web_search'>>>().toBeNever();
    expectTypeOf<Unknown<Of<'code_interpreter'>>>().toBeNever();
    expectTypeOf<Unknown<Of<'file_search'>>>().toBeNever();
    expectTypeOf<Unknown<Of<'image_generation'>>>().toBeNever();
    expectTypeOf<Unknown<Of<'mcp'>>>().toBeNever();
    type Filters = NonNullable<Of<'web_search'>['filters']>;
    type Location = NonNullable<Of<'web_search'>['user_location']>;
    // The interface takes blocked domains; when the vendor's types do, too, this line says so.
    expectTypeOf<
      Exclude<keyof Filters, keyof NonNullable<ToolOf<'web_search'>['filters']>>
    >().toEqualTypeOf<'blocked_domains'>();
    expectTypeOf<keyof Location>().toExtend<keyof NonNullable<ToolOf<'web_search'>['user_location']>>();
    // The gate itself: a key that is none is found.
    expectTypeOf<
      Exclude<'blocked_domains', KeysOf<ToolOf<'web_search'>>>
    >().toEqualTypeOf<'blocked_domains'>();
  });

  it('is refused where it is none', () => {
    expectTypeOf<Omit<OpenAIFunctionTool, 'strict'>>().not.toExtend<VendorFunctionTool>();
    expectTypeOf<{ type: 'code_interpreter' }>().not.toExtend<Tool>();
    expectTypeOf<{ type: 'file_search'; vector_store_ids: string }>().not.toExtend<Tool>();
    // @ts-expect-error The interface takes blocked domains, which the vendor's types do not know yet.
    void ({ type: 'web_search', filters: { blocked_domains: ['a.example'] } } satisfies Tool);
    void ({ type: 'web_search', filters: { allowed_domains: ['a.example'] } } satisfies Tool);
    expectTypeOf<{ type: 'web_fetch' }>().not.toExtend<Tool>();
  });
});
