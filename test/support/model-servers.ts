import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGroq } from '@ai-sdk/groq';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import type { ProviderAdapter } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';

/** A call of the tool `look`, and what the server says with it. */
export const thought = 'The user wants me to look.';
export const answer = 'It is sunny.';
const callArguments = '{"city":"Rome"}';
const called = { name: 'look', arguments: callArguments };

/** A server that speaks chat completions, as it answers: a call of a tool first, then a text. */
export interface ModelServer {
  readonly name: string;
  /** What the table of the guide has for it. */
  readonly lines: readonly string[];
  readonly adapter: (url: string) => ProviderAdapter;
  readonly path: string;
  /** `undefined`: the request has no key. */
  readonly authorization: string | undefined;
  /** Answers in one piece. */
  readonly bodies: readonly [object, object];
  /** The same as a stream: events, and texts that are comments. */
  readonly streams: readonly [readonly (object | string)[], readonly (object | string)[]];
  /** What the second request has of the first answer, in the message of the assistant. */
  readonly repeated: object;
  /** The server says what the model thought, and the adapter reads it. */
  readonly isThoughtRead: boolean;
}

const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
const head = { id: 'chatcmpl-1', created: 1_764_500_000, model: 'm' };
const whole = { ...head, object: 'chat.completion' };
const piece = { ...head, object: 'chat.completion.chunk' };

/** An answer with one choice. */
const body = (message: object, finish: string, more: object = {}, choice: object = {}): object => ({
  ...whole,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', ...message },
      logprobs: null,
      finish_reason: finish,
      ...choice,
    },
  ],
  usage,
  ...more,
});
const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  ...piece,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  ...more,
});
const counted = (more: object = {}): object => ({ ...piece, choices: [], usage, ...more });

/** The line of the guide for servers of one's own. */
const local = (name: string) => (url: string) =>
  aiSdk({ model: createOpenAICompatible({ name, baseURL: `${url}/v1`, includeUsage: true })('m') });
const localLines = ['`@ai-sdk/openai-compatible`'];

const ollama: ModelServer = {
  name: 'Ollama',
  lines: [...localLines, '`http://127.0.0.1:11434/v1`'],
  adapter: local('ollama'),
  path: '/v1/chat/completions',
  authorization: undefined,
  // Earlier versions end a turn with calls with "stop"; a call has its index in answers of one piece, too.
  bodies: [
    body(
      {
        content: '',
        reasoning: thought,
        tool_calls: [{ id: 'call_1', index: 0, type: 'function', function: called }],
      },
      'stop',
      { system_fingerprint: 'fp_ollama' },
    ),
    body({ content: answer }, 'stop', { system_fingerprint: 'fp_ollama' }),
  ],
  streams: [
    [
      chunk({ role: 'assistant', content: '', reasoning: thought }),
      chunk({
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', index: 0, type: 'function', function: called }],
      }),
      chunk({ role: 'assistant', content: '' }, 'stop'),
      counted({ system_fingerprint: 'fp_ollama' }),
    ],
    [
      chunk({ role: 'assistant', content: answer }),
      chunk({ role: 'assistant', content: '' }, 'stop'),
      counted(),
    ],
  ],
  repeated: { tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
  isThoughtRead: true,
};

/** What vLLM has in a message, whether or not there is any. */
const nulls = { refusal: null, annotations: null, audio: null, function_call: null };
const vllm: ModelServer = {
  name: 'vLLM',
  lines: [...localLines, '`http://127.0.0.1:8000/v1`'],
  adapter: local('vllm'),
  path: '/v1/chat/completions',
  authorization: undefined,
  bodies: [
    body(
      {
        ...nulls,
        content: null,
        reasoning: null,
        reasoning_content: null,
        tool_calls: [{ id: 'chatcmpl-tool-1', type: 'function', function: called }],
      },
      'tool_calls',
      {
        service_tier: null,
        system_fingerprint: null,
        usage: { ...usage, prompt_tokens_details: null },
        prompt_logprobs: null,
        kv_transfer_params: null,
      },
      { stop_reason: null, token_ids: null },
    ),
    body(
      { ...nulls, content: answer, reasoning_content: null, tool_calls: [] },
      'stop',
      {},
      { stop_reason: null },
    ),
  ],
  streams: [
    [
      chunk({ role: 'assistant', content: '', reasoning_content: null }),
      chunk({
        tool_calls: [
          {
            id: 'chatcmpl-tool-1',
            type: 'function',
            index: 0,
            function: { name: 'look', arguments: '{"city": ' },
          },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] }),
      chunk({}, 'tool_calls', { usage: null }),
      counted(),
    ],
    [chunk({ role: 'assistant', content: '' }), chunk({ content: answer }), chunk({}, 'stop'), counted()],
  ],
  repeated: { tool_calls: [{ id: 'chatcmpl-tool-1', type: 'function' }] },
  isThoughtRead: false,
};

const lmStudio: ModelServer = {
  name: 'LM Studio',
  lines: [...localLines, '`http://127.0.0.1:1234/v1`'],
  adapter: local('lm-studio'),
  path: '/v1/chat/completions',
  authorization: undefined,
  // A message with calls has no content at all.
  bodies: [
    body({ tool_calls: [{ type: 'function', id: '365174485', function: called }] }, 'tool_calls', {
      stats: {},
      system_fingerprint: 'm',
    }),
    body({ content: answer, reasoning_content: '', tool_calls: [] }, 'stop', { stats: {} }),
  ],
  streams: [
    [
      chunk({
        role: 'assistant',
        tool_calls: [
          { index: 0, id: '365174485', type: 'function', function: { name: 'look', arguments: '' } },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: callArguments } }] }),
      chunk({}, 'tool_calls'),
      counted(),
    ],
    [chunk({ role: 'assistant', content: answer }), chunk({}, 'stop'), counted()],
  ],
  repeated: { tool_calls: [{ id: '365174485', type: 'function', function: called }] },
  isThoughtRead: false,
};

const groqTimes = { queue_time: 0.05, prompt_time: 0.01, completion_time: 0.02, total_time: 0.03 };
const groq: ModelServer = {
  name: 'Groq',
  lines: ['`@ai-sdk/groq`', "`aiSdk({ model: groq('…') })`"],
  adapter: (url) => aiSdk({ model: createGroq({ baseURL: `${url}/openai/v1`, apiKey: 'key' })('m') }),
  path: '/openai/v1/chat/completions',
  authorization: 'Bearer key',
  bodies: [
    body(
      { reasoning: thought, tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
      'tool_calls',
      {
        usage: { ...usage, ...groqTimes },
        usage_breakdown: null,
        x_groq: { id: 'req_1' },
        service_tier: 'on_demand',
      },
    ),
    body({ content: answer }, 'stop', { x_groq: { id: 'req_2' } }),
  ],
  streams: [
    [
      chunk({ role: 'assistant', content: null }, null, { x_groq: { id: 'req_1' } }),
      chunk({ reasoning: thought }),
      chunk({ tool_calls: [{ id: 'call_1', type: 'function', function: called, index: 0 }] }),
      // The usage is in the extension, and since 2025 beside it.
      chunk({}, 'tool_calls', { x_groq: { id: 'req_1', usage: { ...usage, ...groqTimes } } }),
    ],
    [
      chunk({ role: 'assistant', content: '' }, null, { x_groq: { id: 'req_2' } }),
      chunk({ content: answer }),
      chunk({}, 'stop', { x_groq: { id: 'req_2', usage: { ...usage, ...groqTimes } } }),
    ],
  ],
  repeated: { tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
  isThoughtRead: true,
};

const deepSeekUsage = {
  ...usage,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 3 },
  prompt_cache_hit_tokens: 8,
  prompt_cache_miss_tokens: 12,
};
const deepSeek: ModelServer = {
  name: 'DeepSeek',
  lines: ['`@ai-sdk/deepseek`', "`aiSdk({ model: deepseek('deepseek-chat') })`"],
  adapter: (url) => aiSdk({ model: createDeepSeek({ baseURL: url, apiKey: 'key' })('deepseek-reasoner') }),
  path: '/chat/completions',
  authorization: 'Bearer key',
  bodies: [
    body(
      {
        content: '',
        reasoning_content: thought,
        tool_calls: [{ index: 0, id: 'call_00_1', type: 'function', function: called }],
      },
      'tool_calls',
      { usage: deepSeekUsage, system_fingerprint: 'fp_1' },
    ),
    body({ content: answer, reasoning_content: '' }, 'stop', { usage: deepSeekUsage }),
  ],
  streams: [
    [
      // While the server is busy it sends comments.
      ': keep-alive',
      chunk({ role: 'assistant', content: null, reasoning_content: '' }),
      chunk({ content: null, reasoning_content: thought }),
      chunk({
        tool_calls: [
          { index: 0, id: 'call_00_1', type: 'function', function: { name: 'look', arguments: '' } },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: callArguments } }] }),
      chunk({ content: '', reasoning_content: null }, 'tool_calls', { usage: deepSeekUsage }),
    ],
    [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: answer }),
      chunk({ content: '' }, 'stop', { usage: deepSeekUsage }),
    ],
  ],
  // A model that thinks refuses a conversation without what it thought before its calls.
  repeated: {
    reasoning_content: thought,
    tool_calls: [{ id: 'call_00_1', type: 'function', function: called }],
  },
  isThoughtRead: true,
};

const routed = { provider: 'Together', system_fingerprint: null };
const routedUsage = {
  ...usage,
  cost: 0.00014,
  is_byok: false,
  cost_details: { upstream_inference_cost: null },
};
const details = [
  { type: 'reasoning.text', text: thought, signature: 's1', format: 'anthropic-claude-v1', index: 0 },
];
const openRouter: ModelServer = {
  name: 'OpenRouter',
  lines: ['`@openrouter/ai-sdk-provider`', "`aiSdk({ model: openrouter('…') })`"],
  adapter: (url) => aiSdk({ model: createOpenRouter({ baseURL: `${url}/api/v1`, apiKey: 'key' })('m') }),
  path: '/api/v1/chat/completions',
  authorization: 'Bearer key',
  bodies: [
    body(
      {
        content: '',
        refusal: null,
        reasoning: thought,
        reasoning_details: details,
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }],
      },
      'tool_calls',
      { ...routed, usage: routedUsage },
      { native_finish_reason: 'tool_calls' },
    ),
    body({ content: answer, refusal: null, reasoning: null }, 'stop', { ...routed, usage: routedUsage }),
  ],
  streams: [
    [
      ': OPENROUTER PROCESSING',
      ': OPENROUTER PROCESSING',
      chunk({ role: 'assistant', content: '', reasoning: thought, reasoning_details: details }, null, routed),
      chunk(
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }],
        },
        null,
        routed,
      ),
      chunk({ role: 'assistant', content: '' }, 'tool_calls', routed),
      ': OPENROUTER PROCESSING',
      chunk({ role: 'assistant', content: '' }, null, { ...routed, usage: routedUsage }),
    ],
    [
      ': OPENROUTER PROCESSING',
      chunk({ role: 'assistant', content: answer }, null, routed),
      chunk({ role: 'assistant', content: '' }, 'stop', routed),
      chunk({ role: 'assistant', content: '' }, null, { ...routed, usage: routedUsage }),
    ],
  ],
  repeated: {
    reasoning_details: details,
    tool_calls: [{ id: 'call_1', type: 'function', function: called }],
  },
  isThoughtRead: true,
};

export const modelServers: readonly ModelServer[] = [ollama, vllm, lmStudio, openRouter, groq, deepSeek];

/** A server that speaks the Responses interface. */
export interface ResponsesServer {
  readonly name: string;
  readonly bodies: readonly [object, object];
}

const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_764_500_000,
  status: 'completed',
  model: 'm',
};
const spent = { input_tokens: 20, output_tokens: 5, total_tokens: 25 };
const callItem = { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...called };
const thoughtItem = { type: 'reasoning', id: 'rs_1', summary: [] };
const textItem = (part: object): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: answer, ...part }],
});

export const responsesServers: readonly ResponsesServer[] = [
  {
    name: 'Ollama',
    bodies: [
      { ...response, output: [{ ...callItem, status: 'completed' }], usage: spent },
      { ...response, output: [textItem({})], usage: spent },
    ],
  },
  {
    name: 'vLLM',
    bodies: [
      {
        ...response,
        error: null,
        incomplete_details: null,
        instructions: null,
        metadata: null,
        output: [
          {
            ...thoughtItem,
            content: [{ type: 'reasoning_text', text: thought }],
            encrypted_content: null,
            status: null,
          },
          { ...callItem, status: 'completed' },
        ],
        usage: {
          ...spent,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens_details: { reasoning_tokens: 0 },
        },
      },
      {
        ...response,
        error: null,
        incomplete_details: null,
        output: [textItem({ annotations: [], logprobs: null })],
        usage: spent,
      },
    ],
  },
  {
    name: 'LM Studio',
    bodies: [
      {
        ...response,
        output: [{ ...thoughtItem, content: [{ type: 'reasoning_text', text: thought }] }, callItem],
        usage: { ...spent, output_tokens_details: { reasoning_tokens: 3 } },
        previous_response_id: null,
      },
      { ...response, output: [textItem({ annotations: [] })], usage: spent },
    ],
  },
];
