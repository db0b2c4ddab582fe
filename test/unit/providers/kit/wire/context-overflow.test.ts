import { describe, expect, it } from 'vitest';
import { isContextOverflow } from '../../../../../src/providers/kit/wire/context-overflow.ts';

describe('a request that is too long', () => {
  it.each([
    [
      'OpenAI',
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    [
      'OpenAI, older',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ],
    [
      'OpenAI, older still',
      'However you requested 4226 tokens. Please reduce your prompt; or completion length.',
    ],
    [
      'OpenAI, a limit of the account',
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300021 tokens.',
    ],
    [
      'Azure',
      "This model's maximum context length is 128000 tokens, however you requested 130000 tokens (126000 in your prompt; 4000 for the completion).",
    ],
    ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum'],
    [
      'Anthropic with room for an answer',
      'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again',
    ],
    ['Bedrock', 'Input is too long for requested model.'],
    [
      'Bedrock, another model',
      'Too many input tokens. Max input tokens: 8192, request input token count: 8627',
    ],
    ['Gemini', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
    [
      'Vertex',
      'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576.',
    ],
    [
      'vLLM',
      "This model's maximum context length is 4096 tokens. However, you requested 5096 tokens (4596 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      'vLLM by prompt',
      'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ],
    [
      'vLLM with an engine',
      'The prompt (total length 5000) is too long to fit into the model (context length 4096).',
    ],
    ['vLLM without room', 'max_tokens must be at least 1, got -186.'],
    [
      'llama.cpp',
      'the request exceeds the available context size. try increasing the context size or enable context shift',
    ],
    [
      'llama.cpp with numbers',
      'request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it',
    ],
    ['llama-cpp-python', 'Requested tokens (2285) exceed context window of 2048'],
    ['Ollama', 'the input length exceeds the context length'],
    ['Ollama in the cloud', 'prompt too long; exceeded max context length by 100918 tokens'],
    [
      'LM Studio',
      'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    ],
    [
      'LM Studio 0.3',
      'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    ],
    ['LM Studio 0.4', 'Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)'],
    ['LM Studio with MLX', 'Context size has been exceeded.'],
    [
      'TGI',
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512. Given: 1000 `inputs` tokens and 1024 `max_new_tokens`',
    ],
    ['TGI by input', 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1168'],
    ['SGLang', "The input (61709 tokens) is longer than the model's context length (40960 tokens)."],
    [
      'SGLang with an answer',
      "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens.",
    ],
    [
      'SGLang by memory',
      'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input or enable --allow-auto-truncate.',
    ],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    [
      'Together',
      '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 512 `max_new_tokens`',
    ],
    ['Fireworks', 'The prompt is too long: 40177, model maximum context length: 32767'],
    [
      'Mistral',
      'Prompt contains 40012 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ],
    [
      'DeepSeek',
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion).",
    ],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 200000 tokens. However, you requested about 250000 tokens.",
    ],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ['GitHub Copilot', 'prompt token count of 130000 exceeds the limit of 128000'],
    ['MiniMax', 'invalid params, context window exceeds limit'],
    ['Kimi', 'Your request exceeded model token limit: 262144 (requested: 300000)'],
    ['DashScope', 'Range of input length should be [1, 129024]'],
    ['Cohere', 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292'],
    ['watsonx', 'the number of input tokens 8193 cannot exceed the total tokens limit 8192 for this model'],
    ['z.ai', 'Prompt too long'],
  ])('is recognized as %s words it', (_server, message) => {
    expect(isContextOverflow(message)).toBe(true);
    expect(isContextOverflow(`HTTP 400: ${message}`)).toBe(true);
  });

  it.each([
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Requested 31000.',
    'Too many tokens, please wait before trying again: rate limit.',
    'ThrottlingException: Too many tokens',
    'Too many requests',
    'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens',
    "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
    "Invalid 'tools[0].function.name': string too long.",
    'messages.1.content.0.image.source.base64: image exceeds 5 MB maximum',
    'tools.0.name: name is too long',
    'Unknown parameter: context_window',
    'You exceeded your current quota, please check your plan and billing details.',
    'model not found',
    '',
  ])('is not what this says: %s', (message) => {
    expect(isContextOverflow(message)).toBe(false);
  });
});
