// Messages of Anthropic's Messages interface, put together by its published types.

export type Block = Readonly<Record<string, unknown>>;
export type AnthropicMessage = Readonly<Record<string, unknown>> & { readonly content: readonly Block[] };

export const text = (words: string, citations: readonly Block[] | null = null): Block => ({
  type: 'text',
  text: words,
  citations,
});

export const thinking = (words: string, signature = `signed: ${words}`): Block => ({
  type: 'thinking',
  thinking: words,
  signature,
});

export const toolUse = (id: string, name: string, input: unknown): Block => ({
  type: 'tool_use',
  id,
  caller: { type: 'direct' },
  name,
  input,
});

/** Something that the provider runs itself. */
export const serverToolUse = (id: string, name: string, input: unknown): Block => ({
  type: 'server_tool_use',
  id,
  caller: { type: 'direct' },
  name,
  input,
});

export const message = (
  content: readonly Block[],
  more: Readonly<Record<string, unknown>> = {},
): AnthropicMessage => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5-5',
  container: null,
  diagnostics: null,
  stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  stop_details: null,
  usage: {
    cache_creation: null,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 60,
    inference_geo: null,
    input_tokens: 20,
    output_tokens: 10,
    output_tokens_details: { thinking_tokens: 4 },
    server_tool_use: null,
    service_tier: 'standard',
    speed: null,
  },
  ...more,
  content,
});
