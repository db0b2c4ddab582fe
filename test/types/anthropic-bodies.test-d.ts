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
import { type AnthropicClient, type AnthropicRequest, anthropic } from 'weakincentives/anthropic';
import type { AnthropicModule } from '../../src/providers/anthropic/client.ts';
import type {
  AnthropicHostedWire,
  McpServerWire,
  McpToolsetWire,
} from '../../src/providers/anthropic/hosted/codecs.ts';
import type {
  AnthropicFunctionTool,
  AssistantBlock,
  Message,
  UserBlock,
} from '../../src/providers/anthropic/wire.ts';
import type { anthropicTypes } from '../../src/providers/kit/index.ts';

describe("the vendor's own types", () => {
  it('accept every request that the adapter makes', () => {
    expectTypeOf<AnthropicRequest>().toExtend<MessageCreateParams>();
    expectTypeOf<Message>().toExtend<MessageParam>();
    expectTypeOf<UserBlock | AssistantBlock>().toExtend<ContentBlockParam>();
    expectTypeOf<AnthropicFunctionTool>().toExtend<Tool>();
    expectTypeOf<{ container: string }>().toExtend<Pick<MessageCreateParams, 'container'>>();
    expectTypeOf<{ thinking: { type: 'disabled' }; stop_sequences: string[] }>().toExtend<
      Pick<MessageCreateParams, 'thinking' | 'stop_sequences'>
    >();
  });

  it('accept the hosted tools in the form that their codecs give them', () => {
    expectTypeOf<AnthropicHostedWire>().toExtend<ToolUnion>();
    expectTypeOf<McpToolsetWire>().toExtend<BetaMCPToolset>();
    expectTypeOf<McpServerWire>().toExtend<BetaRequestMCPServerURLDefinition>();
    expectTypeOf<(typeof anthropicTypes.mcp)[0]['beta']>().toExtend<KnownBeta>();
  });

  it('know every key of them, since a key that they do not know is no error', () => {
    type KeysOf<Value> = Value extends unknown ? keyof Value : never;
    type Unknown<Wire, Known> = Exclude<KeysOf<Wire>, KeysOf<Known>>;
    type Of<Type extends AnthropicHostedWire['type']> = Extract<AnthropicHostedWire, { type: Type }>;
    type Vendors<Type extends AnthropicHostedWire['type']> = Extract<ToolUnion, { type: Type }>;
    expectTypeOf<Unknown<Of<'web_search_20260318'>, Vendors<'web_search_20260318'>>>().toBeNever();
    expectTypeOf<Unknown<Of<'web_fetch_20260318'>, Vendors<'web_fetch_20260318'>>>().toBeNever();
    expectTypeOf<Unknown<Of<'code_execution_20260521'>, Vendors<'code_execution_20260521'>>>().toBeNever();
    expectTypeOf<Unknown<McpToolsetWire, BetaMCPToolset>>().toBeNever();
    expectTypeOf<Unknown<McpServerWire, BetaRequestMCPServerURLDefinition>>().toBeNever();
    expectTypeOf<Unknown<{ filters: [] }, Vendors<'web_search_20260318'>>>().toEqualTypeOf<'filters'>();
    expectTypeOf<Unknown<AnthropicRequest, MessageCreateParams>>().toBeNever();
    expectTypeOf<Unknown<AnthropicFunctionTool, Tool>>().toBeNever();
  });

  it('refuse what they would have to refuse, so that the gate means something', () => {
    expectTypeOf<Omit<AnthropicFunctionTool, 'input_schema'>>().not.toExtend<Tool>();
    expectTypeOf<Omit<AnthropicRequest, 'max_tokens'>>().not.toExtend<MessageCreateParams>();
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
