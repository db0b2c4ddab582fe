import { describe, expect, it } from 'vitest';
import type { ModelSettings } from 'weakincentives';
import { openai } from 'weakincentives/openai';
import type { OpenAIModelOptions } from '../../../../src/providers/openai/openai.ts';
import { message, response } from '../../../support/openai-responses.ts';
import { promptOf, runOpenAI } from '../../../support/openai-runs.ts';

const answer = response([message('Done.')]);

async function sent(
  evaluation: ModelSettings,
  adapter: ModelSettings = {},
  options: Partial<OpenAIModelOptions> = {},
) {
  const { bodies } = await runOpenAI(
    promptOf(),
    [answer],
    { input: 'Go', settings: evaluation },
    { settings: adapter, ...options },
  );
  const { model: _m, instructions: _i, input: _n, store: _s, include: _c, ...rest } = bodies[0] ?? {};
  return rest;
}

describe('settings', () => {
  it('that are the same with every provider go in its words, others as they are', async () => {
    expect(
      await sent({
        maxOutputTokens: 200,
        temperature: 0,
        topP: 0.9,
        reasoningEffort: 'low',
        service_tier: 'flex',
        max_tool_calls: 3,
      }),
    ).toEqual({
      max_output_tokens: 200,
      temperature: 0,
      top_p: 0.9,
      reasoning: { effort: 'low' },
      service_tier: 'flex',
      max_tool_calls: 3,
    });
  });

  it.each<[ModelSettings, ModelSettings, object]>([
    [{ maxOutputTokens: 100 }, { max_output_tokens: 200 }, { max_output_tokens: 200 }],
    [{ max_output_tokens: 100 }, { maxOutputTokens: 200 }, { max_output_tokens: 200 }],
    [
      { reasoning: { summary: 'auto', effort: 'high' } },
      { reasoningEffort: 'low' },
      { reasoning: { summary: 'auto', effort: 'low' } },
    ],
    [
      { reasoning: { summary: 'auto' }, reasoningEffort: 'high' },
      { text: { verbosity: 'low' } },
      { reasoning: { summary: 'auto', effort: 'high' }, text: { verbosity: 'low' } },
    ],
  ])('of an evaluation go over those of the adapter: %j and %j', async (adapter, evaluation, expected) => {
    expect(await sent(evaluation, adapter)).toEqual(expected);
  });

  it.each<[ModelSettings, RegExp]>([
    [{ stopSequences: ['END'] }, /no setting "stopSequences".*instructions/],
    [{ seed: 1 }, /no setting "seed"/],
    [{ maxOutputTokens: 0 }, /maxOutputTokens must be a whole number/],
    [{ temperature: 'hot' as never }, /temperature must be a number/],
    [{ reasoningEffort: 'enormous' as never }, /reasoningEffort must be 'none', 'minimal'/],
    [{ maxOutputTokens: 1, max_output_tokens: 1 }, /both maxOutputTokens and max_output_tokens/],
    [{ topP: 1, top_p: 1 }, /both topP and top_p/],
    [{ reasoningEffort: 'low', reasoning: { effort: 'low' } }, /both reasoningEffort and reasoning\.effort/],
    [{ tools: [] }, /settings\.tools/],
  ])('that cannot be are refused before any request: %j', async (settings, expected) => {
    const failed = runOpenAI(
      promptOf(),
      [
        () => {
          throw new Error('There was a request.');
        },
      ],
      { settings },
    );
    await expect(failed).rejects.toMatchObject({
      phase: 'render',
      cause: { name: 'PromptValidationError', message: expect.stringMatching(expected) },
    });
    expect(() => openai({ model: 'm', settings })).toThrow(expected);
  });
});
