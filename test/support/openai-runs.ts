import { readFileSync } from 'node:fs';
import {
  type AnySection,
  type EvaluateOptions,
  type Prompt,
  type PromptResponse,
  promptTemplate,
  type RunEvent,
  section,
} from 'weakincentives';
import { openai } from 'weakincentives/openai';
import type { OpenAIModelOptions } from '../../src/providers/openai/openai.ts';
import { type CapturedAnswer, type CapturedRequest, capturingFetch } from './captured-requests.ts';

/** How answers are asked for: whole, or piece by piece. */
export const modes: readonly (readonly [mode: string, options: EvaluateOptions])[] = [
  ['whole', { streaming: false }],
  ['piece by piece', { streaming: true }],
];

/** A prompt of one section, with what the test brings. */
export const promptOf = (more: Partial<Parameters<typeof section>[0]> = {}): Prompt<undefined> => {
  const only: AnySection = section({ title: 'Task', key: 'task', template: 'Do it.', ...more });
  return promptTemplate({ ns: 'test', key: 'openai', sections: [only] }).bind();
};

/** What went over the wire, and what came of it. */
export interface OpenAIRun<Output> {
  readonly result: PromptResponse<Output>;
  readonly requests: readonly CapturedRequest[];
  readonly bodies: readonly CapturedRequest['body'][];
  readonly events: readonly RunEvent[];
}

/** Runs the adapter on the vendor's own client, whose requests are captured. */
export async function runOpenAI<Output>(
  prompt: Prompt<Output>,
  answers: readonly CapturedAnswer[],
  options: EvaluateOptions = {},
  adapter: Partial<OpenAIModelOptions> = {},
): Promise<OpenAIRun<Output>> {
  const captured = capturingFetch(...answers);
  const events: RunEvent[] = [];
  const model = openai({ model: 'gpt-5', apiKey: 'key-1', fetch: captured.fetch, ...adapter });
  const result = await model.evaluate(prompt, {
    retry: false,
    observers: [{ onEvent: (event) => void events.push(event) }],
    ...options,
  });
  const { requests } = captured;
  return { result, requests, bodies: requests.map(({ body }) => body), events };
}

/** A response of the provider that was written by hand after the vendor's types. */
export function openaiFixture(name: string): Readonly<Record<string, unknown>> {
  const url = new URL(`../fixtures/hosted-tools/openai/${name}.json`, import.meta.url);
  const response: unknown = JSON.parse(readFileSync(url, 'utf8'));
  if (typeof response !== 'object' || response === null)
    throw new Error(`The fixture ${name} is not an object.`);
  return { ...response };
}
