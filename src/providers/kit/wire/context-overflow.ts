import { startOf } from '../../../core/internal/index.ts';

/** Only this many characters of a message are examined; servers report an overflow in the first sentences. */
const maxRead = 4_000;

/** How servers report that a request exceeds the context window, by their current messages. */
const wordings: readonly RegExp[] = [
  // OpenAI, Azure, vLLM, DeepSeek, OpenRouter, Fireworks, Mistral, SGLang; xAI says "maximum prompt length".
  /maximum (context|prompt|model|input|sequence) (length|window|size)/i,
  // llama.cpp, Ollama, MiniMax, Anthropic, LM Studio, llama-cpp-python.
  /\b(exceed(s|ed|ing)?|longer than|larger than|greater than)\b.{0,60}\bcontext (window|length|size|limit)/is,
  /\bcontext[ _](window|length|size|limit)\b.{0,40}\bexceed/is,
  /\b(configured context size|model['’]?s context (length|window)|max context length)\b/i,
  // LM Studio, also when used as a library.
  /\btokens to keep from the initial prompt\b|\bwhen context the overflows\b|\bn_keep\b.{0,40}\bn_ctx\b/i,
  // Anthropic, Bedrock, Fireworks, Ollama, z.ai; vLLM puts the length of the prompt in between.
  /\b(prompt|input|request|conversation)( \([^)]{0,60}\))? (is )?too long\b/i,
  // Mistral.
  /\btokens\b.{0,60}\btoo large for model\b/i,
  // Gemini, Vertex, OpenAI, GitHub Copilot, watsonx, Cohere.
  /\b(input|prompt|requested|total) tokens?( count)?\b.{0,80}\b(exceeds?|supports up to|supports only)\b/is,
  /\btokens?( limit)?\b.{0,60}\bcannot exceed\b|\btoken limit exceeded\b|\bexceeded model token limit\b/i,
  // SGLang, Together, Poolside, vLLM.
  /\b(input|prompt)( length)?\b.{0,40}\b(is longer than the|exceeds? (the )?maximum allowed)\b/is,
  // Text Generation Inference, and Together, which runs it.
  /`inputs`.{0,40}\bmust (be <=|have less than)/is,
  // Groq, Cerebras, vLLM and OpenAI's older models.
  /\breduce (the length of (the|your) (input|messages|prompt)|your prompt)\b/i,
  /\btoo many (input )?tokens\b/i,
  // DashScope.
  /\brange of input length\b/i,
  // vLLM before 0.6, when the prompt leaves no room for an answer.
  /\bmax_tokens must be at least 1, got -\d/i,
];

/** Rate limits are about tokens, too, but pass with time. */
const aboutRate = /rate.?limit|too many requests|per (second|minute|hour|day)\b|throttl|quota/i;

/**
 * True when a server's message reports that the request exceeds the context window. Error codes are more reliable, but most
 * compatible servers send none.
 */
export function isContextOverflow(message: string): boolean {
  const start = startOf(message, maxRead);
  return !aboutRate.test(start) && wordings.some((wording) => wording.test(start));
}
