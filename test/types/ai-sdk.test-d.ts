import type { AnthropicProvider } from '@ai-sdk/anthropic';
import type { GoogleProvider } from '@ai-sdk/google';
import type { OpenAIProvider } from '@ai-sdk/openai';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test';
import type { OpenAIProvider as OpenAIProviderV3 } from 'ai-sdk-openai-v3';
import type { LanguageModelV2, LanguageModelV3, LanguageModelV3CallOptions } from 'ai-sdk-provider-v3';
import { describe, expectTypeOf, it } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import { type AiSdkModel, aiSdk, aiSdkHostedToolCodecs } from 'weakincentives/ai-sdk';
import type { AiSdkCallOptions } from '../../src/providers/ai-sdk/wire/call-options.ts';

describe("the AI SDK's own types", () => {
  it('accept every call that the adapter makes', () => {
    expectTypeOf<AiSdkCallOptions<'v4'>>().toExtend<LanguageModelV4CallOptions>();
    expectTypeOf<AiSdkCallOptions<'v3'>>().toExtend<LanguageModelV3CallOptions>();
  });

  it('refuse what they would have to refuse, so that the gate means something', () => {
    expectTypeOf<AiSdkCallOptions<'v3'>>().not.toExtend<LanguageModelV4CallOptions>();
    expectTypeOf<AiSdkCallOptions<'v4'>>().not.toExtend<LanguageModelV3CallOptions>();
    expectTypeOf<
      Omit<AiSdkCallOptions<'v4'>, 'seed'> & { seed: string }
    >().not.toExtend<LanguageModelV4CallOptions>();
    expectTypeOf<
      Omit<AiSdkCallOptions<'v4'>, 'tools'> & {
        tools: { type: 'provider'; id: string; name: string; args: object }[];
      }
    >().not.toExtend<LanguageModelV4CallOptions>();
  });

  it('give models that the adapter takes', () => {
    expectTypeOf<LanguageModelV4>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV2>().not.toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<OpenAIProvider>>().toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<AnthropicProvider>>().toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<GoogleProvider>>().toExtend<AiSdkModel>();
    expectTypeOf<ReturnType<OpenAIProviderV3>>().toExtend<AiSdkModel>();
    expectTypeOf<MockLanguageModelV4>().toExtend<AiSdkModel>();
    expectTypeOf<MockLanguageModelV3>().toExtend<AiSdkModel>();
  });
});

describe('aiSdk', () => {
  it('takes a model and plain options', () => {
    const model: AiSdkModel = {
      specificationVersion: 'v4',
      provider: 'here',
      modelId: 'm',
      doGenerate: async () => ({}),
      doStream: async () => ({ stream: new ReadableStream() }),
    };
    expectTypeOf(
      aiSdk({
        model,
        providerOptions: { openai: { store: false } },
        settings: { maxOutputTokens: 100, topK: 3 },
        hostedToolCodecs: aiSdkHostedToolCodecs.openai,
      }),
    ).toEqualTypeOf<ProviderAdapter>();
    // @ts-expect-error Names of models need a gateway that this adapter does not know.
    aiSdk({ model: 'openai/gpt-5' });
    // @ts-expect-error Options of a provider are plain JSON.
    aiSdk({ model, providerOptions: { openai: { store: () => false } } });
  });
});
