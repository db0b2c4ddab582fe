import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  hostedTool,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  readBeforeWritePolicy,
  section,
  sequentialDependencyPolicy,
  type ToolPolicy,
  ToolResult,
  tool,
  toolsSection,
} from 'weakincentives';
import { z } from 'zod';
import { refusal } from './refusal.ts';

function named(name: string): ReturnType<typeof tool> {
  return tool({ name, description: `Does ${name}.` });
}

function running(name: string): ReturnType<typeof tool> {
  return tool({ name, description: `Does ${name}.`, execute: () => ToolResult.ok(null) });
}

function hosted(name: string): ReturnType<typeof hostedTool> {
  return hostedTool({ kind: 'web_search', name, description: 'Searches.', config: {} });
}

function bound(sections: readonly AnySection[], policies: readonly ToolPolicy[] = []): Prompt {
  return promptTemplate({ ns: 'a', key: 'b', sections, policies }).bind({});
}

const policy = (name: string): ToolPolicy => ({ name, check: PolicyDecision.allow });

const search = tool({
  name: 'search',
  description: 'Searches the notes.',
  inputSchema: z.object({
    query: z.string().describe('What to look for'),
    limit: z.number().int().default(10),
    kind: z.enum(['note', 'task']).optional(),
    since: z.union([z.string(), z.null()]).optional(),
    tags: z.array(z.union([z.string(), z.number()])).optional(),
    names: z.array(z.string()).optional(),
    exact: z.literal(true).optional(),
    anything: z.unknown().optional(),
  }),
  outputSchema: z.object({ found: z.array(z.string()) }),
  examples: [
    { description: 'Two words', input: { query: 'red cat' }, output: { found: ['a', 'b'] } },
    { description: 'Nothing there', input: { query: 'dog', limit: 1 }, output: { found: [] } },
  ],
});

describe('tools of a prompt', () => {
  it('come in order of declaration, with section and policies from the inside out', async () => {
    const [outer, inner, whole] = [policy('outer'), policy('inner'), policy('whole')];
    const [first, second, third, fourth] = [named('first'), named('second'), named('third'), named('fourth')];
    const prompt = bound(
      [
        section({
          title: 'P',
          key: 'p',
          tools: [first],
          policies: [outer],
          children: [
            section({
              title: 'Q',
              key: 'q',
              tools: [second],
              policies: [inner],
              children: [section({ title: 'R', key: 'r', tools: [third] })],
            }),
          ],
        }),
        section({ title: 'S', key: 's', tools: [fourth] }),
      ],
      [whole],
    );
    const { tools, boundTools } = await prompt.render();
    expect(tools).toEqual([first, second, third, fourth]);
    expect([...boundTools.values()]).toMatchObject([
      { tool: first, sectionPath: 'p', policies: [outer, whole], recordingPolicies: [] },
      { tool: second, sectionPath: 'p.q', policies: [inner, outer, whole], recordingPolicies: [] },
      { tool: third, sectionPath: 'p.q.r', policies: [inner, outer, whole], recordingPolicies: [] },
      { tool: fourth, sectionPath: 's', policies: [whole], recordingPolicies: [] },
    ]);
    expect(prompt.tools()).toEqual(tools);
  });

  it.each<[string, readonly AnySection[]]>([
    [
      'tools of two sections',
      [
        section({ title: 'A', key: 'a', tools: [named('x')] }),
        section({ title: 'B', key: 'b', tools: [named('x')] }),
      ],
    ],
    [
      'one tool twice',
      [
        section({ title: 'A', key: 'a', tools: [search] }),
        toolsSection({ title: 'B', key: 'b', tools: [search] }),
      ],
    ],
    [
      'a tool and a hosted tool',
      [
        section({ title: 'A', key: 'a', tools: [named('x')] }),
        section({ title: 'B', key: 'b', hostedTools: [hosted('x')] }),
      ],
    ],
    [
      'hosted tools',
      [
        section({ title: 'A', key: 'a', hostedTools: [hosted('x')] }),
        section({ title: 'B', key: 'b', hostedTools: [hosted('x')] }),
      ],
    ],
    [
      'tools of disabled sections',
      [
        section({ title: 'A', key: 'a', tools: [named('x')], enabled: () => false }),
        section({ title: 'B', key: 'b', tools: [named('x')] }),
      ],
    ],
  ])('have unique names: %s', (_what, sections) => {
    const error = refusal(() => bound([section({ title: 'P', key: 'p', children: sections })]));
    expect(error.message).toMatch(/Sections "p\.a" and "p\.b" both bring a tool named/);
    expect(error.details).toMatchObject({ section: 'p.b', otherSection: 'p.a' });
  });

  it('are tools', () => {
    const lists = (tools: unknown): unknown =>
      bound([section({ title: 'A', key: 'a', tools: tools as never })]);
    expect(refusal(() => lists([{ name: 'x' }])).message).toMatch(/make it with tool\(\)/);
    expect(refusal(() => lists([hosted('x')])).message).toMatch(/make it with tool\(\)/);
    expect(refusal(() => lists([undefined])).details['section']).toBe('a');
    expect(() => bound([section({ title: 'A', key: 'a', hostedTools: [search as never] })])).toThrow(
      /make it with hostedTool\(\)/,
    );
    // The shape of 0.1.0, in which `kind` was what `type` is.
    const { type: kind, kind: hostedKind, ...rest } = hosted('old');
    const old = { kind, hostedKind, ...rest };
    expect(() => bound([section({ title: 'A', key: 'a', hostedTools: [old as never] })])).toThrow(
      /make it with hostedTool\(\)/,
    );
  });

  it('include hosted tools apart, except under a summary or in a disabled section', async () => {
    const prompt = bound([
      section({
        title: 'A',
        key: 'a',
        hostedTools: [hosted('one')],
        children: [section({ title: 'C', key: 'c', hostedTools: [hosted('two')] })],
      }),
      section({ title: 'F', key: 'f', hostedTools: [hosted('three')], summary: 'S.', visibility: 'summary' }),
      section({ title: 'D', key: 'd', hostedTools: [hosted('four')], enabled: () => false }),
    ]);
    const rendered = await prompt.render();
    expect(rendered.hostedTools.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(rendered.tools.map(({ name }) => name)).toEqual(['open_sections']);
    expect(prompt.tools()).toEqual([]);
  });
});

describe('parameter descriptions', () => {
  it('say description, type and default of every parameter', async () => {
    const { toolParamDescriptions } = await bound([
      section({ title: 'A', key: 'a', tools: [search, named('bare')] }),
    ]).render();
    expect(toolParamDescriptions).toEqual({
      search: {
        query: { description: 'What to look for', type: 'string' },
        limit: { type: 'integer', default: 10 },
        kind: { type: '"note" | "task"' },
        since: { type: 'string | null' },
        tags: { type: '(string | number)[]' },
        names: { type: 'string[]' },
        exact: { type: 'true' },
        anything: { type: 'any' },
      },
      bare: {},
    });
  });

  it('join the members of a union', async () => {
    const union = tool({
      name: 'union',
      description: 'Takes either.',
      inputSchema: z.union([
        z.object({ kind: z.literal('a'), size: z.number().describe('Size') }),
        z.object({ kind: z.literal('b'), size: z.string() }),
      ]),
    });
    const { toolParamDescriptions } = await bound([
      section({ title: 'A', key: 'a', tools: [union] }),
    ]).render();
    expect(toolParamDescriptions['union']).toEqual({
      kind: { type: '"a" | "b"' },
      size: { description: 'Size', type: 'number | string' },
    });
  });

  it('are safe for tools and parameters with names of object members', async () => {
    const odd = tool({
      name: '__proto__',
      description: 'Odd.',
      inputSchema: z.object({ ['constructor']: z.string() }),
    });
    const { toolParamDescriptions } = await bound([section({ title: 'A', key: 'a', tools: [odd] })]).render();
    expect(Object.keys(toolParamDescriptions)).toEqual(['__proto__']);
    expect(Object.getOwnPropertyDescriptor(toolParamDescriptions, '__proto__')?.value).toEqual({
      constructor: { type: 'string' },
    });
  });
});

describe('examples', () => {
  const written = [
    '## 1. A (a)',
    '',
    'Search first.',
    '',
    'Tools:',
    '- search: Searches the notes.',
    '  - search examples:',
    '    - description: Two words',
    '      input:',
    '        ```json',
    '        {"query":"red cat"}',
    '        ```',
    '      output:',
    '        ```',
    '        {"found":["a","b"]}',
    '        ```',
    '    - description: Nothing there',
    '      input:',
    '        ```json',
    '        {"query":"dog","limit":1}',
    '        ```',
    '      output:',
    '        ```',
    '        {"found":[]}',
    '        ```',
    '',
    '### 1.1. C (a.c)',
  ].join('\n');
  const withExamples = section({
    title: 'A',
    key: 'a',
    template: 'Search first.',
    tools: [named('bare'), search],
    children: [section({ title: 'C', key: 'c' })],
  });

  it('appear under the section that provides the tool', async () => {
    expect((await bound([withExamples]).render()).text).toBe(written);
  });

  it('are left out when the wire carries them', async () => {
    expect((await bound([withExamples]).render({ examplesOnWire: true })).text).toBe(
      '## 1. A (a)\n\nSearch first.\n\n### 1.1. C (a.c)',
    );
  });

  it('never appear under a summary or in a toolsSection', async () => {
    const folded = section({
      title: 'A',
      key: 'a',
      tools: [search],
      summary: 'Short.',
      visibility: 'summary',
    });
    expect((await bound([folded]).render()).text).not.toContain('examples');
    const bare = toolsSection({ title: 'A', key: 'a', tools: [search], description: 'Search.' });
    const rendered = await bound([bare]).render();
    expect(rendered.text).toBe('## 1. A (a)\n\nSearch.');
    expect(rendered.tools).toEqual([search]);
  });

  it('show outputs as the tool writes them, as JSON when it cannot, and not at all when there is none', async () => {
    const example = { description: 'One', input: undefined, output: { n: 1 } };
    const outputSchema = z.object({ n: z.number() });
    const pretty = tool({
      name: 'pretty',
      description: 'P.',
      outputSchema,
      examples: [example],
      render: ({ n }) => `n is ${n}\n\`\`\`\nend`,
    });
    const broken = tool({
      name: 'broken',
      description: 'B.',
      outputSchema,
      examples: [example],
      render: () => {
        throw new Error('boom');
      },
    });
    const silent = tool({
      name: 'silent',
      description: 'S.',
      examples: [{ description: 'None', input: undefined, output: null }],
    });
    const { text } = await bound([
      section({ title: 'A', key: 'a', tools: [pretty, broken, silent] }),
    ]).render();
    expect(text).toContain('        ````\n        n is 1\n        ```\n        end\n        ````\n- broken');
    expect(text).toContain('        ```\n        {"n":1}\n        ```\n- silent');
    expect(text).toMatch(/- description: None\n {6}input:\n {8}```json\n {8}\{\}\n {8}```$/);
  });
});

describe('policies', () => {
  it('have unique names in the whole prompt', () => {
    const twice = [
      section({ title: 'A', key: 'a', tools: [named('x')], policies: [policy('same')] }),
      section({ title: 'B', key: 'b', tools: [named('y')], policies: [policy('same')] }),
    ];
    expect(refusal(() => bound(twice)).message).toMatch(
      /Both section "a" and section "b" have a policy named "same"/,
    );
    const shared = policy('same');
    const nested = section({
      title: 'P',
      key: 'p',
      policies: [shared],
      children: [section({ title: 'C', key: 'c', tools: [named('x')], policies: [shared] })],
    });
    expect(refusal(() => bound([nested])).details).toMatchObject({ section: 'p.c', policy: 'same' });
    expect(
      refusal(() =>
        bound([section({ title: 'A', key: 'a', tools: [named('x')], policies: [shared] })], [shared]),
      ).message,
    ).toMatch(/section "a" and the prompt/);
    expect(() => bound([section({ title: 'A', key: 'a', policies: [policy(' ')] })])).toThrow(/has no name/);
  });

  it('may only depend on tools that the prompt has', () => {
    const order = sequentialDependencyPolicy({ dependencies: { deploy: ['test', 'build'] } });
    const tools = [running('deploy'), running('test')];
    const error = refusal(() => bound([section({ title: 'A', key: 'a', tools, policies: [order] })]));
    expect(error.message).toMatch(
      /depends on the tool "build", which the prompt does not have; its tools are "deploy", "test"/,
    );
    expect(error.details).toMatchObject({ section: 'a', tool: 'build' });
    expect(() =>
      bound([section({ title: 'A', key: 'a', tools: [...tools, running('build')] })], [order]),
    ).not.toThrow();
    expect(() => bound([], [order])).toThrow(/its tools are none/);
    expect(() =>
      bound([section({ title: 'A', key: 'a', tools, hostedTools: [hosted('build')] })], [order]),
    ).toThrow(/depends on the tool "build", which the provider runs: no policy gets to see it/);
  });

  it('bring their slices', () => {
    const order = sequentialDependencyPolicy({ dependencies: { deploy: ['test'] } });
    const tools = [running('deploy'), running('test')];
    const read = readBeforeWritePolicy();
    const slices = bound([section({ title: 'A', key: 'a', tools, policies: [read] })], [order]).slices();
    expect(slices).toEqual([...new Set([...(read.slices ?? []), ...(order.slices ?? [])])]);
    expect(slices.length).toBeGreaterThan(0);
  });
});
