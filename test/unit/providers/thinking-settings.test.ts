import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { type ConversationItem, type JsonObject, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { message, text } from '../../support/anthropic-messages.ts';
import { thinkingFault } from '../../support/anthropic-thinking.ts';
import { capturingFetch } from '../../support/captured-requests.ts';
import { promptOf } from '../../support/prompt-of.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const note = tool({ name: 'note', description: 'Notes.', execute: () => ToolResult.ok(null, 'Noted.') });
const prompt = promptOf({ tools: [note] });
const done = [text('Done.')];

const history: readonly ConversationItem[] = [
  { type: 'user', content: [{ type: 'text', text: 'Go' }] },
  {
    type: 'assistant',
    content: [{ type: 'tool-call', callId: 'a', name: 'note', arguments: '{}' }],
    raw: { provider: 'openai', items: [] },
  },
  { type: 'tool-result', callId: 'a', toolName: 'note', text: 'Noted.', isError: false },
];

describe('a request of anthropic() that continues calls of another model', () => {
  const sent = async (settings: JsonObject, betas: readonly string[] = []) => {
    const { fetch, requests } = capturingFetch(message(done));
    const model = anthropic({ model: 'm', apiKey: 'key', fetch, betas });
    const logger = recordingLogger();
    await model.evaluate(prompt, { settings, logger, history });
    const [request] = requests;
    const { thinking: asked, output_config, context_management, fallbacks } = request?.body ?? {};
    return {
      body: JSON.parse(JSON.stringify({ thinking: asked, output_config, context_management, fallbacks })),
      fault: thinkingFault(request?.body ?? {}),
      beta: request?.headers.get('anthropic-beta'),
      warnings: logger.lines.filter(({ level }) => level === 'warn').length,
    };
  };
  const budget = { type: 'enabled', budget_tokens: 2_048, display: 'summarized' };
  const clearTools = { type: 'clear_tool_uses_20250919' };
  const clearThinking = { type: 'clear_thinking_20251015', keep: 'all' };

  it.each<[string, JsonObject, JsonObject]>([
    ['a budget', { thinking: budget }, { thinking: { type: 'disabled' } }],
    [
      'a budget and an effort that needs thinking',
      { thinking: budget, reasoningEffort: 'max' },
      { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
    ],
    [
      'a budget and another effort',
      { thinking: budget, output_config: { effort: 'low', task_budget: { type: 'tokens', total: 20_000 } } },
      {
        thinking: { type: 'disabled' },
        output_config: { effort: 'low', task_budget: { type: 'tokens', total: 20_000 } },
      },
    ],
    [
      'a budget and edits of thinking',
      { thinking: budget, context_management: { edits: [clearThinking, clearTools] } },
      { thinking: { type: 'disabled' }, context_management: { edits: [clearTools] } },
    ],
    [
      'a budget and edits of thinking alone',
      { thinking: budget, context_management: { edits: [clearThinking] } },
      { thinking: { type: 'disabled' } },
    ],
    [
      'a budget for the model that steps in',
      { thinking: { type: 'adaptive' }, fallbacks: [{ model: 'n', thinking: budget }, { model: 'o' }] },
      {
        thinking: { type: 'adaptive' },
        fallbacks: [{ model: 'n', thinking: { type: 'disabled' } }, { model: 'o' }],
      },
    ],
  ])('has no thinking with %s', async (_what, settings, expected) => {
    expect(await sent(settings)).toEqual({ body: expected, fault: undefined, beta: null, warnings: 1 });
  });

  it.each<[string, JsonObject]>([
    ['adaptive thinking', { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['thinking between tools', { thinking: { type: 'between_tools' } }],
    ['thinking that is off', { thinking: { type: 'disabled' } }],
    ['the thinking of the model', { output_config: { effort: 'max' } }],
    [
      'adaptive thinking and edits of it',
      { thinking: { type: 'adaptive' }, context_management: { edits: [clearThinking] } },
    ],
    ['models that step in', { fallbacks: [{ model: 'n' }] }],
    ['what steps in by itself', { fallbacks: 'default' }],
  ])('keeps %s', async (_what, settings) => {
    expect(await sent(settings)).toEqual({ body: settings, fault: undefined, beta: null, warnings: 0 });
  });

  it('keeps beta features', async () => {
    const { beta } = await sent({ thinking: budget }, ['interleaved-thinking-2025-05-14']);
    expect(beta).toBe('interleaved-thinking-2025-05-14');
  });
});

describe('a request of aiSdk() that continues calls of another model', () => {
  const sent = async (settings: JsonObject, [provider, modelId]: readonly [string, string]) => {
    const model = new MockLanguageModelV4({
      provider,
      modelId,
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: 'stop', raw: 'end' },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never,
        warnings: [],
      }),
    });
    const logger = recordingLogger();
    await aiSdk({ model }).evaluate(prompt, { settings, logger, history });
    const { providerOptions, reasoning } = model.doGenerateCalls[0] ?? {};
    const warnings = logger.lines.filter(({ level }) => level === 'warn').length;
    return { sent: JSON.parse(JSON.stringify({ providerOptions, reasoning })), warnings };
  };
  const claude = ['anthropic.messages', 'claude-sonnet-4-5'] as const;
  const vertex = ['vertex.anthropic.messages', 'claude-sonnet-4-5@20250929'] as const;
  const bedrock = ['amazon-bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0'] as const;
  const budget = { type: 'enabled', budgetTokens: 2_048 };
  const wireBudget = { type: 'enabled', budget_tokens: 2_048 };
  const off = { type: 'disabled' };
  const clearThinking = { type: 'clear_thinking_20251015', keep: 'all' };

  it.each<[string, readonly [string, string], JsonObject, JsonObject]>([
    [
      'a budget',
      claude,
      { providerOptions: { anthropic: { thinking: budget, effort: 'xhigh', sendReasoning: true } } },
      { providerOptions: { anthropic: { thinking: off, effort: 'high', sendReasoning: true } } },
    ],
    [
      'a budget and edits of thinking',
      claude,
      {
        providerOptions: {
          anthropic: { thinking: budget, contextManagement: { edits: [clearThinking] } },
          other: { thinking: off },
        },
      },
      { providerOptions: { anthropic: { thinking: off }, other: { thinking: off } } },
    ],
    [
      'a budget on Vertex',
      vertex,
      { providerOptions: { vertex: { thinking: budget } } },
      { providerOptions: { vertex: { thinking: off } } },
    ],
    [
      'a budget on Bedrock',
      bedrock,
      { providerOptions: { bedrock: { reasoningConfig: { ...budget, maxReasoningEffort: 'max' } } } },
      { providerOptions: { bedrock: { reasoningConfig: { ...off, maxReasoningEffort: 'high' } } } },
    ],
    [
      'a budget in the format of the Messages interface on Bedrock',
      bedrock,
      { providerOptions: { amazonBedrock: { additionalModelRequestFields: { thinking: wireBudget } } } },
      { providerOptions: { amazonBedrock: { additionalModelRequestFields: { thinking: off } } } },
    ],
    ['an effort that may be a budget', claude, { reasoningEffort: 'high' }, { reasoning: 'none' }],
    ['such an effort on Bedrock', bedrock, { reasoningEffort: 'high' }, { reasoning: 'none' }],
    [
      'a budget beside an effort',
      claude,
      { reasoningEffort: 'high', providerOptions: { anthropic: { thinking: budget } } },
      { reasoning: 'high', providerOptions: { anthropic: { thinking: off } } },
    ],
  ])('has no thinking with %s', async (_what, model, settings, expected) => {
    expect(await sent(settings, model)).toEqual({ sent: expected, warnings: 1 });
  });

  it.each<[string, readonly [string, string], JsonObject]>([
    ['adaptive thinking', claude, { providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } }],
    [
      'adaptive thinking on Bedrock',
      bedrock,
      { providerOptions: { bedrock: { reasoningConfig: { type: 'adaptive', maxReasoningEffort: 'max' } } } },
    ],
    [
      'the budget of a model that is not Claude',
      ['deepseek.chat', 'deepseek-v4'],
      { providerOptions: { deepseek: { thinking: wireBudget } } },
    ],
  ])('keeps %s', async (_what, model, settings) => {
    expect(await sent(settings, model)).toEqual({ sent: settings, warnings: 0 });
  });

  it.each<[string, readonly [string, string], JsonObject]>([
    [
      'beside adaptive thinking',
      claude,
      { providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } },
    ],
    ['of a model that is not Claude', ['openai.responses', 'gpt-5'], {}],
    ['of a package that makes no budget of it', ['litellm.chat', 'claude-sonnet-4-5'], {}],
  ])('keeps an effort %s', async (_what, model, settings) => {
    const asked = await sent({ ...settings, reasoningEffort: 'high' }, model);
    expect(asked).toEqual({ sent: { ...settings, reasoning: 'high' }, warnings: 0 });
  });
});

describe('a tool choice that forces a call', () => {
  const budget = { type: 'enabled', budget_tokens: 2_048 };

  it.each([
    ['a call', 'required', { thinking: budget }],
    ['one tool', { tool: 'note' }, { thinking: budget }],
  ] as const)(
    'for %s is refused beside a budget, before any request',
    async (_what, toolChoice, settings) => {
      const { fetch, requests } = capturingFetch(message(done));
      const run = anthropic({ model: 'm', apiKey: 'key', fetch }).evaluate(prompt, { toolChoice, settings });
      await expect(run).rejects.toMatchObject({
        phase: 'render',
        cause: { name: 'PromptValidationError', details: { option: 'toolChoice' } },
      });
      expect(requests).toEqual([]);
    },
  );

  it('is refused beside a budget of the adapter', async () => {
    const { fetch, requests } = capturingFetch(message(done));
    const model = anthropic({ model: 'm', apiKey: 'key', fetch, settings: { thinking: budget } });
    await expect(model.evaluate(prompt, { toolChoice: 'required' })).rejects.toMatchObject({
      phase: 'render',
    });
    expect(requests).toEqual([]);
  });

  it.each([
    ['auto', { thinking: budget }],
    ['none', { thinking: budget }],
    ['required', { thinking: { type: 'adaptive' } }],
  ] as const)('%s is sent where it is taken', async (toolChoice, settings) => {
    const { fetch, requests } = capturingFetch(message(done));
    await anthropic({ model: 'm', apiKey: 'key', fetch }).evaluate(prompt, { toolChoice, settings });
    expect(requests).toHaveLength(1);
  });
});
