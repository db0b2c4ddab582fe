import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  binding,
  defineSlice,
  PolicyDecision,
  promptTemplate,
  resourceToken,
  type Schema,
  section,
} from 'weakincentives';
import { z } from 'zod';
import { refusal } from './refusal.ts';

function withParams(key: string, params: Schema): AnySection {
  return section({ title: key, key, params });
}

function template(...sections: readonly AnySection[]): ReturnType<typeof promptTemplate> {
  return promptTemplate({ ns: 'a', key: 'b', sections });
}

describe('promptTemplate()', () => {
  it('is a frozen value that names itself', () => {
    const made = promptTemplate({ ns: 'Examples/Tooling', key: 'Over.View', sections: [] });
    expect(made).toMatchObject({
      kind: 'prompt-template',
      ns: 'examples/tooling',
      key: 'over.view',
      name: 'over.view',
    });
    expect(promptTemplate({ ns: 'a', key: 'b', name: ' My prompt ', sections: [] }).bind().name).toBe(
      'My prompt',
    );
    expect(Object.isFrozen(made)).toBe(true);
    expect(Object.isFrozen(made.bind())).toBe(true);
  });

  it.each(['', '/', 'a//b', '/a', 'a b'])('refuses the namespace %j', (ns) => {
    expect(refusal(() => promptTemplate({ ns, key: 'b', sections: [] })).details['placeholder']).toBe('ns');
  });

  it('rejects a bad key, an empty name, sections that are not a list', () => {
    expect(refusal(() => promptTemplate({ ns: 'a', key: 'b c', sections: [] })).details['placeholder']).toBe(
      'key',
    );
    expect(
      refusal(() => promptTemplate({ ns: 'a', key: 'b', name: ' ', sections: [] })).details['option'],
    ).toBe('name');
    expect(() => promptTemplate({ ns: 'a', key: 'b', sections: 'x' as never })).toThrow(
      /sections must be an array/,
    );
  });

  it('can be made again with further sections after its own; the rest stays', async () => {
    const made = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
      output: z.object({ done: z.boolean() }),
      policies: [{ name: 'none', check: PolicyDecision.allow }],
    });
    const more = made['~withSections']([section({ title: 'More', key: 'more', template: 'And more.' })]);
    const { text, output } = await more.bind().render();
    expect(text).toMatch(/^## 1\. Task \(task\)\n\nDo it\.\n\n## 2\. More \(more\)\n\nAnd more\./);
    expect(output?.container).toBe('object');
    expect(more.sections).toHaveLength(2);
    expect(made.sections).toHaveLength(1);
    expect(() => made['~withSections']([section({ title: 'Task', key: 'task' })])).toThrow(
      /same address "task"/,
    );
  });

  it('refuses two sections with one address, also where dots make it one', () => {
    const twins = [section({ title: 'A', key: 'a' }), section({ title: 'A', key: 'A' })];
    expect(refusal(() => template(section({ title: 'P', key: 'p', children: twins }))).message).toMatch(
      /Sections 1\.1 and 1\.2 have the same address "p\.a"/,
    );
    const dotted = [
      section({ title: 'P', key: 'p', children: [section({ title: 'A', key: 'a' })] }),
      section({ title: 'PA', key: 'p.a' }),
    ];
    expect(refusal(() => template(...dotted)).details['section']).toBe('p.a');
  });

  it('refuses a section that contains itself', () => {
    const inner: { title: string; key: string; children: AnySection[] } = {
      title: 'Inner',
      key: 'inner',
      children: [],
    };
    const outer = { title: 'Outer', key: 'outer', children: [inner] };
    inner.children.push(outer);
    expect(refusal(() => template(outer)).message).toMatch(/"outer\.inner\.outer" contains itself/);
  });

  it('takes an object or an array as output, and nothing else', () => {
    const output = (schema: Schema): unknown =>
      promptTemplate({ ns: 'a', key: 'b', sections: [], output: schema }).bind().output;
    expect(output(z.object({ answer: z.string() }))).toMatchObject({ container: 'object' });
    expect(output(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))).toMatchObject({
      container: 'object',
    });
    expect(output(z.array(z.string()))).toMatchObject({ container: 'array' });
    expect(output(type({ answer: 'string' }))).toMatchObject({ container: 'object' });
    expect(refusal(() => output(z.string())).details['placeholder']).toBe('output');
    expect(refusal(() => output({} as never)).details['placeholder']).toBe('output');
    expect(promptTemplate({ ns: 'a', key: 'b', sections: [] }).bind()).not.toHaveProperty('output');
  });
});

describe('params of several sections', () => {
  it('may share a name when its schema is the same', () => {
    const made = template(
      withParams('x', z.object({ lang: z.enum(['en', 'de']), x: z.string() })),
      withParams('y', z.object({ lang: z.enum(['en', 'de']).optional() })),
    );
    expect(made.bind({ lang: 'en', x: 'x' }).params).toEqual({ lang: 'en', x: 'x' });
  });

  it.each<[string, Schema, Schema]>([
    ['types', z.object({ same: z.string() }), z.object({ same: z.number() })],
    ['limits', z.object({ same: z.string() }), z.object({ same: z.string().max(5) })],
    ['defaults', z.object({ same: z.string().default('a') }), z.object({ same: z.string().default('b') })],
    ['libraries that say different things', z.object({ same: z.string() }), type({ same: 'number' })],
    [
      'depths',
      z.object({ same: z.object({ a: z.string() }) }),
      z.object({ same: z.object({ a: z.number() }) }),
    ],
    [
      'members of a union',
      z.union([z.object({ same: z.literal(1) }), z.object({ same: z.literal(2) })]),
      z.object({ same: z.literal(1) }),
    ],
  ])('are refused when one name has different %s', (_what, left, right) => {
    const nested = section({ title: 'P', key: 'p', children: [withParams('right', right)] });
    const error = refusal(() => template(withParams('left', left), nested));
    expect(error.message).toMatch(
      /Sections "left" and "p\.right" declare the param "same" with different schemas/,
    );
    expect(error.details).toMatchObject({ section: 'p.right', placeholder: 'same' });
  });

  it('compares what references point to, not how they are written', () => {
    const address = z.object({ city: z.string() });
    const tree = z.object({
      value: z.string(),
      get next() {
        return tree.optional();
      },
    });
    const referring = z.object({ home: address, work: address, tree });
    const plain = z.object({ home: address, tree });
    expect(() => template(withParams('x', referring), withParams('y', plain))).not.toThrow();
    const other = z.object({ home: z.object({ city: z.number() }) });
    expect(() => template(withParams('x', referring), withParams('y', other))).toThrow(
      /"home" with different schemas/,
    );
  });

  it('are taken from every member of a union', () => {
    const union = z.union([
      z.object({ kind: z.literal('file'), path: z.string() }),
      z.object({ kind: z.literal('text'), text: z.string() }),
    ]);
    const made = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [section({ title: 'U', key: 'u', params: union })],
    });
    expect(made.bind({ kind: 'text', text: 'x' }).params).toEqual({ kind: 'text', text: 'x' });
  });
});

describe('bind() and with()', () => {
  const made = promptTemplate({
    ns: 'a',
    key: 'b',
    sections: [
      section({ title: 'A', key: 'a', params: z.object({ x: z.string() }) }),
      section({ title: 'B', key: 'b', params: z.object({ y: z.number().default(1) }) }),
    ],
  });

  it('refuse params that no section declares', () => {
    const error = refusal(() => made.bind({ x: 'x', z: 1, w: 2 } as never));
    expect(error.message).toMatch(
      /No section of prompt "b" declares "z", "w"; its params are "x" \(section "a"\), "y" \(section "b"\)\./,
    );
    expect(error.details).toMatchObject({ unknown: ['z', 'w'], placeholder: 'z' });
    expect(() => made.bind({ x: 'x' }).with({ z: 1 } as never)).toThrow(/declares "z"/);
    expect(() => promptTemplate({ ns: 'a', key: 'b', sections: [] }).bind({ z: 1 } as never)).toThrow(
      /it has no params/,
    );
    expect(() => made.bind(JSON.parse('{"x":"x","__proto__":1}'))).toThrow(/declares "__proto__"/);
  });

  it.each([[null], [['x']], ['x'], [5]])('refuse %j for params', (params) => {
    expect(() => made.bind(params as never)).toThrow(/must be an object, not/);
  });

  it('keep a frozen copy and change nothing in place', () => {
    const given = { x: 'one' };
    const prompt = made.bind(given);
    given.x = 'two';
    const changed = prompt.with({ y: 5 });
    expect(prompt.params).toEqual({ x: 'one' });
    expect(changed.params).toEqual({ x: 'one', y: 5 });
    expect(Object.isFrozen(changed.params)).toBe(true);
  });

  it('take anything where a section is open', () => {
    const open = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [
        section({ title: 'A', key: 'a', params: z.object({ x: z.string() }), template: '$x' }),
        section({
          title: 'O',
          key: 'o',
          params: z.record(z.string(), z.string()),
          render: (all) => JSON.stringify(all),
        }),
      ],
    });
    expect(open.bind({ x: 'x', more: 'y' }).params).toEqual({ x: 'x', more: 'y' });
    // What another section declares is that section's.
    return expect(open.bind({ x: 'x', more: 'y' }).render()).resolves.toMatchObject({
      text: '## 1. A (a)\n\nx\n\n## 2. O (o)\n\n{"more":"y"}',
    });
  });
});

describe('slices and resources', () => {
  const notes = defineSlice({ name: 'notes', schema: z.object({ text: z.string() }) });
  const marks = defineSlice({ name: 'marks', schema: z.object({ mark: z.number() }) });
  const token = resourceToken<string>('greeting');
  const other = resourceToken<string>('farewell');

  it('collects the slices of all sections once, also of disabled ones', () => {
    const made = template(
      section({
        title: 'A',
        key: 'a',
        slices: [notes],
        enabled: () => false,
        children: [section({ title: 'C', key: 'c', slices: [marks] })],
      }),
      section({ title: 'B', key: 'b', slices: [notes] }),
    );
    expect(made.bind({}).slices()).toEqual([notes, marks]);
  });

  it('refuses two slices with one name', () => {
    const twin = defineSlice({ name: 'notes', schema: z.object({ text: z.string() }) });
    const error = refusal(() =>
      template(
        section({ title: 'A', key: 'a', slices: [notes] }),
        section({ title: 'B', key: 'b', slices: [twin] }),
      ),
    );
    expect(error.message).toMatch(/named "notes", in section "a" and section "b"/);
  });

  it('lets sections win over the template, and bind() over both', () => {
    const ofTemplate = binding(token, { instance: 'template' });
    const ofSection = binding(token, { instance: 'section' });
    const ofBind = binding(token, { instance: 'bind' });
    const rest = binding(other, { instance: 'bye' });
    const plain = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [section({ title: 'A', key: 'a' })],
      resources: [ofTemplate, rest],
    });
    const made = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [
        section({ title: 'A', key: 'a', resources: [ofSection] }),
        section({ title: 'B', key: 'b', resources: [ofSection] }),
      ],
      resources: [ofTemplate, rest],
    });
    expect(plain.bind().resources().get(token)).toBe(ofTemplate);
    expect(made.bind().resources().get(token)).toBe(ofSection);
    const bound = made.bind({}, { resources: [ofBind] });
    expect(bound.resources().get(token)).toBe(ofBind);
    expect(bound.resources().get(other)).toBe(rest);
    expect(bound.resources()).toBe(bound.resources());
    expect(bound.with({}).resources().get(token)).toBe(ofBind);
    expect(made.bind().resources().get(token)).toBe(ofSection);
  });

  it('refuses one resource bound differently by two sections', () => {
    const error = refusal(() =>
      template(
        section({ title: 'A', key: 'a', resources: [binding(token, { instance: 'x' })] }),
        section({ title: 'B', key: 'b', resources: [binding(token, { instance: 'x' })] }),
      ),
    );
    expect(error.message).toMatch(/Sections "a" and "b" bind the resource "greeting" differently/);
  });
});
