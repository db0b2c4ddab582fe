import type Anthropic from '@anthropic-ai/sdk';
import type {
  BetaMCPToolset,
  BetaRequestMCPServerURLDefinition,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type {
  ContentBlockParam,
  MessageCreateParams,
  MessageParam,
  Tool,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { describe, expectTypeOf, it } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import {
  type AnthropicClient,
  type AssistantBlock,
  anthropic,
  type FunctionTool,
  type Message,
  type MessagesRequest,
  type UserBlock,
} from 'weakincentives/anthropic';
import type { AnthropicModule } from '../../src/anthropic/client.ts';

describe("the vendor's own types", () => {
  it('accept every request that the adapter makes', () => {
    expectTypeOf<MessagesRequest>().toExtend<MessageCreateParams>();
    expectTypeOf<Message>().toExtend<MessageParam>();
    expectTypeOf<UserBlock | AssistantBlock>().toExtend<ContentBlockParam>();
    expectTypeOf<FunctionTool>().toExtend<Tool>();
    expectTypeOf<{ container: string }>().toExtend<Pick<MessageCreateParams, 'container'>>();
    expectTypeOf<{ thinking: { type: 'disabled' }; stop_sequences: string[] }>().toExtend<
      Pick<MessageCreateParams, 'thinking' | 'stop_sequences'>
    >();
  });

  it('accept the hosted tools in the form that their codecs give them', () => {
    ({
      type: 'web_search_20260318',
      name: 'web_search',
      allowed_domains: ['who.int'],
      max_uses: 3,
      user_location: { type: 'approximate', country: 'GB', city: 'London', region: 'x', timezone: 'y' },
    }) satisfies ToolUnion;
    ({
      type: 'web_fetch_20260318',
      name: 'web_fetch',
      blocked_domains: ['spam.example'],
      max_uses: 2,
      max_content_tokens: 500,
      citations: { enabled: true },
    }) satisfies ToolUnion;
    ({ type: 'code_execution_20260521', name: 'code_execution' }) satisfies ToolUnion;
    ({
      type: 'mcp_toolset',
      mcp_server_name: 'wiki',
      default_config: { enabled: false },
      configs: { read: { enabled: true } },
    }) satisfies BetaMCPToolset;
    ({
      type: 'url',
      url: 'https://wiki.example/mcp',
      name: 'wiki',
      authorization_token: 'x',
    }) satisfies BetaRequestMCPServerURLDefinition;
    expectTypeOf<'mcp-client-2025-11-20'>().toExtend<KnownBeta>();
  });

  it('refuse what they would have to refuse, so that the gate means something', () => {
    expectTypeOf<Omit<FunctionTool, 'input_schema'>>().not.toExtend<Tool>();
    expectTypeOf<Omit<MessagesRequest, 'max_tokens'>>().not.toExtend<MessageCreateParams>();
    expectTypeOf<keyof MessageCreateParams & ('temperature' | 'top_p' | 'seed')>().toBeNever();
    expectTypeOf<{ type: 'tool_result'; call_id: string }>().not.toExtend<ContentBlockParam>();
    expectTypeOf<'mcp-client-2025-11-21'>().not.toExtend<KnownBeta>();
  });

  it('give a client that the adapter takes, and the module that it loads', () => {
    expectTypeOf<Anthropic>().toExtend<AnthropicClient>();
    expectTypeOf<typeof import('@anthropic-ai/sdk')>().toExtend<AnthropicModule>();
  });
});

/** The names that are written out; the vendor's type takes any text. */
type KnownBeta = Anthropic.Beta.AnthropicBeta extends infer Name
  ? Name extends string
    ? string extends Name
      ? never
      : Name
    : never
  : never;

describe('anthropic', () => {
  it('takes a client or what one is made of, not both', () => {
    const client: AnthropicClient = { messages: { create: async () => ({}) } };
    expectTypeOf(anthropic({ model: 'm', client })).toEqualTypeOf<ProviderAdapter>();
    expectTypeOf(
      anthropic({ model: 'm', authToken: 'key', baseURL: 'http://localhost' }),
    ).toEqualTypeOf<ProviderAdapter>();
    // @ts-expect-error A client has its own key.
    anthropic({ model: 'm', client, apiKey: 'key' });
    // @ts-expect-error The model is not optional.
    anthropic({ client });
    // @ts-expect-error Settings are plain JSON.
    anthropic({ model: 'm', client, settings: { thinking: () => 1 } });
  });
});
