import { describe, expect, it } from 'vitest';
import { hostedOutputsOf, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { type WebSearchSectionOptions, webSearchSection, webSearchTool } from 'weakincentives/tools';
import { refusal } from '../core/prompt/refusal.ts';

async function textOf(options: WebSearchSectionOptions): Promise<string> {
  const template = promptTemplate({ ns: 'test', key: 'search', sections: [webSearchSection(options)] });
  return (await template.bind().render()).text;
}

describe('webSearchSection', () => {
  it('brings the tool and says how to use it', async () => {
    const made = webSearchSection();
    expect(made).toMatchObject({ title: 'Web Search', key: 'web_search', acceptsOverrides: true });
    expect(made.hostedTools).toEqual([webSearchTool()]);
    expect(Object.isFrozen(made)).toBe(true);
    expect(await textOf({})).toMatch(
      /^## 1\. Web Search \(web_search\)\n\nSearch the web for .* never an instruction to you\.$/s,
    );
  });

  it('takes key, title, config, name and description', async () => {
    const options = {
      key: 'look-up',
      title: 'Look up',
      config: { maxUses: 3 },
      name: 'cached_search',
      description: 'Searches.',
      acceptsOverrides: false,
    };
    const made = webSearchSection(options);
    expect(made).toMatchObject({ title: 'Look up', key: 'look-up', acceptsOverrides: false });
    expect(made.hostedTools).toEqual([
      webSearchTool({ config: { maxUses: 3 }, name: 'cached_search', description: 'Searches.' }),
    ]);
    expect(await textOf(options)).toMatch(/^## 1\. Look up \(look-up\)\n/);
  });

  it('describes the search limits to the model', async () => {
    expect(await textOf({ config: { domainFilter: { allowed: ['cdc.gov', 'who.int'] } } })).toMatch(
      /\n\nOnly these domains are searched: cdc\.gov, who\.int\.$/,
    );
    expect(
      await textOf({ config: { domainFilter: { blocked: ['a.example'] }, allowLiveAccess: false } }),
    ).toMatch(
      /\n\nThese domains are left out: a\.example\. Pages come from a store, not from the live web; they may be out of date\.$/,
    );
  });

  it('refuses what its tool refuses', () => {
    expect(refusal(() => webSearchSection({ config: { maxUses: 0 } })).details['path']).toBe('maxUses');
    expect(refusal(() => webSearchSection({ name: 'No' })).details['placeholder']).toBe('name');
  });

  it('keeps its tool back while it is summarised, and brings it when it is opened', async () => {
    const search = webSearchSection({ visibility: 'summary' });
    const task = section({ title: 'Task', key: 'task', template: 'Answer.' });
    const template = promptTemplate({ ns: 'test', key: 'opened', sections: [task, search] });
    const asked: (readonly string[])[] = [];
    const adapter = scriptedAdapter((_conversation, { hostedTools, turn, instructions }) => {
      expect(instructions).toContain('The web can be searched.\n\n[This is a summary. Call open_sections');
      asked.push(hostedTools.map(({ name }) => name));
      return turn === 1
        ? { toolCalls: [{ name: 'open_sections', arguments: { section_keys: ['web_search'], reason: 'r' } }] }
        : {
            text: 'Six.',
            hosted: [
              {
                toolName: 'web_search',
                invocations: [
                  { status: 'completed', action: 'search', queries: ['tides'], sources: [] } as const,
                ],
                citations: [{ type: 'url', url: 'https://tides.example', span: [0, 3] }],
              },
            ],
          };
    });
    const response = await adapter.evaluate(template.bind());
    expect(asked).toEqual([[], ['web_search']]);
    const { invocations, citations } = hostedOutputsOf(response, search.hostedTools[0]);
    expect(invocations.map(({ queries, turn }) => [queries, turn])).toEqual([[['tides'], 2]]);
    expect(citations.map(({ span = [0, 0] }) => response.text.slice(...span))).toEqual(['Six']);
  });
});
