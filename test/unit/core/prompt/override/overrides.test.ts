import { describe, expect, it } from 'vitest';
import {
  type Prompt,
  type PromptOverrides,
  parseOverrides,
  promptTemplate,
  section,
  ToolResult,
  tool,
  toolsSection,
} from 'weakincentives';
import { z } from 'zod';

const search = tool({
  name: 'search',
  description: 'Finds flights.',
  inputSchema: z.object({
    city: z.string().describe('Where to.'),
    stops: z.array(z.object({ name: z.string().describe('A stop.'), night: z.boolean() })).optional(),
  }),
  outputSchema: z.object({ found: z.number() }),
  examples: [{ description: 'One city.', input: { city: 'Rome' }, output: { found: 2 } }],
  execute: () => ToolResult.ok({ found: 1 }),
});
const fixed = tool({ name: 'fixed', description: 'Stays.', acceptsOverrides: false });
const hidden = tool({ name: 'hidden', description: 'Stays too.' });

const template = promptTemplate({
  ns: 'travel/desk',
  key: 'booking',
  sections: [
    section({
      title: 'Guide',
      key: 'guide',
      params: z.object({ guest: z.string() }),
      template: (p) => `Help ${p.guest} for $5.`,
      summary: 'Help ${guest}.',
      tools: [search, fixed],
      children: [section({ title: 'Rules', key: 'rules', template: 'Be brief.' })],
    }),
    section({
      title: 'Locked',
      key: 'locked',
      template: 'Fixed text.',
      acceptsOverrides: false,
      tools: [hidden],
    }),
    section({ title: 'Free', key: 'free', render: () => 'Free text.' }),
    toolsSection({ title: 'Tools', key: 'tools', tools: [] }),
  ],
});
const prompt = template.bind({ guest: 'Ada' });

/** The seed of the prompt, changed. Deep copy, as an editor of the file would make it. */
type Editable<T> = { -readonly [Key in keyof T]: Editable<T[Key]> };
function edited(change: (draft: Editable<PromptOverrides>) => void): PromptOverrides {
  const draft: Editable<PromptOverrides> = JSON.parse(JSON.stringify(prompt.seedOverrides()));
  change(draft);
  return parseOverrides(draft);
}

const render = (overrides: PromptOverrides, of: Prompt = prompt) => of.render({ overrides });

describe('the seed of overrides', () => {
  it('holds every text that may be overridden, with its hash', () => {
    const { sections, tools, ...rest } = prompt.seedOverrides('team');
    expect(rest).toEqual({ version: 1, ns: 'travel/desk', key: 'booking', tag: 'team' });
    expect(Object.keys(sections)).toEqual(['guide', 'guide.rules']);
    expect(sections['guide']).toMatchObject({
      body: { text: 'Help ${guest} for $$5.' },
      summary: { text: 'Help ${guest}.' },
    });
    expect(Object.keys(tools)).toEqual(['search']);
    expect(tools['search']).toMatchObject({
      description: { text: 'Finds flights.' },
      params: {
        city: { text: 'Where to.' },
        stops: { text: '' },
        'stops[].name': { text: 'A stop.' },
        'stops[].night': { text: '' },
      },
      examples: { examples: [{ description: 'One city.', input: { city: 'Rome' }, output: { found: 2 } }] },
    });
  });

  it('changes nothing, and all of it fits', async () => {
    const seed = parseOverrides(JSON.parse(JSON.stringify(prompt.seedOverrides())));
    expect(prompt.checkOverrides(seed)).toEqual([]);
    const [plain, seeded] = [await prompt.render(), await render(seed)];
    expect(seeded.text).toBe(plain.text);
    expect(seeded.descriptor).toEqual(plain.descriptor);
    expect(seeded.toolParamDescriptions).toEqual(plain.toolParamDescriptions);
  });
});

describe('overrides that fit', () => {
  it('replace body and summary, with the params of the section', async () => {
    const overrides = edited(({ sections }) => {
      sections['guide'] = {
        ...sections['guide'],
        body: { hash: sections['guide']?.body?.hash ?? '', text: 'Serve $guest, $guest!' },
      };
    });
    expect((await render(overrides)).text).toContain('## 1. Guide (guide)\n\nServe Ada, Ada!');
    const short = edited(({ sections }) => {
      sections['guide'] = {
        visibility: 'summary',
        summary: { hash: sections['guide']?.summary?.hash ?? '', text: 'For $guest.' },
      };
    });
    const rendered = await render(short);
    expect(rendered.text).toContain('## 1. Guide (guide)\n\nFor Ada.');
    expect(rendered.text).not.toContain('Be brief.');
    expect(rendered.tools.map(({ name }) => name)).toEqual(['hidden', 'open_sections']);
  });

  it('show the summary where a section is summarized, even with an overridden body', async () => {
    const overrides = edited(({ sections, tools }) => {
      const { guide } = sections;
      if (guide?.body === undefined || guide.summary === undefined) throw new Error('no seed');
      guide.body.text = 'A body of mine.';
      guide.summary.text = 'A summary of mine.';
      guide.visibility = 'summary';
      const { search: override } = tools;
      if (override?.examples === undefined) throw new Error('no seed');
      override.examples.examples = [{ description: 'Far.', input: { city: 'Lima' }, output: { found: 0 } }];
    });
    const { text, droppedOverrides } = await render(overrides);
    expect(droppedOverrides).toEqual([]);
    expect(text).toContain('## 1. Guide (guide)\n\nA summary of mine.\n\n[This is a summary.');
    expect(text).not.toContain('A body of mine.');
    expect(text).not.toContain('examples');
  });

  it('reach the tool: description, parameters at any depth, examples, and the text that shows them', async () => {
    const overrides = edited(({ tools }) => {
      const { search: override } = tools;
      if (override?.description === undefined || override.examples === undefined) throw new Error('no seed');
      override.description.text = 'Looks for flights.';
      override.params = {
        city: { hash: override.params?.['city']?.hash ?? '', text: '' },
        'stops[].night': { hash: override.params?.['stops[].night']?.hash ?? '', text: 'Stay overnight.' },
      };
      override.examples.examples = [{ description: 'Far.', input: { city: 'Lima' }, output: { found: 0 } }];
    });
    const rendered = await render(overrides);
    expect(rendered.droppedOverrides).toEqual([]);
    const changed = rendered.boundTools.get('search')?.tool;
    expect(changed?.description).toBe('Looks for flights.');
    expect(changed?.compiledInput?.inputJsonSchema).toMatchObject({
      properties: {
        city: { type: 'string' },
        stops: {
          items: {
            properties: { night: { description: 'Stay overnight.' }, name: { description: 'A stop.' } },
          },
        },
      },
    });
    expect(rendered.toolParamDescriptions['search']?.['city']).toEqual({ type: 'string' });
    expect(changed?.examples).toEqual([
      { description: 'Far.', input: { city: 'Lima' }, output: { found: 0 } },
    ]);
    expect(rendered.text).toContain('- search: Looks for flights.');
    expect(rendered.text).toContain('"Lima"');
    expect(rendered.text).not.toContain('"Rome"');
    // What it does stays what it is.
    expect(changed?.execute).toBe(search.execute);
    expect(changed?.succeeded).toBe(search.succeeded);
    expect(search.description).toBe('Finds flights.');
  });

  it('give the same tools each time, and a descriptor of what was rendered', async () => {
    const overrides = edited(({ tools }) => {
      if (tools['search']?.description !== undefined) tools['search'].description.text = 'Another.';
    });
    const [first, second] = [await render(overrides), await render(overrides)];
    expect(second.boundTools.get('search')?.tool).toBe(first.boundTools.get('search')?.tool);
    expect(prompt.tools({ overrides })[0]).toBe(first.tools[0]);
    expect(first.descriptor.tools[0]?.description).not.toBe(prompt.descriptor.tools[0]?.description);
    expect(first.descriptor.sections).toEqual(prompt.descriptor.sections);
  });
});

describe('overrides that do not fit', () => {
  const cases: readonly (readonly [string, string, (draft: Editable<PromptOverrides>) => void])[] = [
    [
      'stale',
      'section "guide" body',
      ({ sections }) => (sections['guide'] = { body: { hash: 'old', text: 'x' } }),
    ],
    [
      'stale',
      'section "guide" summary',
      ({ sections }) => (sections['guide'] = { summary: { hash: 'old', text: 'x' } }),
    ],
    [
      'unknown',
      'section "guide.rules" summary',
      ({ sections }) => (sections['guide.rules'] = { summary: { hash: 'x', text: 'x' } }),
    ],
    [
      'unknown',
      'section "free" body',
      ({ sections }) => (sections['free'] = { body: { hash: 'x', text: 'x' } }),
    ],
    ['unknown', 'section "gone"', ({ sections }) => (sections['gone'] = { body: { hash: 'x', text: 'x' } })],
    ['refused', 'section "locked"', ({ sections }) => (sections['locked'] = { visibility: 'full' })],
    [
      'invalid',
      'section "guide.rules" visibility',
      ({ sections }) => (sections['guide.rules'] = { visibility: 'summary' }),
    ],
    [
      'invalid',
      'section "guide" body',
      ({ sections }) => {
        if (sections['guide']?.body !== undefined) sections['guide'].body.text = 'Hello $nobody';
      },
    ],
    [
      'invalid',
      'section "guide" body',
      ({ sections }) => {
        if (sections['guide']?.body !== undefined) sections['guide'].body.text = 'costs $ 5';
      },
    ],
    [
      'stale',
      'tool "search"',
      ({ tools }) => (tools['search'] = { contract: 'old', description: { hash: 'x', text: 'x' } }),
    ],
    [
      'unknown',
      'tool "gone"',
      ({ tools }) => (tools['gone'] = { contract: 'x', description: { hash: 'x', text: 'x' } }),
    ],
    [
      'refused',
      'tool "fixed"',
      ({ tools }) => (tools['fixed'] = { contract: 'x', description: { hash: 'x', text: 'x' } }),
    ],
    [
      'refused',
      'tool "hidden"',
      ({ tools }) => (tools['hidden'] = { contract: 'x', description: { hash: 'x', text: 'x' } }),
    ],
    [
      'stale',
      'tool "search" description',
      ({ tools }) => {
        if (tools['search'] !== undefined) tools['search'].description = { hash: 'old', text: 'x' };
      },
    ],
    [
      'unknown',
      'tool "search" param "zip"',
      ({ tools }) => {
        if (tools['search'] !== undefined) tools['search'].params = { zip: { hash: 'x', text: 'x' } };
      },
    ],
    [
      'stale',
      'tool "search" param "city"',
      ({ tools }) => {
        if (tools['search'] !== undefined) tools['search'].params = { city: { hash: 'x', text: 'x' } };
      },
    ],
    [
      'invalid',
      'tool "search" description',
      ({ tools }) => {
        if (tools['search']?.description !== undefined) tools['search'].description.text = 'x'.repeat(201);
      },
    ],
    [
      'invalid',
      'tool "search" examples',
      ({ tools }) => {
        const wrong = { description: 'Wrong.', input: { town: 'Rome' }, output: { found: 1 } };
        if (tools['search']?.examples !== undefined) tools['search'].examples.examples = [wrong];
      },
    ],
  ];

  it.each(cases)('are skipped and reported: %s %s', async (reason, target, change) => {
    const overrides = edited(change);
    const [dropped, ...more] = prompt.checkOverrides(overrides);
    expect(more).toEqual([]);
    expect(dropped).toMatchObject({ reason, target });
    expect(dropped?.message).toMatch(/^.{20,}\.$/s);
    const rendered = await render(overrides);
    expect(rendered.droppedOverrides).toEqual([dropped]);
    expect(rendered.text).toBe((await prompt.render()).text);
  });

  it('do not keep others from being applied', async () => {
    const overrides = edited(({ sections, tools }) => {
      if (sections['guide']?.body !== undefined) sections['guide'].body.text = 'New for $guest.';
      sections['gone'] = { visibility: 'full' };
      if (tools['search']?.description !== undefined) tools['search'].description.text = '';
      if (tools['search']?.params?.['city'] !== undefined)
        tools['search'].params['city'].text = 'Which city.';
    });
    const rendered = await render(overrides);
    expect(rendered.text).toContain('New for Ada.');
    expect(rendered.toolParamDescriptions['search']?.['city']?.description).toBe('Which city.');
    expect(rendered.droppedOverrides.map(({ target }) => target)).toEqual([
      'section "gone"',
      'tool "search" description',
    ]);
  });

  it('are not reported while they are unchanged since they were seeded', async () => {
    const grown = promptTemplate({
      ns: 'travel/desk',
      key: 'booking',
      sections: [
        section({
          title: 'Guide',
          key: 'guide',
          template: 'Another text.',
          tools: [tool({ name: 'search', description: 'Takes nothing any more.' })],
        }),
      ],
    }).bind();
    const seed = prompt.seedOverrides();
    expect(grown.checkOverrides(seed)).toEqual([]);
    const rendered = await grown.render({ overrides: seed });
    expect(rendered.text).toBe((await grown.render()).text);
    expect(rendered.tools[0]?.description).toBe('Takes nothing any more.');
    // A changed one is.
    const changed = edited(({ sections, tools }) => {
      if (sections['guide.rules']?.body !== undefined) sections['guide.rules'].body.text = 'Be long.';
      if (tools['search']?.params?.['city'] !== undefined) tools['search'].params['city'].text = 'Town.';
    });
    expect(grown.checkOverrides(changed).map(({ target, reason }) => `${reason} ${target}`)).toEqual([
      'unknown section "guide.rules"',
      'stale tool "search"',
    ]);
  });

  it('are refused as a whole when they are another prompt’s', () => {
    const other = { ...prompt.seedOverrides(), key: 'other' };
    expect(() => prompt.checkOverrides(other)).toThrow(
      expect.objectContaining({ code: 'overrides-mismatched' }),
    );
  });
});

describe('what is stored', () => {
  it.each([
    ['no object', 'text'],
    ['a missing part', { version: 1, ns: 'a', key: 'b', tag: 'c', sections: {} }],
    ['an unknown key', { ...prompt.seedOverrides(), extra: 1 }],
    ['a text without hash', { ...prompt.seedOverrides(), sections: { guide: { body: { text: 'x' } } } }],
    [
      'a name that is none',
      { ...prompt.seedOverrides(), sections: JSON.parse('{"__proto__":{"body":{"hash":"x","text":"x"}}}') },
    ],
    ['a wrong visibility', { ...prompt.seedOverrides(), sections: { guide: { visibility: 'none' } } }],
  ])('is refused with the place of the fault: %s', (_what, value) => {
    expect(() => parseOverrides(value)).toThrow(expect.objectContaining({ code: 'overrides-corrupt' }));
  });

  it('of a newer version is not guessed at', () => {
    expect(() => parseOverrides({ ...prompt.seedOverrides(), version: 2 })).toThrow(
      expect.objectContaining({ code: 'overrides-version-unsupported' }),
    );
  });
});

describe('the descriptor', () => {
  it('has equal hashes for equal text, and different hashes for different text', () => {
    const build = (text: string, description: string, limit: number): Prompt =>
      promptTemplate({
        ns: 'a',
        key: 'b',
        sections: [
          section({
            title: 'A',
            key: 'a',
            template: text,
            tools: [
              tool({
                name: 't',
                description: 'T.',
                inputSchema: z.object({ n: z.number().max(limit).describe(description) }),
              }),
            ],
          }),
        ],
      }).bind();
    const { descriptor } = build('text', 'd', 1);
    expect(build('text', 'd', 1).descriptor).toEqual(descriptor);
    const [ofTool] = descriptor.tools;
    const [described] = build('text', 'other', 1).descriptor.tools;
    expect(described?.contract).toBe(ofTool?.contract);
    expect(described?.params).not.toEqual(ofTool?.params);
    expect(build('text', 'd', 2).descriptor.tools[0]?.contract).not.toBe(ofTool?.contract);
    expect(build('other', 'd', 1).descriptor.sections).not.toEqual(descriptor.sections);
  });
});
