import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { type ProviderRequest, startProviders } from './servers.ts';

/*
 * Asserted: one agent, with a tool and a web search, runs with OpenAI, Anthropic and Google, and nothing of it but the model is
 * exchanged. Each provider is asked with its own web search and the tool, and the tool runs each time. The providers are servers on
 * the loopback address; packages of the vendors are what is between.
 */
const searches: Readonly<Record<string, (tool: Readonly<Record<string, unknown>>) => boolean>> = {
  openai: ({ type }) => String(type).startsWith('web_search'),
  anthropic: ({ type }) => String(type).startsWith('web_search_'),
  google: (tool) => 'googleSearch' in tool,
};

let runs = 0;

/** What the tool does, whichever system runs it. */
export function berthOf(ship: string): string {
  runs += 1;
  return `The ${ship} lies at berth 7.`;
}

export type ProviderName = 'openai' | 'anthropic' | 'google';

/** @param run runs the agent with the model of a provider at an address, and gives the last text */
export async function check(
  run: (provider: ProviderName, url: string) => Promise<string>,
): Promise<CellOutcome> {
  const providers = await startProviders();
  try {
    for (const provider of ['openai', 'anthropic', 'google'] as const) {
      const text = await run(provider, `${providers.url}/${provider}`);
      const [first]: readonly (ProviderRequest | undefined)[] = providers.requests.get(provider) ?? [];
      const tools = first?.tools ?? [];
      if (!JSON.stringify(tools).includes('"berth"')) return fails(`${provider} is asked without the tool.`);
      if (!tools.some((tool) => searches[provider]?.(tool) === true)) {
        return fails(`${provider} is asked without its web search.`);
      }
      if (!text.includes('berth 7')) return fails(`The run with ${provider} ends with "${text}".`);
    }
    if (runs !== 3) return fails(`The tool ran ${runs} times in three runs.`);
    return holds('OpenAI, Anthropic and Google are each asked with their own web search, and the tool runs.');
  } finally {
    providers.close();
  }
}
