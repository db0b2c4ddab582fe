import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  binding,
  defineSlice,
  PromptRenderError,
  promptTemplate,
  ResourceRegistry,
  resourceToken,
  type SectionRenderContext,
  Session,
  section,
  tool,
  VisibilityExpansionRequired,
  WinkError,
} from 'weakincentives';
import { z } from 'zod';
import { ResourceContainer } from '../../../../../src/core/resource/index.ts';

function named(name: string): ReturnType<typeof tool> {
  return tool({ name, description: `Does ${name}.` });
}

async function failure(prompt: { render(): Promise<unknown> }): Promise<PromptRenderError> {
  const error: unknown = await prompt.render().then(
    () => new Error('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
  if (PromptRenderError.isInstance(error)) return error;
  throw error;
}

function bound(
  sections: readonly AnySection[],
  params: Readonly<Record<string, unknown>> = {},
): ReturnType<ReturnType<typeof promptTemplate>['bind']> {
  return promptTemplate({ ns: 'a', key: 'b', sections }).bind(params);
}

describe('text', () => {
  it('numbers, indents and addresses headings and joins blocks with one blank line', async () => {
    const rendered = await bound([
      section({
        title: 'Parent',
        key: 'parent',
        template: 'Above.',
        children: [
          section({ title: 'Empty', key: 'empty', template: '' }),
          section({
            title: 'Child',
            key: 'child',
            template: '\n  Below.\n',
            children: [section({ title: 'Deep', key: 'deep' })],
          }),
        ],
      }),
      section({ title: 'Last', key: 'last', template: 'End.' }),
    ]).render();
    expect(rendered.text).toBe(
      [
        '## 1. Parent (parent)',
        'Above.',
        '### 1.1. Empty (parent.empty)',
        '### 1.2. Child (parent.child)',
        'Below.',
        '#### 1.2.1. Deep (parent.child.deep)',
        '## 2. Last (last)',
        'End.',
      ].join('\n\n'),
    );
    expect(Object.isFrozen(rendered)).toBe(true);
  });

  it('is empty without sections', async () => {
    expect((await bound([]).render()).text).toBe('');
  });

  it('carries descriptor, output and deadline', async () => {
    const output = z.object({ answer: z.string() });
    const prompt = promptTemplate({ ns: 'a', key: 'b', sections: [], output }).bind();
    const deadline = { expiresAtMs: 5, remainingMs: () => 5, isExpired: () => false };
    const rendered = await prompt.render({ deadline });
    expect(rendered.descriptor).toEqual({ ns: 'a', key: 'b', name: 'b', sections: [], tools: [] });
    expect(rendered.output).toBe(prompt.output);
    expect(rendered.output?.compiled.schema).toBe(output);
    expect(rendered.deadline).toBe(deadline);
    expect(await bound([]).render()).not.toHaveProperty('output');
  });

  it('renders the same prompt again and again', async () => {
    const prompt = bound(
      [section({ title: 'T', key: 't', params: z.object({ x: z.string() }), template: '$x' })],
      { x: 'x' },
    );
    expect((await prompt.render()).text).toBe((await prompt.render()).text);
  });
});

describe('params', () => {
  const first = section({ title: 'A', key: 'a', params: z.object({ x: z.string() }), template: '$x' });
  const second = section({ title: 'B', key: 'b', params: z.object({ y: z.number() }), template: '$y' });

  it('that are missing or wrong are all named with their section', async () => {
    const error = await failure(
      bound([first, section({ title: 'P', key: 'p', children: [second] })], { y: 'one' }),
    );
    expect(error.message).toMatch(
      /^The params of prompt "b" do not fit:\nsection "a": x: .+\nsection "p\.b": y: .+/,
    );
    expect(error.details).toEqual({ section: 'a', sections: ['a', 'p.b'] });
  });

  it('are strict at every depth', async () => {
    const deep = section({ title: 'D', key: 'd', params: z.object({ at: z.object({ city: z.string() }) }) });
    const error = await failure(bound([deep], { at: { city: 'x', zip: 1 } }));
    expect(error.message).toMatch(/section "d": at.*zip/);
  });

  it('of a union are parsed by the member that fits', async () => {
    const union = section({
      title: 'U',
      key: 'u',
      params: z.union([
        z.object({ kind: z.literal('a'), x: z.string() }),
        z.object({ kind: z.literal('b') }),
      ]),
      render: (params) => (params.kind === 'a' ? params.x : 'none'),
    });
    expect((await bound([union], { kind: 'a', x: 'seen' }).render()).text).toContain('seen');
    expect((await bound([union], { kind: 'b' }).render()).text).toContain('none');
    expect((await failure(bound([union], { kind: 'b', x: 'stray' }))).details['section']).toBe('u');
  });

  it('may be validated asynchronously', async () => {
    const slow = z
      .object({ x: z.string() })
      .refine((value) => Promise.resolve(value.x !== 'bad'), 'must not be bad');
    const section1 = section({ title: 'S', key: 's', params: slow, render: ({ x }) => `got ${x}` });
    expect((await bound([section1], { x: 'good' }).render()).text).toContain('got good');
    expect((await failure(bound([section1], { x: 'bad' }))).message).toContain('must not be bad');
  });
});

describe('enabled', () => {
  const optionalPart = section({
    title: 'Diff',
    key: 'diff',
    params: z.object({ diff: z.string() }),
    template: '$diff',
    enabled: (raw) => raw.diff !== undefined,
    tools: [named('apply_diff')],
    children: [
      section({
        title: 'More',
        key: 'more',
        params: z.object({ more: z.string() }),
        tools: [named('more_diff')],
      }),
    ],
  });
  const after = section({ title: 'After', key: 'after', tools: [named('after_tool')] });

  it('takes section, descendants and tools away before their params are required, and changes no number', async () => {
    const rendered = await bound([optionalPart, after]).render();
    expect(rendered.text).toBe('## 2. After (after)');
    expect(rendered.tools.map(({ name }) => name)).toEqual(['after_tool']);
    expect([...rendered.boundTools.keys()]).toEqual(['after_tool']);
    const there = await bound([optionalPart, after], { diff: '+x', more: 'y' }).render();
    expect(there.text).toMatch(/^## 1\. Diff \(diff\)\n\n\+x\n\n### 1\.1\. More/);
    expect(there.tools.map(({ name }) => name)).toEqual(['apply_diff', 'more_diff', 'after_tool']);
  });

  it('requires the params of what is enabled', async () => {
    expect((await failure(bound([optionalPart, after], { diff: '+x' }))).details['section']).toBe(
      'diff.more',
    );
  });

  it('sees the raw params and the session', async () => {
    const notes = defineSlice({ name: 'notes', schema: z.object({ text: z.string() }) });
    const gated = section({
      title: 'Gated',
      key: 'gated',
      slices: [notes],
      params: z.object({ lang: z.string().default('en') }),
      enabled: (raw, session) => raw.lang === undefined && session.slice(notes).length > 0,
      tools: [named('gated_tool')],
    });
    const prompt = bound([gated]);
    const session = new Session();
    session.install(notes);
    expect((await prompt.render({ session })).text).toBe('');
    expect(prompt.tools({ session })).toEqual([]);
    session.slice(notes).append({ text: 'x' });
    expect((await prompt.render({ session })).text).toBe('## 1. Gated (gated)');
    expect(prompt.tools({ session }).map(({ name }) => name)).toEqual(['gated_tool']);
    // Without a session: an empty one.
    expect((await prompt.render()).text).toBe('');
    expect(prompt.tools()).toEqual([]);
  });

  it('must answer with true or false, and its failure names the section', async () => {
    const cause = new Error('boom');
    const throwing = section({
      title: 'T',
      key: 't',
      enabled: () => {
        throw cause;
      },
    });
    const error = await failure(bound([throwing]));
    expect(error.message).toBe('The enabled function of section "t" threw: boom');
    expect(error.cause).toBe(cause);
    expect(() => bound([throwing]).tools()).toThrow(/enabled function of section "t"/);
    const later = section({ title: 'T', key: 't', enabled: (async () => false) as never });
    expect((await failure(bound([later]))).message).toMatch(/must return true or false, not a promise/);
  });
});

describe('visibility', () => {
  const params = z.object({ detail: z.enum(['full', 'summary']).default('full'), topic: z.string() });
  const foldable = section({
    title: 'Topic',
    key: 'topic',
    params,
    template: 'Everything about $topic.',
    summary: 'About $topic.',
    visibility: ({ detail }) => detail,
    tools: [named('topic_tool')],
    children: [
      section({
        title: 'Part',
        key: 'part',
        params: z.object({ part: z.string() }),
        template: '$part',
        tools: [named('part_tool')],
      }),
    ],
  });

  it('shows the summary and hides text and tools of the section and its descendants, whose params are not required', async () => {
    const prompt = bound([foldable], { detail: 'summary', topic: 'cats' });
    const rendered = await prompt.render();
    expect(rendered.text).toBe(
      '## 1. Topic (topic)\n\nAbout cats.\n\n[This is a summary. Call open_sections with section_keys ["topic"] to read it in full and to get its tools. Sections below it: "topic.part".]',
    );
    expect(rendered.tools.map(({ name }) => name)).toEqual(['open_sections']);
    expect(prompt.tools()).toEqual([]);
  });

  it('shows everything in full', async () => {
    const prompt = bound([foldable], { topic: 'cats', part: 'tails' });
    expect((await prompt.render()).text).toBe(
      '## 1. Topic (topic)\n\nEverything about cats.\n\n### 1.1. Part (topic.part)\n\ntails',
    );
    expect(prompt.tools().map(({ name }) => name)).toEqual(['topic_tool', 'part_tool']);
  });

  it('may be constant', async () => {
    const folded = section({
      title: 'T',
      key: 't',
      template: 'Long.',
      summary: 'Short.',
      visibility: 'summary',
      tools: [named('hidden')],
    });
    const prompt = bound([folded]);
    expect((await prompt.render()).text).toMatch(/^## 1\. T \(t\)\n\nShort\.\n\n\[This is a summary\./);
    expect(prompt.tools()).toEqual([]);
  });

  it('needs a summary and a valid answer', async () => {
    const missing = section({ title: 'T', key: 't', visibility: () => 'summary' });
    expect((await failure(bound([missing]))).message).toMatch(/"t" is to be summarised and has no summary/);
    const wrong = section({ title: 'T', key: 't', visibility: () => 'hidden' as never });
    expect((await failure(bound([wrong]))).message).toMatch(/must be "full" or "summary", not "hidden"/);
    const throwing = section({
      title: 'T',
      key: 't',
      visibility: () => {
        throw new Error('boom');
      },
    });
    expect((await failure(bound([throwing]))).message).toBe(
      'The visibility function of section "t" threw: boom',
    );
  });

  it('that depends on missing params reports these and nothing below', async () => {
    const error = await failure(bound([foldable]));
    expect(error.details['sections']).toEqual(['topic']);
    expect(() => bound([foldable]).tools()).toThrow(/section "topic": topic/);
  });

  it('reports wrong params in reading order, whichever of them it depends on', async () => {
    const lacking = (key: string, options: object): AnySection =>
      section({ title: key, key, params: z.object({ [key]: z.string() }), ...options });
    const error = await failure(
      bound([lacking('first', {}), lacking('second', { visibility: () => 'full' }), lacking('third', {})]),
    );
    expect(error.details['sections']).toEqual(['first', 'second', 'third']);
  });

  it('has params parsed once, and those of no section that is left out', async () => {
    const parsed: string[] = [];
    const asked = (key: string, options: object): AnySection =>
      section({
        title: key,
        key,
        params: z.object({ x: z.string() }).refine(() => parsed.push(key) > 0),
        summary: 'S.',
        visibility: () => 'full',
        ...options,
      });
    const prompt = bound(
      [
        asked('off', { enabled: () => false, children: [asked('belowOff', {})] }),
        asked('folded', { visibility: () => 'summary', children: [asked('belowFolded', {})] }),
        asked('open', { children: [asked('belowOpen', {})] }),
      ],
      { x: 'x' },
    );
    await prompt.render();
    expect(parsed).toEqual(['folded', 'open', 'belowOpen']);
  });

  it('is decided for all sections at one moment, where no params are validated asynchronously', async () => {
    let isLater = false;
    const seen: boolean[] = [];
    const watching = (key: string): AnySection =>
      section({
        title: key,
        key,
        template: 'Text.',
        visibility: () => {
          seen.push(isLater);
          queueMicrotask(() => {
            isLater = true;
          });
          return 'full';
        },
      });
    await bound([watching('one'), watching('two'), watching('three')]).render();
    expect(seen).toEqual([false, false, false]);
  });

  it('lets tools() answer without params where it does not depend on them', () => {
    const plain = section({
      title: 'T',
      key: 't',
      params: z.object({ x: z.string() }),
      tools: [named('plain')],
    });
    expect(
      bound([plain])
        .tools()
        .map(({ name }) => name),
    ).toEqual(['plain']);
  });

  it('cannot be asked by tools() when the params are validated asynchronously', async () => {
    const slow = z.object({ x: z.string() }).refine(() => Promise.resolve(true));
    const asked = section({ title: 'T', key: 't', params: slow, summary: 'S.', visibility: () => 'summary' });
    const prompt = bound([asked], { x: 'x' });
    expect(() => prompt.tools()).toThrow(/validated asynchronously; use render\(\)/);
    expect((await prompt.render()).text).toBe(
      '## 1. T (t)\n\nS.\n\n[This is a summary. Call read_section with section_key "t" to read it in full.]',
    );
  });
});

describe('custom sections', () => {
  it('get session, resources, path, number and prompt', async () => {
    const Service = resourceToken<object>('service');
    const service = {};
    const container = ResourceContainer.for(
      new Session(),
      ResourceRegistry.of([binding(Service, { instance: service })]),
    );
    const session = new Session();
    const contexts: SectionRenderContext[] = [];
    const render = async (params: unknown, context: SectionRenderContext): Promise<string> => {
      contexts.push(context);
      expect(params).toEqual({});
      expect(context.resources?.has(Service)).toBe(true);
      expect(await context.resources?.get(Service)).toBe(service);
      return 'Text.';
    };
    const { resolver: resources } = container;
    await bound([section({ title: 'T', key: 't', render })]).render({ session, resources });
    const [context] = contexts;
    expect(context).toMatchObject({ path: 't', number: '1', prompt: { ns: 'a', key: 'b', name: 'b' } });
    expect(context?.session.id).toBe(session.id);
  });

  it('fail the rendering by their name', async () => {
    const cause = new Error('boom');
    const rejecting = section({ title: 'T', key: 't', render: () => Promise.reject(cause) });
    const error = await failure(bound([rejecting]));
    expect(error.message).toBe('The render function of section "t" threw: boom');
    expect(error.cause).toBe(cause);
    const wrong = section({ title: 'T', key: 't', render: () => 5 as never });
    expect((await failure(bound([wrong]))).message).toMatch(/must return a text, not a number/);
  });
});

describe('VisibilityExpansionRequired', () => {
  it('is a signal with sections and reason', () => {
    const signal = new VisibilityExpansionRequired(['a.b', 'c'], 'The details are needed.');
    expect(signal).toMatchObject({
      code: 'visibility-expansion-required',
      sections: ['a.b', 'c'],
      reason: 'The details are needed.',
    });
    expect(signal.details).toEqual({ sections: ['a.b', 'c'], reason: 'The details are needed.' });
    expect(VisibilityExpansionRequired.isInstance(signal)).toBe(true);
    expect(WinkError.isInstance(signal)).toBe(true);
    expect(VisibilityExpansionRequired.isInstance(new PromptRenderError('x'))).toBe(false);
  });
});
