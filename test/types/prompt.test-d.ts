import { describe, expectTypeOf, it } from 'vitest';
import {
  type AnySection,
  extendSection,
  type Placeholder,
  type Prompt,
  promptTemplate,
  quotedParam,
  type ReadonlySessionView,
  type RenderedPrompt,
  type Section,
  section,
  toolsSection,
} from 'weakincentives';
import { z } from 'zod';

const guidance = section({
  title: 'Guidance',
  key: 'guidance',
  params: z.object({ primaryTool: z.string(), lang: z.string().default('en') }),
  template: (p) => `Prefer ${p.primaryTool} in ${p.lang}.`,
  enabled: (raw) => raw.primaryTool !== '',
  children: [
    section({
      title: 'Sub',
      key: 'sub',
      params: z.object({ depth: z.number() }),
      template: 'depth ${depth}, $depth, cost $$5',
      children: [
        section({ title: 'Leaf', key: 'leaf', params: z.object({ leaf: z.boolean() }), template: '$leaf' }),
      ],
    }),
  ],
});
const plain = section({ title: 'Plain', key: 'plain', template: 'Nothing.' });
const nested = promptTemplate({
  ns: 'a',
  key: 'b',
  sections: [guidance, plain],
  output: z.object({ answer: z.string() }),
});
const unbound = promptTemplate({ ns: 'a', key: 'b', sections: [plain] });
const optional = promptTemplate({
  ns: 'a',
  key: 'b',
  sections: [
    section({
      title: 'O',
      key: 'o',
      params: z.object({ lang: z.string().default('en') }),
      template: '$lang',
    }),
  ],
});

/** Never called: the calls are only typed. */
function typedOnly(_calls: () => void): void {}

describe('bind()', () => {
  it('takes the intersection of all sections, at every depth', () => {
    expectTypeOf(nested.bind).parameter(0).toEqualTypeOf<{
      primaryTool: string;
      lang?: string | undefined;
      depth: number;
      leaf: boolean;
    }>();
    typedOnly(() => {
      nested.bind({ primaryTool: 'x', depth: 3, leaf: true });
      nested.bind({ primaryTool: 'x', lang: 'de', depth: 3, leaf: true });
      // @ts-expect-error depth and leaf are missing
      nested.bind({ primaryTool: 'x' });
      // @ts-expect-error leaf is missing
      nested.bind({ primaryTool: 'x', depth: 3 });
      // @ts-expect-error depth is a number
      nested.bind({ primaryTool: 'x', depth: '3', leaf: true });
      // @ts-expect-error nobody declares extra
      nested.bind({ primaryTool: 'x', depth: 3, leaf: true, extra: 1 });
      // @ts-expect-error params are required
      nested.bind();
    });
  });

  it('may be called without params when none is required', () => {
    typedOnly(() => {
      unbound.bind();
      unbound.bind({});
      unbound.bind({}, { resources: [] });
      optional.bind();
      optional.bind({ lang: 'de' });
      // @ts-expect-error the prompt has no params
      unbound.bind({ anything: 1 });
      // @ts-expect-error lang is a text
      optional.bind({ lang: 1 });
      // @ts-expect-error only lang is declared
      optional.bind({ language: 'de' });
    });
  });

  it('carries the output type', () => {
    expectTypeOf(nested.bind).returns.toExtend<Prompt<{ answer: string }>>();
    expectTypeOf(unbound.bind).returns.toExtend<Prompt<undefined>>();
    expectTypeOf(nested.bind).returns.not.toExtend<Prompt<{ answer: number }>>();
    expectTypeOf<Awaited<ReturnType<ReturnType<typeof nested.bind>['render']>>>().toEqualTypeOf<
      RenderedPrompt<{ answer: string }>
    >();
    const lists = promptTemplate({ ns: 'a', key: 'b', sections: [], output: z.array(z.string()) });
    expectTypeOf(lists.bind).returns.toExtend<Prompt<string[]>>();
    expectTypeOf<Prompt<{ answer: string }, { a: string }>>().toExtend<Prompt>();
    typedOnly(() => {
      // @ts-expect-error a text is no schema
      promptTemplate({ ns: 'a', key: 'b', sections: [], output: 'text' });
    });
  });

  it('gives a prompt whose with() takes part of the params', () => {
    typedOnly(() => {
      const prompt = nested.bind({ primaryTool: 'x', depth: 3, leaf: true });
      prompt.with({});
      prompt.with({ depth: 4 }).with({ leaf: false });
      // @ts-expect-error depth is a number
      prompt.with({ depth: '4' });
      // @ts-expect-error nobody declares extra
      prompt.with({ extra: 1 });
      // @ts-expect-error a prompt without params takes none
      unbound.bind().with({ extra: 1 });
    });
  });

  it('takes any member of a union', () => {
    const union = section({
      title: 'U',
      key: 'u',
      params: z.union([
        z.object({ kind: z.literal('file'), path: z.string() }),
        z.object({ kind: z.literal('text'), text: z.string() }),
      ]),
      template: '$kind',
    });
    const template = promptTemplate({ ns: 'a', key: 'b', sections: [union, guidance] });
    typedOnly(() => {
      template.bind({ kind: 'file', path: 'x', primaryTool: 'x', depth: 1, leaf: true });
      template.bind({ kind: 'text', text: 'x', primaryTool: 'x', depth: 1, leaf: true });
      // @ts-expect-error path is missing
      template.bind({ kind: 'file', primaryTool: 'x', depth: 1, leaf: true });
      // @ts-expect-error path is not there in every member
      section({ title: 'U', key: 'u', params: union.params, template: '$kind $path' as const });
    });
  });

  it('takes any member of a union whose members share nothing', () => {
    const params = z.union([z.object({ path: z.string() }), z.object({ text: z.string() })]);
    const template = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [section({ title: 'U', key: 'u', params })],
    });
    typedOnly(() => {
      template.bind({ path: 'x' });
      template.bind({ text: 'x' });
      // @ts-expect-error one of the members
      template.bind({});
      // @ts-expect-error one of the members
      template.bind({ other: 1 });
    });
  });

  it('has no value for a param that two sections type differently', () => {
    const text = section({ title: 'A', key: 'a', params: z.object({ same: z.string() }), template: '$same' });
    const number = section({
      title: 'B',
      key: 'b',
      params: z.object({ same: z.number() }),
      template: '$same',
    });
    typedOnly(() => {
      // @ts-expect-error text and number at once
      promptTemplate({ ns: 'a', key: 'b', sections: [text, number] }).bind({ same: 'x' });
    });
  });

  it('checks nothing of sections that the compiler does not know', () => {
    typedOnly(() => {
      const dynamic: readonly AnySection[] = [guidance, plain];
      promptTemplate({ ns: 'a', key: 'b', sections: dynamic }).bind({ anything: 1 });
      promptTemplate({ ns: 'a', key: 'b', sections: [...dynamic, guidance] }).bind({
        primaryTool: 'x',
        depth: 1,
        leaf: true,
      });
    });
  });
});

describe('templates', () => {
  const params = z.object({ a: z.string(), b_1: z.number().optional() });

  it('name params only, in both forms, in body and summary', () => {
    typedOnly(() => {
      section({ title: 'T', key: 't', params, template: '$a ${b_1} $$c $$$a' });
      section({ title: 'T', key: 't', params, template: '$a', summary: '$b_1.' });
      section({ title: 'T', key: 't', params, template: (p) => `${p.a} ${p.b_1}`, summary: (p) => `${p.a}` });
      section({
        title: 'T',
        key: 't',
        params,
        // @ts-expect-error unknown placeholder ${c}
        template: 'x ${c}',
      });
      section({
        title: 'T',
        key: 't',
        params,
        // @ts-expect-error unknown placeholder $c
        template: 'x $c y',
      });
      section({
        title: 'T',
        key: 't',
        params,
        // @ts-expect-error the second placeholder is unknown
        template: '$a then $aa',
      });
      section({
        title: 'T',
        key: 't',
        params,
        // @ts-expect-error a lone dollar
        template: '5 $ a piece',
      });
      section({
        title: 'T',
        key: 't',
        params,
        template: '$a',
        // @ts-expect-error unknown placeholder $c
        summary: 'x $c y',
      });
      // @ts-expect-error unknown placeholder in a function
      section({ title: 'T', key: 't', params, template: (p) => `x ${p.c}` });
      // @ts-expect-error unknown placeholder in the function of a summary
      section({ title: 'T', key: 't', params, template: '$a', summary: (p) => `x ${p.c}` });
      // @ts-expect-error only interpolation
      section({ title: 'T', key: 't', params, template: (p) => p.a.toUpperCase() });
      // @ts-expect-error a placeholder is no text
      section({ title: 'T', key: 't', params, template: (p) => p.a });
      // @ts-expect-error no params, no placeholders
      section({ title: 'T', key: 't', template: 'x $a' });
      // @ts-expect-error no params, no placeholders
      section({ title: 'T', key: 't', template: (p) => `x ${p.a}` });
    });
  });

  it('are quoted by their names, which are checked alike', () => {
    typedOnly(() => {
      section({ title: 'T', key: 't', params, template: '${quoted a} $b_1', summary: '${quoted b_1}' });
      section({ title: 'T', key: 't', params, template: (p) => `x ${quotedParam(p.a)}` });
      section({ title: 'T', key: 't', params, render: ({ a }) => quotedParam(a) });
      expectTypeOf(quotedParam('x')).toEqualTypeOf<string>();
      section({
        title: 'T',
        key: 't',
        params,
        template: (p) => {
          expectTypeOf(quotedParam(p.a)).toEqualTypeOf<Placeholder>();
          return `${quotedParam(p.a)}`;
        },
      });
      section({
        title: 'T',
        key: 't',
        params,
        // @ts-expect-error unknown placeholder c
        template: 'x ${quoted c}',
      });
      // @ts-expect-error unknown placeholder in a function
      section({ title: 'T', key: 't', params, template: (p) => `x ${quotedParam(p.c)}` });
      // @ts-expect-error a placeholder is no text
      section({ title: 'T', key: 't', params, template: (p) => quotedParam(p.a) });
    });
  });

  it('are checked at construction only when the compiler does not know the text', () => {
    typedOnly(() => {
      const text: string = 'x $unknown';
      section({ title: 'T', key: 't', params, template: text, summary: text });
    });
  });

  it('of a toolsSection are checked alike', () => {
    typedOnly(() => {
      toolsSection({ title: 'T', key: 't', params, tools: [], description: 'Use $a.' });
      toolsSection({ title: 'T', key: 't', params, tools: [], description: (p) => `Use ${p.a}.` });
      // @ts-expect-error unknown placeholder
      toolsSection({ title: 'T', key: 't', params, tools: [], description: 'Use $c.' });
      // @ts-expect-error tools are what it is for
      toolsSection({ title: 'T', key: 't' });
    });
  });
});

describe('sections', () => {
  const params = z.object({
    size: z.string().transform((text) => text.length),
    lang: z.string().default('en'),
  });

  it('give their functions raw or parsed params', () => {
    section({
      title: 'T',
      key: 't',
      params,
      enabled: (raw, session) => {
        expectTypeOf(raw).toEqualTypeOf<Partial<{ size: string; lang?: string | undefined }>>();
        expectTypeOf(session).toEqualTypeOf<ReadonlySessionView>();
        return true;
      },
      visibility: (parsed) => {
        expectTypeOf(parsed).toEqualTypeOf<{ size: number; lang: string }>();
        return 'full';
      },
      render: (parsed, context) => {
        expectTypeOf(parsed).toEqualTypeOf<{ size: number; lang: string }>();
        expectTypeOf(context.session).toEqualTypeOf<ReadonlySessionView>();
        return context.path;
      },
    });
    typedOnly(() => {
      // @ts-expect-error no such visibility
      section({ title: 'T', key: 't', visibility: 'hidden' });
      // @ts-expect-error decides now, not later
      section({ title: 'T', key: 't', enabled: async () => true });
      // @ts-expect-error no such option
      section({ title: 'T', key: 't', templates: 'x' });
    });
  });

  it('carry their params and those of their children', () => {
    expectTypeOf(plain).toExtend<Section<{ anything: string }>>();
    expectTypeOf(guidance).toExtend<AnySection>();
    expectTypeOf(guidance).not.toExtend<Section<{ primaryTool: string }>>();
  });

  it('may be written out as plain objects', () => {
    const custom = {
      title: 'Custom',
      key: 'custom',
      params: z.object({ topic: z.string() }),
      render: (given: { readonly topic: string }) => `About ${given.topic}.`,
      children: [guidance],
    } as const satisfies AnySection;
    const template = promptTemplate({ ns: 'a', key: 'b', sections: [custom] });
    typedOnly(() => {
      template.bind({ topic: 'x', primaryTool: 'x', depth: 1, leaf: true });
      // @ts-expect-error topic is missing
      template.bind({ primaryTool: 'x', depth: 1, leaf: true });
      // @ts-expect-error leaf is missing
      template.bind({ topic: 'x', primaryTool: 'x', depth: 1 });
    });
  });

  it('written out without params need none', () => {
    const template = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [{ title: 'Custom', key: 'custom', render: () => 'Text.' }],
    });
    typedOnly(() => {
      template.bind();
      // @ts-expect-error no params
      template.bind({ topic: 'x' });
    });
  });
});

describe('extendSection()', () => {
  const Lang = z.object({ lang: z.string().default('en') });
  const tone = section({
    title: 'Tone',
    key: 'tone',
    params: Lang,
    template: 'Write in $lang.',
    children: [section({ title: 'Leaf', key: 'leaf', params: z.object({ leaf: z.boolean() }) })],
  });

  it('keeps the params of the section and of its children', () => {
    const loud = extendSection(tone, { title: 'Loud tone' });
    expectTypeOf(loud).toEqualTypeOf(tone);
    const template = promptTemplate({ ns: 'a', key: 'b', sections: [loud] });
    expectTypeOf(template.bind).parameter(0).toEqualTypeOf<{ lang?: string | undefined; leaf: boolean }>();
  });

  it('checks new texts against them, in both forms', () => {
    typedOnly(() => {
      extendSection(tone, { template: 'Shout in ${lang}.', summary: '$lang' });
      extendSection(tone, { template: (p) => `Shout in ${p.lang}.`, summary: (p) => `${p.lang}` });
      extendSection(tone, { summary: undefined, template: undefined, enabled: undefined });
      extendSection(tone, {
        render: ({ lang }) => {
          expectTypeOf(lang).toEqualTypeOf<string>();
          return lang;
        },
        enabled: (raw) => {
          expectTypeOf(raw).toEqualTypeOf<Partial<{ lang?: string | undefined }>>();
          return true;
        },
        visibility: ({ lang }) => (lang === 'en' ? 'full' : 'summary'),
      });
      // @ts-expect-error unknown placeholder
      extendSection(tone, { template: 'Shout in $language.' });
      // @ts-expect-error unknown placeholder
      extendSection(tone, { summary: '$language' });
      // @ts-expect-error unknown placeholder in a function
      extendSection(tone, { template: (p) => `Shout in ${p.language}.` });
      // @ts-expect-error unknown placeholder in the function of a summary
      extendSection(tone, { summary: (p) => `Shout in ${p.language}.` });
      // @ts-expect-error a param of a child is not the section's
      extendSection(tone, { template: '$leaf' });
      // @ts-expect-error no such option
      extendSection(tone, { tamplate: 'x' });
      // @ts-expect-error a key is needed
      extendSection(tone, { key: undefined });
    });
  });

  it('takes a schema that yields at least the same', () => {
    const wider = extendSection(tone, {
      params: Lang.extend({ volume: z.number() }),
      template: 'Shout in $lang at $volume.',
    });
    const template = promptTemplate({ ns: 'a', key: 'b', sections: [wider] });
    expectTypeOf(template.bind)
      .parameter(0)
      .toEqualTypeOf<{ lang?: string | undefined; volume: number; leaf: boolean }>();
    typedOnly(() => {
      extendSection(wider, { template: '$lang $volume' });
      // @ts-expect-error lang is lost
      extendSection(tone, { params: z.object({ volume: z.number() }) });
      // @ts-expect-error lang is another type
      extendSection(tone, { params: z.object({ lang: z.number() }) });
      extendSection(plain, { params: Lang, template: '$lang' });
    });
  });

  it('needs what other children need', () => {
    const other = extendSection(tone, { children: [plain, guidance] });
    typedOnly(() => {
      promptTemplate({ ns: 'a', key: 'b', sections: [other] }).bind({
        primaryTool: 'x',
        depth: 1,
        leaf: true,
      });
      // @ts-expect-error the params of guidance are missing
      promptTemplate({ ns: 'a', key: 'b', sections: [other] }).bind({ leaf: true });
      promptTemplate({ ns: 'a', key: 'b', sections: [extendSection(tone, { children: [] })] }).bind();
    });
  });

  it('knows written-out sections, and nothing of sections that the compiler does not know', () => {
    const custom = {
      title: 'Custom',
      key: 'custom',
      params: z.object({ topic: z.string() }),
      render: (given: { readonly topic: string }) => given.topic,
    } as const satisfies AnySection;
    const bare = { title: 'Bare', key: 'bare', render: () => 'Text.' } as const satisfies AnySection;
    const dynamic: AnySection = tone;
    const annotated: Section<{ readonly lang?: string | undefined; readonly leaf: boolean }> = tone;
    typedOnly(() => {
      extendSection(custom, { template: 'About $topic.' });
      // @ts-expect-error unknown placeholder
      extendSection(custom, { template: 'About $topics.' });
      // @ts-expect-error it has no params
      extendSection(bare, { template: 'About $topic.' });
      extendSection(dynamic, { template: 'About $anything.' });
      extendSection(annotated, { template: 'About $anything.' });
      const sections = [extendSection(annotated, { title: 'Other' })];
      promptTemplate({ ns: 'a', key: 'b', sections }).bind({ lang: 'x', leaf: true });
      // @ts-expect-error leaf is missing
      promptTemplate({ ns: 'a', key: 'b', sections }).bind({ lang: 'x' });
    });
  });

  it('is not needed for a title, a key or lists: a spread keeps the params', () => {
    const spread = { ...tone, key: 'other', children: [] } as const;
    typedOnly(() => {
      promptTemplate({ ns: 'a', key: 'b', sections: [spread] }).bind({ leaf: true });
      promptTemplate({ ns: 'a', key: 'b', sections: [{ ...tone, title: 'Other' }] }).bind({ leaf: true });
      // @ts-expect-error leaf is missing
      promptTemplate({ ns: 'a', key: 'b', sections: [{ ...tone, title: 'Other' }] }).bind();
    });
  });

  it('takes sections out of templates', () => {
    const [first] = nested.sections;
    expectTypeOf(first).toEqualTypeOf(guidance);
    typedOnly(() => {
      extendSection(nested.sections[0], { template: '$primaryTool' });
      // @ts-expect-error unknown placeholder
      extendSection(nested.sections[0], { template: '$secondaryTool' });
      // @ts-expect-error there are two
      extendSection(nested.sections[2], {});
      promptTemplate({ ns: 'a', key: 'c', sections: [...nested.sections, tone] }).bind({
        primaryTool: 'x',
        depth: 1,
        leaf: true,
      });
    });
  });
});

describe('nesting', () => {
  const level = <const Name extends string, const Children extends readonly AnySection[]>(
    name: Name,
    children: Children,
  ) =>
    section({
      title: name,
      key: name,
      // The key is the one name of the type.
      params: z.object({ [name]: z.string() } as Record<Name, z.ZodString>),
      children,
    });

  it('of ten sections still needs the params of the innermost', () => {
    const f = level('f', [level('g', [level('h', [level('i', [level('j', [])])])])]);
    const a = level('a', [level('b', [level('c', [level('d', [level('e', [f])])])])]);
    const template = promptTemplate({ ns: 'a', key: 'b', sections: [a] });
    const all = { a: '', b: '', c: '', d: '', e: '', f: '', g: '', h: '', i: '' };
    typedOnly(() => {
      template.bind({ ...all, j: '' });
      // @ts-expect-error j is missing
      template.bind(all);
      // @ts-expect-error j is a text
      template.bind({ ...all, j: 1 });
      // @ts-expect-error nobody declares k
      template.bind({ ...all, j: '', k: '' });
    });
  });
});
