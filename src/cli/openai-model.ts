import type { ProviderAdapter } from '../adapter/index.ts';
import type { OpenaiOptions } from './choose-model.ts';

/** An adapter for OpenAI, or for a server that speaks its interface. Loaded only when a run asks for the network. */
export async function createOpenai({ model, baseURL, apiKey }: OpenaiOptions): Promise<ProviderAdapter> {
  const { openai } = await import('../openai/index.ts');
  return openai({
    model,
    name: `openai:${model}`,
    apiKey,
    ...(baseURL === undefined ? {} : { baseURL }),
  });
}
