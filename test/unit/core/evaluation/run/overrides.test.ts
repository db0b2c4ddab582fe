import { describe, expect, it } from 'vitest';
import {
  type OverridesStore,
  type Prompt,
  PromptEvaluationError,
  type PromptIdentity,
  type PromptOverrides,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { openai } from 'weakincentives/openai';
import type { ModelRequest } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { capturingFetch } from '../../../../support/captured-requests.ts';
import { message, response } from '../../../../support/openai-responses.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const search = tool({
  name: 'search',
  description: 'Finds flights.',
  inputSchema: z.object({ city: z.string().describe('Where to.') }),
  effects: 'read',
  execute: ({ city }) => ToolResult.ok(city),
});
const prompt = promptTemplate({
  ns: 'travel',
  key: 'booking',
  sections: [section({ title: 'Guide', key: 'guide', template: 'Help.', tools: [search] })],
}).bind();

/** The prompt's seed with other words for the body, the tool and its parameter. */
function reworded(of: Prompt, tag = 'latest'): PromptOverrides {
  const { sections, tools, ...rest } = of.seedOverrides(tag);
  const { body = { hash: '', text: '' } } = sections['guide'] ?? {};
  const { contract = '', description = { hash: '', text: '' }, params = {} } = tools['search'] ?? {};
  const city = params['city'] ?? { hash: '', text: '' };
  return {
    ...rest,
    sections: { guide: { body: { ...body, text: `Serve (${tag}).` } } },
    tools: {
      search: {
        contract,
        description: { ...description, text: 'Looks for flights.' },
        params: { city: { ...city, text: 'The destination.' } },
      },
    },
  };
}

/** A store that holds these, and remembers what it was asked for. */
function storeOf(
  ...held: readonly PromptOverrides[]
): Pick<OverridesStore, 'load'> & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  return {
    asked,
    load: async ({ ns, key }: PromptIdentity, tag) => {
      asked.push(`${ns}/${key}/${tag}`);
      return held.find((each) => each.ns === ns && each.key === key && each.tag === tag);
    },
  };
}

/** Evaluates with a model that ends at once; resolves with what it was asked. */
async function requestOf(
  options: Parameters<ReturnType<typeof scriptedAdapter>['evaluate']>[1],
): Promise<ModelRequest> {
  const requests: ModelRequest[] = [];
  const adapter = scriptedAdapter((_conversation, request) => {
    requests.push(request);
    return { text: 'Done.' };
  });
  await adapter.evaluate(prompt, options);
  const [request] = requests;
  if (request === undefined) throw new Error('The model was not asked.');
  return request;
}

describe('an evaluation with overrides', () => {
  it('tells the model the other texts, in the instructions and in the tools', async () => {
    const { instructions, tools } = await requestOf({ overrides: { store: storeOf(reworded(prompt)) } });
    expect(instructions).toBe('## 1. Guide (guide)\n\nServe (latest).');
    expect(tools[0]).toMatchObject({
      description: 'Looks for flights.',
      inputSchema: {
        properties: { city: { type: 'string', description: 'The destination.' } },
        additionalProperties: false,
      },
    });
    expect((await requestOf({})).tools[0]).toMatchObject({ description: 'Finds flights.' });
  });

  it('puts them on the wire', async () => {
    const captured = capturingFetch(response([message('Done.')]));
    const adapter = openai({ model: 'gpt-5', apiKey: 'key-1', fetch: captured.fetch });
    await adapter.evaluate(prompt, { overrides: { store: storeOf(reworded(prompt)) } });
    expect(captured.requests[0]?.body).toMatchObject({
      instructions: '## 1. Guide (guide)\n\nServe (latest).',
      tools: [
        {
          name: 'search',
          description: 'Looks for flights.',
          parameters: { properties: { city: { description: 'The destination.' } } },
        },
      ],
    });
  });

  it('asks the store for the prompt and the tag, and does without when there are none', async () => {
    const store = storeOf(reworded(prompt, 'team'));
    expect((await requestOf({ overrides: { store, tag: 'team' } })).instructions).toContain('Serve (team).');
    expect((await requestOf({ overrides: { store } })).instructions).toContain('Help.');
    expect(store.asked).toEqual(['travel/booking/team', 'travel/booking/latest']);
  });

  it('warns of what is stale, and uses the text of the code', async () => {
    const stale = reworded(prompt);
    const logger = recordingLogger();
    const store = storeOf({ ...stale, sections: { guide: { body: { hash: 'old', text: 'Old.' } } } });
    const { instructions, tools } = await requestOf({ overrides: { store }, logger });
    expect(instructions).toContain('Help.');
    expect(tools[0]?.description).toBe('Looks for flights.');
    expect(logger.lines).toEqual([
      {
        level: 'warn',
        message: 'A prompt override was not applied.',
        fields: expect.objectContaining({
          prompt: 'booking',
          target: 'section "guide" body',
          reason: 'stale',
        }),
      },
    ]);
  });

  it('runs the tool that was described otherwise as it is', async () => {
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'search', arguments: { city: 'Rome' } }] },
      { text: 'Done.' },
    ]);
    const { conversation } = await adapter.evaluate(prompt, {
      overrides: { store: storeOf(reworded(prompt)) },
    });
    expect(conversation).toContainEqual(expect.objectContaining({ type: 'tool-result', text: 'OK\n\nRome' }));
  });

  it('gives inner evaluations theirs', async () => {
    const outer = promptTemplate({
      ns: 'travel',
      key: 'outer',
      sections: [
        section({
          title: 'Outer',
          key: 'outer',
          tools: [
            tool({
              name: 'ask',
              description: 'Asks another agent.',
              effects: 'state',
              execute: async (_params, { adapter }) => ToolResult.ok((await adapter.evaluate(prompt)).text),
            }),
          ],
        }),
      ],
    }).bind();
    const seen: string[] = [];
    const adapter = scriptedAdapter((conversation, { instructions }) => {
      seen.push(instructions);
      return instructions.includes('Outer') && conversation.length === 0
        ? { toolCalls: [{ name: 'ask' }] }
        : { text: 'Done.' };
    });
    await adapter.evaluate(outer, { overrides: { store: storeOf(reworded(prompt)) } });
    expect(seen[1]).toContain('Serve (latest).');
  });

  it.each([
    ['throws', async () => Promise.reject(new Error('no access')), 'no access'],
    ['answers with another tag’s', async () => reworded(prompt, 'other'), 'gave "other"'],
    ['answers with another prompt’s', async () => ({ ...reworded(prompt), key: 'other' }), 'travel/other'],
  ])('ends before the first request when the store %s', async (_what, load, said) => {
    const adapter = scriptedAdapter([{ text: 'Done.' }]);
    const error = await adapter
      .evaluate(prompt, { overrides: { store: { load } } })
      .catch((reason: unknown) => reason);
    if (!PromptEvaluationError.isInstance(error)) throw new Error('it continued', { cause: error });
    expect(error).toMatchObject({ phase: 'render', code: 'evaluation-render-failed' });
    expect(error.message).toContain(said);
  });

  it('does not wait for a store past the abort', async () => {
    const controller = new AbortController();
    const store = {
      load: async (): Promise<undefined> => {
        controller.abort(new Error('enough'));
        return new Promise(() => undefined);
      },
    };
    await expect(
      scriptedAdapter([]).evaluate(prompt, { overrides: { store }, signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'evaluation-aborted' });
  });
});
