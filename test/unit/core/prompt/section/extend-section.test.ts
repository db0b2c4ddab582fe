import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  binding,
  extendSection,
  promptTemplate,
  resourceToken,
  section,
  tool,
  toolsSection,
} from 'weakincentives';
import { z } from 'zod';
import { refusal } from '../refusal.ts';

const Lang = z.object({ lang: z.string().default('English') });
const search = tool({
  name: 'search',
  description: 'Searches.',
  examples: [{ description: 'Nothing.', input: undefined, output: 'none' }],
});
const tone = section({
  title: 'Tone',
  key: 'tone',
  params: Lang,
  template: 'Write in $lang. It costs $$1.',
  summary: (p) => `In ${p.lang}.`,
  acceptsOverrides: false,
  tools: [search],
  children: [section({ title: 'Leaf', key: 'leaf', template: 'Be brief.' })],
});

async function textOf(of: AnySection, params: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const template = promptTemplate({ ns: 'a', key: 'b', sections: [of] });
  return (await template.bind(params).render({ examplesOnWire: true })).text;
}

describe('extendSection()', () => {
  it('makes an equal section where nothing is changed', async () => {
    const copy = extendSection(tone, {});
    expect(copy).toEqual(tone);
    expect(copy).not.toBe(tone);
    expect(await textOf(copy)).toBe(await textOf(tone));
  });

  it('changes the given options, and leaves the other section unchanged', async () => {
    const before = await textOf(tone);
    const loud = extendSection(tone, {
      title: 'Loud',
      key: 'Loud',
      template: (p) => `
        Shout
          in ${p.lang}.
      `,
      children: [],
      acceptsOverrides: true,
    });
    expect(loud).toMatchObject({ key: 'loud', acceptsOverrides: true, tools: [search] });
    expect(await textOf(loud, { lang: 'German' })).toBe('## 1. Loud (loud)\n\nShout\n  in German.');
    expect(loud.summary).toEqual(tone.summary);
    expect(await textOf(tone)).toBe(before);
  });

  it('is checked as section() checks', () => {
    expect(refusal(() => extendSection(tone, { key: 'a b' })).details['placeholder']).toBe('key');
    expect(refusal(() => extendSection(tone, { title: '' })).details['placeholder']).toBe('title');
    const unknown: string = 'in $language';
    expect(refusal(() => extendSection(tone, { template: unknown })).details).toEqual({
      section: 'tone',
      placeholder: 'language',
    });
    expect(refusal(() => extendSection(tone, { summary: unknown })).message).toMatch(
      /^The summary of section "tone" uses "language", which is not a param: params are "lang"/,
    );
    expect(
      refusal(() => extendSection(tone, { template: (p) => (p.lang ? 'a' : `${p.lang}`) })).message,
    ).toMatch(/reads "lang" without putting it into the text/);
    expect(() => extendSection(tone, { summary: undefined, visibility: 'summary' })).toThrow(/no summary/);
    expect(() => extendSection(tone, { template: 'x', render: () => 'y' })).toThrow(
      /both a template and a render/,
    );
    expect(() => extendSection(undefined as never, {})).toThrow(/undefined cannot be extended/);
  });

  it('checks kept text against other params', async () => {
    const params = Lang.extend({ volume: z.number() });
    const wider = extendSection(tone, { params, summary: '$lang at $volume' });
    expect(await textOf(wider, { volume: 3 })).toMatch(/Write in English\. It costs \$1\./);
    const error = refusal(() => extendSection(tone, { params: z.object({ volume: z.number() }) as never }));
    expect(error.message).toMatch(/template of section "tone" uses "lang", which is not a param/);
  });

  it('puts one kind of text in the place of the other, or takes things away', async () => {
    const free = extendSection(tone, { render: ({ lang }) => `Free, in ${lang}.`, children: [] });
    expect(free).not.toHaveProperty('template');
    expect(await textOf(free)).toBe('## 1. Tone (tone)\n\nFree, in English.');
    const again = extendSection(free, { template: 'Bound to $lang.' });
    expect(again).not.toHaveProperty('render');
    expect(await textOf(again)).toBe('## 1. Tone (tone)\n\nBound to English.');
    const bare = extendSection(again, { template: undefined, summary: undefined });
    expect(bare).not.toHaveProperty('summary');
    expect(await textOf(bare)).toBe('## 1. Tone (tone)');
    const shown = extendSection(extendSection(bare, { enabled: () => false }), { enabled: undefined });
    expect(await textOf(shown)).toBe('## 1. Tone (tone)');
  });

  it('keeps a toolsSection from listing examples', async () => {
    const silent = extendSection(toolsSection({ title: 'T', key: 't', tools: [search] }), {
      template: 'Search first.',
    });
    const prompt = promptTemplate({ ns: 'a', key: 'b', sections: [silent] }).bind();
    expect((await prompt.render()).text).toBe('## 1. T (t)\n\nSearch first.');
  });

  it('takes written-out sections, whose plain summary stays plain', async () => {
    const custom = {
      title: 'C',
      key: 'c',
      summary: ' Costs $5. ',
      render: () => 'Long.',
    } as const satisfies AnySection;
    const folded = extendSection(custom, { visibility: 'summary' });
    expect(await textOf(folded)).toContain('## 1. C (c)\n\nCosts $5.\n\n[');
    expect(await textOf(extendSection(custom, { key: 'd' }))).toBe('## 1. C (d)\n\nLong.');
  });

  it('shares nothing that could be changed', () => {
    const greeting = resourceToken<string>('greeting');
    const lists = {
      tools: [search],
      children: [section({ title: 'L', key: 'l' })],
      resources: [binding(greeting, { instance: 'hello' })],
      policies: [],
      hostedTools: [],
      slices: [],
    };
    const base = { title: 'B', key: 'b', ...lists };
    const made = [
      section(base),
      extendSection(base, {}),
      extendSection(section(base), { tools: lists.tools }),
    ];
    for (const list of Object.values(lists)) list.length = 0;
    for (const { tools, children, resources } of made) {
      expect(tools).toEqual([search]);
      expect(children).toHaveLength(1);
      expect(resources).toHaveLength(1);
    }
    for (const each of made) {
      expect(Object.isFrozen(each)).toBe(true);
      for (const value of Object.values(each)) {
        if (Array.isArray(value)) expect(Object.isFrozen(value)).toBe(true);
      }
    }
  });
});

describe('templates', () => {
  it('give their sections to other templates', async () => {
    const [first] = promptTemplate({ ns: 'a', key: 'one', sections: [tone] }).sections;
    expect(first).toBe(tone);
    const other = promptTemplate({
      ns: 'a',
      key: 'two',
      sections: [
        section({ title: 'Top', key: 'top', children: [extendSection(first, { template: 'In $lang!' })] }),
      ],
    });
    const { text } = await other.bind({ lang: 'Latin' }).render({ examplesOnWire: true });
    expect(text).toBe(
      '## 1. Top (top)\n\n### 1.1. Tone (top.tone)\n\nIn Latin!\n\n#### 1.1.1. Leaf (top.tone.leaf)\n\nBe brief.',
    );
  });

  it('take sections that were spread, for another title, key or lists', async () => {
    expect(await textOf({ ...tone, key: 'other', title: 'Other', children: [] })).toBe(
      '## 1. Other (other)\n\nWrite in English. It costs $1.',
    );
  });

  it('stay what they are when a written-out section is changed afterwards', async () => {
    const written: { title: string; key: string; render?: () => string; tools: (typeof search)[] } = {
      title: 'W',
      key: 'w',
      render: () => 'Before.',
      tools: [search],
    };
    const sections = [written];
    const template = promptTemplate({ ns: 'a', key: 'b', sections });
    written.title = 'Changed';
    written.render = () => 'After.';
    written.tools.length = 0;
    sections.length = 0;
    const { text, tools } = await template.bind().render({ examplesOnWire: true });
    expect(text).toBe('## 1. W (w)\n\nBefore.');
    expect(tools).toEqual([search]);
    expect(template.sections).toHaveLength(1);
    expect(Object.isFrozen(template.sections)).toBe(true);
  });

  it('take written-out sections whose members are inherited', async () => {
    class Greeting {
      readonly title = 'G';
      readonly key = 'g';
      render(): string {
        return 'Hello.';
      }
    }
    expect(await textOf(new Greeting())).toBe('## 1. G (g)\n\nHello.');
    expect(await textOf(extendSection(new Greeting(), { title: 'H' }))).toBe('## 1. H (g)\n\nHello.');
  });
});
