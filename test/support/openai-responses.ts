// Response bodies of OpenAI's Responses interface, put together by its published types.

type Item = Readonly<Record<string, unknown>>;

export const message = (text: string, more: Item = {}): Item => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

export const functionCall = (callId: string, name: string, input: unknown, more: Item = {}): Item => ({
  id: `fc_${callId}`,
  type: 'function_call',
  status: 'completed',
  call_id: callId,
  name,
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
  ...more,
});

export const reasoning = (id: string, ...summary: readonly string[]): Item => ({
  id,
  type: 'reasoning',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: `secret of ${id}`,
});

export const response = (output: readonly Item[], more: Item = {}): Item => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5',
  status: 'completed',
  error: null,
  incomplete_details: null,
  output,
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 110,
  },
  ...more,
});
