import { describe, expect, it } from 'vitest';
import {
  type AnyAgent,
  defineAgent,
  MissingPeerError,
  PromptValidationError,
  type ProviderAdapter,
  promptTemplate,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { chooseModel, type ModelSituation } from '../../../../src/cli/model/choose-model.ts';
import type { ModelMakers } from '../../../../src/cli/model/model-makers.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';

const template = promptTemplate({ ns: 'a', key: 'b', name: 'Demo', sections: [] });
const own = scriptedAdapter([], { name: 'own' });
const network = scriptedAdapter([], { name: 'network' });

function situation(parts: Partial<ModelSituation>): ModelSituation & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const maker =
    (kind: string) =>
    async (options: object): Promise<ProviderAdapter> => {
      asked.push({ kind, ...options });
      return network;
    };
  return {
    choice: undefined,
    baseUrl: undefined,
    timeoutMs: undefined,
    agent: defineAgent({ template }),
    agentFolder: '/agents',
    params: {},
    workspaceName: 'demo',
    variables: {},
    makers: {
      openai: maker('openai'),
      anthropic: maker('anthropic'),
      'ai-sdk': maker('ai-sdk'),
      'claude-agent': maker('claude-agent'),
      acp: maker('acp'),
    },
    asked,
    ...parts,
  };
}

const refusal = (parts: Partial<ModelSituation>): Promise<unknown> =>
  chooseModel(situation(parts)).catch((error: unknown) => error);

describe('chooseModel', () => {
  it('takes what the agent brings, whatever keys there are', async () => {
    const agent = defineAgent({ template, adapter: own });
    const chosen = situation({ agent, variables: { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://x' } });
    expect(await chooseModel(chosen)).toBe(own);
    expect(await chooseModel({ ...chosen, choice: { kind: 'rule-based' } })).toBe(own);
    expect(chosen.asked).toEqual([]);
  });

  it('lets the agent make its model from the params of the run', async () => {
    let seen: unknown;
    const agent: AnyAgent = {
      ...defineAgent({ template }),
      adapter: async (request) => {
        seen = request;
        return own;
      },
    };
    expect(await chooseModel(situation({ agent, params: { a: 1 } }))).toBe(own);
    expect(seen).toEqual({ params: { a: 1 }, workspaceName: 'demo' });
  });

  it('lets the flag win over what the agent brings', async () => {
    const agent = defineAgent({ template, adapter: own });
    const choice = { kind: 'openai', model: 'gpt' } as const;
    const chosen = situation({ agent, choice, variables: { OPENAI_API_KEY: 'sk-1' } });
    expect(await chooseModel(chosen)).toBe(network);
    expect(chosen.asked).toEqual([{ kind: 'openai', name: 'openai:gpt', model: 'gpt', apiKey: 'sk-1' }]);
  });

  it.each<[Readonly<Record<string, string>>, object]>([
    [{ ANTHROPIC_API_KEY: 'sk-2', OPENAI_API_KEY: 'sk-1' }, { apiKey: 'sk-2' }],
    [{ ANTHROPIC_API_KEY: 'sk-2', ANTHROPIC_AUTH_TOKEN: 'token' }, { apiKey: 'sk-2' }],
    [{ ANTHROPIC_AUTH_TOKEN: 'token' }, { authToken: 'token' }],
  ])('takes from %j what Anthropic wants', async (variables, credential) => {
    const chosen = situation({ choice: { kind: 'anthropic', model: 'claude' }, variables });
    expect(await chooseModel(chosen)).toBe(network);
    expect(chosen.asked).toEqual([
      { kind: 'anthropic', name: 'anthropic:claude', model: 'claude', ...credential },
    ]);
  });

  it('has a package looked for from where the agent is, and leaves keys to it', async () => {
    const choice = { kind: 'ai-sdk', package: '@ai-sdk/google', model: 'gemini' } as const;
    const chosen = situation({ choice });
    expect(await chooseModel(chosen)).toBe(network);
    expect(chosen.asked).toEqual([
      { ...choice, name: 'ai-sdk:@ai-sdk/google:gemini', agentFolder: '/agents' },
    ]);
  });

  it('needs no key for a server of one’s own', async () => {
    const choice = { kind: 'openai', model: 'local' } as const;
    const chosen = situation({ choice, baseUrl: 'http://127.0.0.1:1/v1' });
    await chooseModel(chosen);
    expect(chosen.asked).toEqual([
      {
        kind: 'openai',
        name: 'openai:local',
        model: 'local',
        apiKey: 'no-key',
        baseURL: 'http://127.0.0.1:1/v1',
      },
    ]);
  });

  it('starts agents that have a loop of their own', async () => {
    const chosen = situation({ choice: { kind: 'claude-agent', model: undefined } });
    await chooseModel(chosen);
    await chooseModel({ ...chosen, choice: { kind: 'claude-agent', model: 'opus' } });
    const line = 'KEY=${KEY} MODE=fast "my agent" acp --name=${NAME:-it}';
    await chooseModel({ ...chosen, choice: { kind: 'acp', line }, variables: { KEY: 'sk-1 2' } });
    expect(chosen.asked).toEqual([
      { kind: 'claude-agent', name: 'claude-agent' },
      { kind: 'claude-agent', name: 'claude-agent:opus', model: 'opus' },
      {
        kind: 'acp',
        name: 'acp',
        command: 'my agent',
        args: ['acp', '--name=it'],
        env: { KEY: 'sk-1 2', MODE: 'fast' },
      },
    ]);
  });

  it.each([
    ['KEY=1', /acp:KEY=1": it must name a program that speaks the Agent Client Protocol/],
    ['a "b', /a quote is not closed/],
    ['KEY=${KEY} a', /the variable KEY is not set/],
  ])('refuses the command %s', async (line, message) => {
    expect(await refusal({ choice: { kind: 'acp', line } })).toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(message),
    });
  });

  it('has no server for an agent with a loop of its own', async () => {
    const choice = { kind: 'acp', line: 'opencode acp' } as const;
    expect(await refusal({ choice, baseUrl: 'http://127.0.0.1:1' })).toMatchObject({
      message: '--base-url is for openai:NAME and anthropic:NAME; acp has settings of its own.',
    });
  });

  it.each<[NonNullable<ModelSituation['choice']>]>([
    [{ kind: 'openai', model: 'm' }],
    [{ kind: 'anthropic', model: 'm' }],
    [{ kind: 'ai-sdk', package: 'p', model: 'm' }],
  ])('passes the longest wait on to the adapter that it makes: %j', async (choice) => {
    const variables = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
    const chosen = situation({ choice, variables, timeoutMs: 30_000 });
    expect(await chooseModel(chosen)).toBe(network);
    expect(chosen.asked).toEqual([expect.objectContaining({ timeoutMs: 30_000 })]);
  });

  const refusing = (error: Error): ModelMakers => {
    const refuse = async (): Promise<never> => {
      throw error;
    };
    return { openai: refuse, anthropic: refuse, 'ai-sdk': refuse, 'claude-agent': refuse, acp: refuse };
  };
  const throwing = (): ProviderAdapter => {
    throw new Error('no luck.');
  };
  it.each<[string, Partial<ModelSituation>, RegExp]>([
    [
      'none',
      { variables: { OPENAI_API_KEY: 'k' } },
      /^Demo has no model, .*--model openai:NAME .*--base-url/,
    ],
    [
      'no own one',
      { choice: { kind: 'rule-based' } },
      /^Demo has no model of its own, .*--model openai:NAME, anthropic:NAME or ai-sdk:PACKAGE:NAME\.$/,
    ],
    [
      'no key',
      { choice: { kind: 'openai', model: 'gpt' } },
      /openai:gpt needs a key: set OPENAI_API_KEY, or .*--base-url/,
    ],
    [
      'no key for Anthropic',
      { choice: { kind: 'anthropic', model: 'claude' }, variables: { OPENAI_API_KEY: 'k' } },
      /anthropic:claude needs a key: set ANTHROPIC_API_KEY, or .*--base-url/,
    ],
    [
      'a server for a package',
      { choice: { kind: 'ai-sdk', package: 'p', model: 'm' }, baseUrl: 'http://x' },
      /^--base-url is for openai:NAME and anthropic:NAME; /,
    ],
    [
      'a model that the adapter cannot take',
      {
        choice: { kind: 'ai-sdk', package: 'p', model: 'm' },
        makers: refusing(new PromptValidationError('The AI SDK adapter takes models with "v3" or "v4".')),
      },
      /^The AI SDK adapter takes models with/,
    ],
    ['only a server', { baseUrl: 'http://x' }, /^--base-url names a server, not a model: add --model/],
    [
      'a server for the own one',
      { baseUrl: 'http://x', choice: { kind: 'rule-based' }, agent: defineAgent({ template, adapter: own }) },
      /^--base-url names a server/,
    ],
    [
      'a wait for the own one',
      { timeoutMs: 1, agent: defineAgent({ template, adapter: own }) },
      /^--timeout is for openai:NAME, .* of --model; Demo brings its own adapter, whose timeoutMs is set in its code\.$/,
    ],
    [
      'a wait for the own one that is named',
      { timeoutMs: 1, choice: { kind: 'rule-based' }, agent: defineAgent({ template, adapter: own }) },
      /^--timeout is for openai:NAME, .*; Demo brings its own adapter/,
    ],
    [
      'a wait for Claude Code',
      { timeoutMs: 1, choice: { kind: 'claude-agent', model: undefined } },
      /^--timeout is for openai:NAME, .*; claude-agent asks its model itself, and --idle-timeout limits it\.$/,
    ],
    [
      'a wait for an agent of others',
      { timeoutMs: 1, choice: { kind: 'acp', line: 'opencode acp' } },
      /^--timeout is for openai:NAME, .*; acp asks its model itself/,
    ],
    ['a wait without a model', { timeoutMs: 1 }, /^Demo has no model, and none is selected/],
    [
      'a failing function',
      { agent: defineAgent({ template, adapter: throwing }) },
      /^the model of Demo cannot be created: no luck\.$/,
    ],
    [
      'a function of nothing',
      // Deliberately not what the types ask for.
      { agent: defineAgent({ template, adapter: () => 5 as unknown as ProviderAdapter }) },
      /^the model of Demo is not an adapter/,
    ],
    [
      'a missing package',
      {
        choice: { kind: 'openai', model: 'gpt' },
        baseUrl: 'http://x',
        makers: refusing(new MissingPeerError('Install it with "npm install openai".')),
      },
      /^Install it with "npm install openai"\.$/,
    ],
  ])('refuses %s in one line', async (_what, parts, message) => {
    const error = await refusal(parts);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });
});
