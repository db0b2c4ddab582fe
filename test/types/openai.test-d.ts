import type OpenAI from 'openai';
import { describe, expectTypeOf, it } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import { type OpenAIClient, openai } from 'weakincentives/openai';
import type { OpenAIModule } from '../../src/providers/openai/wire/client.ts';

describe("the vendor's own types", () => {
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
