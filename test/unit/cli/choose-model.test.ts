import { describe, expect, it } from 'vitest';
import {
  type AnyAgent,
  defineAgent,
  MissingPeerError,
  type ProviderAdapter,
  promptTemplate,
} from 'weakincentives';
import { scriptedModel } from 'weakincentives/testing';
import { chooseModel, type ModelSituation, type OpenaiOptions } from '../../../src/cli/choose-model.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';

const template = promptTemplate({ ns: 'a', key: 'b', name: 'Demo', sections: [] });
const own = scriptedModel([], { name: 'own' });
const network = scriptedModel([], { name: 'network' });

function situation(parts: Partial<ModelSituation>): ModelSituation & { readonly asked: OpenaiOptions[] } {
  const asked: OpenaiOptions[] = [];
  return {
    choice: undefined,
    baseUrl: undefined,
    agent: defineAgent({ template }),
    params: {},
    workspaceName: 'demo',
    variables: {},
    createOpenai: async (options) => {
      asked.push(options);
      return network;
    },
    asked,
    ...parts,
  };
}

const refusal = (parts: Partial<ModelSituation>): Promise<unknown> =>
  chooseModel(situation(parts)).catch((error: unknown) => error);

describe('chooseModel', () => {
  it('takes what the agent brings, whatever keys there are', async () => {
    const agent = defineAgent({ template, model: own });
    const chosen = situation({ agent, variables: { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://x' } });
    expect(await chooseModel(chosen)).toBe(own);
    expect(await chooseModel({ ...chosen, choice: { kind: 'rule-based' } })).toBe(own);
    expect(chosen.asked).toEqual([]);
  });

  it('lets the agent make its model from the params of the run', async () => {
    let seen: unknown;
    const agent: AnyAgent = {
      ...defineAgent({ template }),
      model: async (request) => {
        seen = request;
        return own;
      },
    };
    expect(await chooseModel(situation({ agent, params: { a: 1 } }))).toBe(own);
    expect(seen).toEqual({ params: { a: 1 }, workspaceName: 'demo' });
  });

  it('lets the flag win over what the agent brings', async () => {
    const agent = defineAgent({ template, model: own });
    const choice = { kind: 'openai', model: 'gpt' } as const;
    const chosen = situation({ agent, choice, variables: { OPENAI_API_KEY: 'sk-1' } });
    expect(await chooseModel(chosen)).toBe(network);
    expect(chosen.asked).toEqual([{ model: 'gpt', apiKey: 'sk-1' }]);
  });

  it('needs no key for a server of one’s own', async () => {
    const choice = { kind: 'openai', model: 'local' } as const;
    const chosen = situation({ choice, baseUrl: 'http://127.0.0.1:1/v1' });
    await chooseModel(chosen);
    expect(chosen.asked).toEqual([{ model: 'local', apiKey: 'no-key', baseURL: 'http://127.0.0.1:1/v1' }]);
  });

  const throwing = (): ProviderAdapter => {
    throw new Error('no luck.');
  };
  it.each<[string, Partial<ModelSituation>, RegExp]>([
    [
      'none',
      { variables: { OPENAI_API_KEY: 'k' } },
      /^no model is chosen for Demo, .*--model openai:NAME .*--base-url/,
    ],
    [
      'no own one',
      { choice: { kind: 'rule-based' } },
      /^Demo brings no model of its own, .*--model openai:NAME\.$/,
    ],
    [
      'no key',
      { choice: { kind: 'openai', model: 'gpt' } },
      /openai:gpt needs a key: set OPENAI_API_KEY, or .*--base-url/,
    ],
    ['only a server', { baseUrl: 'http://x' }, /^--base-url says where a model is, not which: add --model/],
    [
      'a server for the own one',
      { baseUrl: 'http://x', choice: { kind: 'rule-based' }, agent: defineAgent({ template, model: own }) },
      /^--base-url says where/,
    ],
    [
      'a failing function',
      { agent: defineAgent({ template, model: throwing }) },
      /^the model of Demo cannot be made: no luck\.$/,
    ],
    [
      'a function of nothing',
      // Deliberately not what the types ask for.
      { agent: defineAgent({ template, model: () => 5 as unknown as ProviderAdapter }) },
      /^the model of Demo is no adapter/,
    ],
    [
      'a missing package',
      {
        choice: { kind: 'openai', model: 'gpt' },
        baseUrl: 'http://x',
        createOpenai: async () =>
          Promise.reject(new MissingPeerError('Install it with "npm install openai".')),
      },
      /^Install it with "npm install openai"\.$/,
    ],
  ])('refuses %s in one line', async (_what, parts, message) => {
    const error = await refusal(parts);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });
});
