import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import {
  type AnyTool,
  type EvaluateOptions,
  type HostedTool,
  type JsonObject,
  type Prompt,
  type PromptResponse,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type AiSdkModel, type AiSdkOptions, aiSdk } from 'weakincentives/ai-sdk';
import type { GeoHint, HostedMcpConfig } from 'weakincentives/tools';
import {
  type CapturedAnswer,
  type CapturedRequest,
  capturingFetch,
} from '../../../../support/captured-requests.ts';

// Hosted tools as they leave the real provider packages, and what is read of the providers' answers behind them.

export type Create = (fetch: typeof globalThis.fetch) => AiSdkModel;

export const apiKey = 'none';
export const openai: Create = (fetch) => createOpenAI({ apiKey, fetch })('gpt-5');
export const openaiV3: Create = (fetch) => createOpenAIV3({ apiKey, fetch })('gpt-5');
export const anthropic: Create = (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5');
export const google: Create = (fetch) => createGoogle({ apiKey, fetch })('gemini-3-pro-preview');

export const add: AnyTool = tool({ name: 'add', description: 'Add.', execute: () => ToolResult.ok(null) });

export const promptOf = (hostedTools: readonly HostedTool[], tools: readonly AnyTool[] = [add]): Prompt =>
  promptTemplate({
    ns: 'test',
    key: 'hosted',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', hostedTools, tools })],
  }).bind();

export async function run(
  create: Create,
  hostedTools: readonly HostedTool[],
  answers: readonly CapturedAnswer[],
  options: EvaluateOptions = {},
  adapter: Partial<AiSdkOptions> = {},
): Promise<{ readonly response: PromptResponse; readonly requests: readonly CapturedRequest[] }> {
  const captured = capturingFetch(...answers);
  const model = aiSdk({ model: create(captured.fetch), ...adapter });
  const response = await model.evaluate(promptOf(hostedTools), { input: 'Go', retry: false, ...options });
  return { response, requests: captured.requests };
}

export const geoHint: GeoHint = { countryCode: 'GB', city: 'London', timezone: 'Europe/London' };
export const location: JsonObject = {
  type: 'approximate',
  country: 'GB',
  city: 'London',
  timezone: 'Europe/London',
};
export const docs: HostedMcpConfig = {
  label: 'docs',
  url: 'https://mcp.example/docs',
  authorization: 'token-1',
  allowedTools: ['read'],
};
