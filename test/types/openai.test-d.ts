import type OpenAI from 'openai';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  FunctionTool as VendorFunctionTool,
} from 'openai/resources/responses/responses';
import { describe, expectTypeOf, it } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import {
  type FunctionTool,
  type InputItem,
  type OpenAIClient,
  openai,
  type ResponsesRequest,
} from 'weakincentives/openai';
import type { OpenAIModule } from '../../src/openai/client.ts';

describe("the vendor's own types", () => {
  it('accept every request that the adapter makes', () => {
    expectTypeOf<ResponsesRequest>().toExtend<ResponseCreateParamsNonStreaming>();
    expectTypeOf<InputItem>().toExtend<ResponseInputItem>();
    expectTypeOf<FunctionTool>().toExtend<VendorFunctionTool>();
  });

  it('refuse what they would have to refuse, so that the gate means something', () => {
    expectTypeOf<Omit<FunctionTool, 'strict'>>().not.toExtend<VendorFunctionTool>();
    expectTypeOf<
      Omit<ResponsesRequest, 'store'> & { store: 'no' }
    >().not.toExtend<ResponseCreateParamsNonStreaming>();
    expectTypeOf<{ type: 'input_image'; image_url: string }>().not.toExtend<ResponseInputItem>();
  });

  it('give a client that the adapter takes, and the module that it loads', () => {
    expectTypeOf<OpenAI>().toExtend<OpenAIClient>();
    expectTypeOf<typeof import('openai')>().toExtend<OpenAIModule>();
  });
});

describe('openai', () => {
  it('takes a client or what one is made of, not both', () => {
    const client: OpenAIClient = { responses: { create: async () => ({}) } };
    expectTypeOf(openai({ model: 'm', client })).toEqualTypeOf<ProviderAdapter>();
    expectTypeOf(
      openai({ model: 'm', apiKey: 'key', baseURL: 'http://localhost/v1' }),
    ).toEqualTypeOf<ProviderAdapter>();
    // @ts-expect-error A client has its own key.
    openai({ model: 'm', client, apiKey: 'key' });
    // @ts-expect-error The model is not optional.
    openai({ client });
    // @ts-expect-error Settings are plain JSON.
    openai({ model: 'm', client, settings: { temperature: () => 1 } });
  });
});
