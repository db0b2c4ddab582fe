import { createAnthropic } from '@ai-sdk/anthropic';
import { Anthropic } from '@anthropic-ai/sdk';
import { OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { aiSdk } from 'weakincentives/ai-sdk';
import { type AnthropicOptions, anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { hostedMcpTool } from 'weakincentives/tools';
import { joinHeaders } from '../../../../../src/providers/kit/wire/headers.ts';
import { message, text } from '../../../../support/anthropic-messages.ts';
import { capturingFetch } from '../../../../support/captured-requests.ts';
import { message as openaiMessage, response } from '../../../../support/openai-responses.ts';
import { promptOf } from '../../../../support/prompt-of.ts';

const docs = hostedMcpTool({
  config: { label: 'docs', url: 'https://docs.example/mcp', approval: 'never' },
  name: 'docs',
});
const prompt = promptOf({ hostedTools: [docs] });
const mcp = 'mcp-client-2025-11-20';

/** The beta features that a request names, whatever names them. */
async function featuresOf(options: (send: typeof fetch) => Partial<AnthropicOptions>, asked = prompt) {
  const { fetch, requests } = capturingFetch(message([text('Done.')]));
  const { client, ...others } = options(fetch);
  const adapter =
    client === undefined
      ? anthropic({ model: 'm', apiKey: 'k', fetch, ...others })
      : anthropic({ model: 'm', client, ...others } as AnthropicOptions);
  await adapter.evaluate(asked);
  return requests[0]?.headers.get('anthropic-beta')?.split(/, ?/);
}

describe('the beta features of a request to Anthropic', () => {
  it.each<readonly [string, (send: typeof fetch) => object]>([
    ['headers', () => ({ defaultHeaders: { 'anthropic-beta': 'mine-1' } })],
    ['headers in another case', () => ({ defaultHeaders: { 'Anthropic-Beta': 'mine-1' } })],
    [
      'headers as an object of their own',
      () => ({ defaultHeaders: new Headers({ 'anthropic-beta': 'mine-1' }) }),
    ],
    [
      'the headers of a client',
      (send) => ({
        client: new Anthropic({ apiKey: 'k', fetch: send, defaultHeaders: { 'Anthropic-Beta': 'mine-1' } }),
      }),
    ],
  ])('are those of hosted tools and those of %s', async (_what, options) => {
    expect(await featuresOf(options)).toEqual(['mine-1', mcp]);
    expect(await featuresOf((send) => ({ ...options(send), betas: ['mine-1', 'mine-2'] }))).toEqual([
      'mine-1',
      'mine-2',
      mcp,
    ]);
    expect(await featuresOf(options, promptOf())).toEqual(['mine-1']);
  });
});

describe('through the AI SDK', () => {
  const headersOf = async (adapterOptions: object, settings: object) => {
    const { fetch, requests } = capturingFetch(message([text('Done.')]));
    const model = createAnthropic({ apiKey: 'k', fetch, headers: { 'anthropic-beta': 'provider-1' } })('m');
    await aiSdk({ model, ...adapterOptions }).evaluate(prompt, { settings: { ...settings } });
    return requests[0]?.headers;
  };

  it('features of all sources are sent', async () => {
    const headers = await headersOf(
      {
        headers: { 'Anthropic-Beta': 'adapter-1', 'X-Team': 'a' },
        providerOptions: { anthropic: { anthropicBeta: ['adapter-2'] } },
        settings: { headers: { 'anthropic-beta': 'settings-1' } },
      },
      {
        headers: { 'ANTHROPIC-BETA': 'run-1, adapter-1', 'x-team': 'b' },
        providerOptions: { anthropic: { anthropicBeta: ['run-2', 'adapter-2'] } },
      },
    );
    const features = headers?.get('anthropic-beta')?.split(/, ?/) ?? [];
    expect(features.toSorted()).toEqual([
      'adapter-1',
      'adapter-2',
      'mcp-client-2025-04-04',
      'provider-1',
      'run-1',
      'run-2',
      'settings-1',
    ]);
    expect(headers?.get('x-team')).toBe('b');
  });

  it('headers may be an object of their own', async () => {
    const headers = await headersOf({ headers: new Headers({ 'x-team': 'a' }) }, {});
    expect(headers?.get('x-team')).toBe('a');
  });
});

it('the features of OpenAI are kept beside those of a codec', async () => {
  const { fetch, requests } = capturingFetch(response([openaiMessage('Done.')]));
  const codec = {
    kind: 'mcp',
    serialize: () => ({ tools: [], headers: { 'OpenAI-Beta': 'codec=v1', 'x-own': 'codec' } }),
    parseOutput: () => undefined,
  };
  const client = new OpenAI({
    apiKey: 'k',
    fetch,
    defaultHeaders: { 'OpenAI-Beta': 'mine=v2', 'x-own': 'mine' },
  });
  await openai({ model: 'm', client, hostedToolCodecs: { mcp: codec } }).evaluate(prompt);
  const { headers } = requests[0] ?? {};
  expect([headers?.get('openai-beta'), headers?.get('x-own')]).toEqual(['mine=v2,codec=v1', 'codec']);
});

it('headers of any form are joined by their names', () => {
  expect(
    joinHeaders(
      { A: '1', 'x-beta': ['a', 'b'], none: null },
      [['a', '2']],
      new Headers({ 'X-Beta': 'b,c' }),
      undefined,
      'text',
    ),
  ).toEqual({ a: '2', 'x-beta': 'a,b,c' });
});
