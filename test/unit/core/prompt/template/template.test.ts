import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { promptTemplate, type Schema, section } from 'weakincentives';
import { z } from 'zod';
import type { Placeholders } from '../../../../../src/core/prompt/index.ts';
import { refusal } from '../refusal.ts';

const params = z.object({ name: z.string(), count: z.number().optional() });
type Params = z.output<typeof params>;

/** The canonical text of a template, given as a function. */
function traced(template: (p: Placeholders<Params>) => string): string | undefined {
  return section({ title: 'T', key: 't', params, template }).template?.source;
}

/** The canonical text of a template whose text the compiler does not know. */
function parsed(template: string, schema: Schema = params): string | undefined {
  return section({ title: 'T', key: 't', params: schema, template }).template?.source;
}

async function body(bound: { render(): Promise<{ readonly text: string }> }): Promise<string> {
  const { text } = await bound.render();
  return text.slice(text.indexOf('\n\n') + 2);
}

describe('text templates', () => {
  it('reads $name, ${name} and $$', () => {
    const { template } = section({
      title: 'T',
      key: 't',
      params,
      template: '$name-${name}s cost $$5 at $count',
    });
    expect(template?.parts).toEqual([
      { name: 'name' },
      '-',
      { name: 'name' },
      's cost $5 at ',
      { name: 'count' },
    ]);
    expect(template?.placeholders).toEqual(['name', 'count']);
    expect(template?.source).toBe('${name}-${name}s cost $$5 at ${count}');
  });

  it('dedents and trims the text, and leaves the params as they are', async () => {
    const text: string = '\n      Hello,\n        $name!\n    ';
    const prompt = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [section({ title: 'T', key: 't', params, template: text })],
    });
    expect(await body(prompt.bind({ name: '  Ada\n  $count $$ ' }))).toBe('Hello,\n    Ada\n  $count $$ !');
  });

  it.each([
    ['x $nope', 'nope', /uses "nope", which is not a param: params are "count", "name"/],
    ['x ${nope}', 'nope', /uses "nope"/],
    ['x ${ name }', ' name ', /uses " name "/],
    ['costs $5', '5', /write \$\$ for a dollar/],
    ['5 $ a piece', '$', /lone "\$" before " a piece"; write \$\$/],
    ['end $', '$', /lone "\$"/],
    ['open ${name', '$', /lone "\$"/],
    ['constructor $toString', 'toString', /not a param/],
  ])('refuses %j', (text, placeholder, message) => {
    expect(() => parsed(text)).toThrow(message);
    const details = refusal(() => parsed(text)).details;
    expect(details).toMatchObject({ section: 't', placeholder });
  });

  it('states that there are no params at all', () => {
    const text: string = 'x $a';
    expect(() => section({ title: 'T', key: 't', template: text })).toThrow(/the section declares no params/);
  });

  it('takes any name where the schema is open', async () => {
    const open = section({
      title: 'T',
      key: 't',
      params: z.record(z.string(), z.string()),
      template: '$anything',
    });
    const prompt = promptTemplate({ ns: 'a', key: 'b', sections: [open] }).bind({ anything: 'goes' });
    expect(await body(prompt)).toBe('goes');
  });

  it('knows the names of other schema libraries', () => {
    const arktype = type({ name: 'string' });
    expect(parsed('$name', arktype)).toBe('${name}');
    expect(() => parsed('$nope', arktype)).toThrow(/params are "name"/);
  });

  it('knows the names after a transform of a field', () => {
    const schema = z.object({ size: z.string().transform((text) => text.length) });
    expect(parsed('$size', schema)).toBe('${size}');
    expect(() => parsed('$length', schema)).toThrow(/params are "size"/);
  });

  it('knows the names after a transform into another object, if that has a schema', () => {
    const schema = z
      .object({ first: z.string() })
      .transform(({ first }) => ({ size: first.length }))
      .pipe(z.object({ size: z.number() }));
    expect(parsed('$size', schema)).toBe('${size}');
    expect(() => parsed('$first', schema)).toThrow(/params are "size"/);
  });

  it('knows only what every member of a union has', () => {
    const union = z.union([
      z.object({ kind: z.literal('a'), x: z.string() }),
      z.object({ kind: z.literal('b') }),
    ]);
    expect(parsed('$kind', union)).toBe('${kind}');
    expect(() => parsed('$x', union)).toThrow(/params are "kind"/);
  });
});

describe('template functions', () => {
  it('say the same as the text that reads alike', () => {
    expect(traced((p) => `\n    Hi ${p.name},\n      it is $5 or ${p.count}.\n  `)).toBe(
      'Hi ${name},\n  it is $$5 or ${count}.',
    );
  });

  it('may use a placeholder often, join, map and concatenate', () => {
    expect(traced((p) => [p.name, p.count].map((each) => `- ${each}`).join('\n'))).toBe(
      '- ${name}\n- ${count}',
    );
    expect(traced(({ name }) => `${name}${name}`)).toBe('${name}${name}');
    expect(traced((p) => 'Hi ' + p.name + '!')).toBe('Hi ${name}!');
  });

  it.each<[string, (p: Placeholders<Params>) => string, RegExp]>([
    [
      'reads without using',
      (p) => (p.count ? `${p.name}` : ''),
      /reads "count" without putting it into the text/,
    ],
    ['branches on a param', (p) => (p.name ? `x ${p.name}` : 'y'), /reads "name" without/],
    ['changes case', (p) => String(p.name).toUpperCase(), /changes, compares or drops "name"/],
    ['trims', (p) => `<${String(p.name).trim()}>`, /changes, compares or drops "name"/],
    ['measures', (p) => `<${'x'.repeat(String(p.name).length)}>`, /changes, compares or drops "name"/],
    ['measures what it shows', (p) => shown(String(p.name)), /something else when it runs a second time/],
    ['compares', (p) => (String(p.name) === 'x' ? 'x' : 'y'), /changes, compares or drops "name"/],
    ['sorts', (p) => [`${p.name}`, `${p.count}`].sort().join(), /something else when it runs a second time/],
    ['escapes', (p) => JSON.stringify(`${p.name}`), /changes, compares or drops "name"/],
    ['cuts', (p) => `${p.name}`.slice(2), /changes, compares or drops "name"/],
    ['writes JSON', (p) => JSON.stringify({ name: p.name }), /turns "name" into JSON/],
    ['computes', (p) => `${Number(p.count) + 1}`, /computes with "count"/],
    ['lists', (p) => Object.keys(p).join(), /lists its placeholders/],
    ['spreads', (p) => `${{ ...p }.name}`, /lists its placeholders/],
    ['asks', (p) => ('name' in p ? 'x' : 'y'), /lists its placeholders/],
    ['is not again', () => `${counter()}`, /something else when it runs a second time/],
  ])('are refused when the text %s', (_what, template, message) => {
    expect(() => traced(template)).toThrow(message);
    expect(refusal(() => traced(template)).details['section']).toBe('t');
  });

  it('are refused when they throw, return no text, or name a name that is not a param', () => {
    const broken = (template: unknown): unknown =>
      // As JavaScript callers may write it.
      section({ title: 'T', key: 't', params, template: template as string });
    expect(() => broken((p: { readonly name: string }) => p.name.toUpperCase())).toThrow(
      /threw when it ran on placeholders .* comes from "render"/,
    );
    expect(() => broken(() => 5)).toThrow(/returned the type number .* comes from "render"/);
    expect(() => broken((p: { readonly name: string }) => p.name)).toThrow(
      'returned a placeholder alone where a text is expected; put a placeholder into a text, as in `${p.name}`',
    );
    expect(() => broken((p: { readonly nope: string }) => `<${p.nope}>`)).toThrow(
      /uses "nope", which is not a param/,
    );
    expect(() => broken(7)).toThrow(/is a number; give a text or a function/);
  });

  it('keep the cause of what they threw', () => {
    const failure = new Error('boom');
    const error = refusal(() =>
      traced(() => {
        throw failure;
      }),
    );
    expect(error.message).toContain('boom');
    expect(error.cause).toBe(failure);
  });
});

describe('params in the text', () => {
  const values = z.object({ value: z.unknown() });
  const prompt = promptTemplate({
    ns: 'a',
    key: 'b',
    sections: [section({ title: 'T', key: 't', params: values, template: (p) => `<${p.value}>` })],
  });

  it.each([
    ['text', '<text>'],
    [5, '<5>'],
    [false, '<false>'],
    [null, '<>'],
    [undefined, '<>'],
    [['a', 1], '<["a",1]>'],
    [{ b: 1, a: null }, '<{"b":1}>'],
  ])('%j is written as %s', async (value, expected) => {
    expect(await body(prompt.bind({ value }))).toBe(expected);
  });

  it('apply the schema: defaults and transforms', async () => {
    const schema = z.object({
      lang: z.string().default('en'),
      size: z.string().transform((text) => text.length),
    });
    const sized = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [section({ title: 'T', key: 't', params: schema, template: '$lang $size' })],
    });
    expect(await body(sized.bind({ size: 'four' }))).toBe('en 4');
  });
});

/** Shows the text and whether it is long: two questions in one token. */
function shown(text: string): string {
  return text.length > 25 ? `long ${text}` : `short ${text}`;
}

let count = 0;
function counter(): number {
  count += 1;
  return count;
}
