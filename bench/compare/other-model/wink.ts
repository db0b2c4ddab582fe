import { createGoogle } from '@ai-sdk/google';
import {
  defineAgent,
  type ProviderAdapter,
  promptTemplate,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { webSearchSection } from 'weakincentives/tools';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { berthOf, check, type ProviderName } from './case.ts';

const berth = tool({
  name: 'berth',
  description: 'Where a ship lies.',
  inputSchema: z.object({ ship: z.string() }),
  effects: 'read',
  execute: ({ ship }) => ToolResult.ok(null, berthOf(ship)),
});
const task = section({ title: 'Task', key: 'task', template: 'Answer what sailors ask.', tools: [berth] });
const agent = defineAgent({
  template: promptTemplate({ ns: 'compare', key: 'other-model', sections: [task, webSearchSection()] }),
});

const adapters: Readonly<Record<ProviderName, (baseURL: string) => ProviderAdapter>> = {
  openai: (baseURL) => openai({ model: 'gpt-5', apiKey: 'none', baseURL }),
  anthropic: (baseURL) => anthropic({ model: 'claude-sonnet-5-5', apiKey: 'none', baseURL }),
  google: (baseURL) => aiSdk({ model: createGoogle({ apiKey: 'none', baseURL })('gemini-3-pro-preview') }),
};

await cell(() =>
  check(async (provider, url) => {
    const { text } = await runAgent(agent, {
      adapter: adapters[provider](url),
      input: 'Where is the Otter?',
    });
    return text;
  }),
);
