import { describe, expect, it } from 'vitest';
import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { webSearchTool } from 'weakincentives/tools';
import { answeringModel, call, text } from '../../../support/ai-sdk-models.ts';

// What a model was given stays, byte for byte, the beginning of what it is given next, so that providers can cache it.

const look = (name: string) =>
  tool({ name, description: `Looks at ${name}.`, execute: () => ToolResult.ok({ name }, 'Looked.') });

const prompt = promptTemplate({
  ns: 'test',
  key: 'stable',
  sections: [
    section({
      title: 'More',
      key: 'more',
      template: 'All about it.',
      summary: 'Something about it.',
      visibility: 'summary',
      tools: [look('more')],
    }),
    section({
      title: 'Base',
      key: 'base',
      template: 'Look.',
      tools: [look('base')],
      hostedTools: [webSearchTool()],
    }),
  ],
}).bind();

const answers = [
  { content: [text('Hm.'), call('c1', 'open_sections', { section_keys: ['more'], reason: 'Now.' })] },
  { content: [call('c2', 'more', {})] },
  { content: [text('Done.')] },
];

describe.each(['v3', 'v4'] as const)('the calls of a model of version %s', (version) => {
  it.each([false, true])('begin with what was given before; streaming: %s', async (streaming) => {
    const { model, calls } = answeringModel(version, answers, 'openai.responses');
    await aiSdk({ model }).evaluate(prompt, { input: 'Go', streaming });
    const given = calls.map(({ tools, prompt: messages }) => ({
      tools: JSON.stringify(tools),
      prompt: JSON.stringify(messages),
    }));
    expect(given).toHaveLength(3);
    expect(calls.map(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([
      ['web_search', 'base', 'open_sections'],
      ['web_search', 'base', 'open_sections', 'more'],
      ['web_search', 'base', 'open_sections', 'more'],
    ]);
    for (const [index, { tools, prompt: messages }] of given.entries()) {
      const before = given[index - 1];
      if (before === undefined) continue;
      // Lists that grow at their ends: the same but for the closing bracket.
      expect(tools.startsWith(before.tools.slice(0, -1))).toBe(true);
      expect(messages.startsWith(before.prompt.slice(0, -1))).toBe(true);
    }
  });
});
