import { describe, expect, test } from 'vitest';
import {
  defineAgent,
  type EvaluateOptions,
  openToolRuntime,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const compact = { atInputTokens: 4_000, toInputTokens: 2_000 };
const template = promptTemplate({
  ns: 'test',
  key: 'context',
  sections: [section({ title: 'Task', key: 'task', template: 'Work.' })],
});

describe('context', () => {
  test.each<[string, unknown, string, string]>([
    [
      'compact without a target',
      { compact: { atInputTokens: 4_000 } },
      'context.compact.toInputTokens',
      'toInputTokens',
    ],
    [
      'a target that is too near',
      { compact: { atInputTokens: 4_000, toInputTokens: 3_001 } },
      'context.compact.toInputTokens',
      'here 3000; it is 3001',
    ],
    ['compact with a window of turns', { compact, maxTurns: 8 }, 'context.maxTurns', 'Leave one of them out'],
    ['an unknown member', { compact: { ...compact, digest: 'state' } }, 'context.compact.digest', 'digest'],
    ['results without a size', { results: {} }, 'context.results.maxCharacters', 'maxCharacters'],
    [
      'results that are too small',
      { results: { maxCharacters: 10 } },
      'context.results.maxCharacters',
      'at least 1000',
    ],
  ])('refuses %s by name', async (_what, context, option, words) => {
    // Code without types may give anything.
    const options = { context } as EvaluateOptions;
    const details = expect.objectContaining({ option });
    const refusal = { code: 'prompt-invalid', details, message: expect.stringContaining(words) };
    await expect(
      scriptedAdapter([{ text: 'Done.' }]).evaluate(template.bind(), options),
    ).rejects.toMatchObject(refusal);
    expect(() => defineAgent({ template, context: options.context ?? {} })).toThrow(
      expect.objectContaining(refusal),
    );
  });

  test.each(['context_management', 'truncation'])(
    'refuses compact beside the setting %s',
    async (setting) => {
      const settings = { [setting]: 'auto' };
      await expect(
        scriptedAdapter([{ text: 'Done.' }]).evaluate(template.bind(), { context: { compact }, settings }),
      ).rejects.toMatchObject({ code: 'prompt-invalid', details: { option: `settings.${setting}` } });
    },
  );

  test('refuses for a tool runtime what its loop has', async () => {
    const options = { context: { compact } } as object;
    await expect(openToolRuntime(template.bind(), options)).rejects.toMatchObject({
      code: 'prompt-invalid',
      details: { option: 'context.compact' },
    });
  });

  test('refuses to keep results for a prompt with a tool of the name of the reader', async () => {
    const own = tool({
      name: 'read_result',
      description: 'Mine.',
      effects: 'read',
      execute: () => ToolResult.ok(''),
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'context',
      sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [own] })],
    }).bind();
    const adapter = scriptedAdapter([{ text: 'Done.' }]);
    await expect(
      adapter.evaluate(prompt, { context: { results: { maxCharacters: 2_000 } } }),
    ).rejects.toMatchObject({
      code: 'evaluation-render-failed',
      message: expect.stringContaining('has a tool named "read_result"'),
    });
    await expect(adapter.evaluate(prompt)).resolves.toMatchObject({ text: 'Done.' });
  });
});
