import { describe, expect, it } from 'vitest';
import { type AnySection, jsonSchema, promptTemplate, section, toolsSection } from 'weakincentives';
import { z } from 'zod';
import { refusal } from '../refusal.ts';

function textOf(...sections: readonly AnySection[]): Promise<string> {
  return promptTemplate({ ns: 'a', key: 'b', sections })
    .bind({})
    .render()
    .then(({ text }) => text);
}

describe('section()', () => {
  it('makes a frozen plain object and lowers its key', () => {
    const made = section({
      title: '  Task ',
      key: ' Task.One ',
      template: 'Do it.',
      acceptsOverrides: false,
    });
    expect(made).toMatchObject({ title: 'Task', key: 'task.one', acceptsOverrides: false });
    expect(Object.isFrozen(made)).toBe(true);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });

  it.each(['', '.a', '-a', 'a b', 'ä', 'a/b', 'x'.repeat(65)])('refuses the key %j', (key) => {
    const error = refusal(() => section({ title: 'T', key }));
    expect(error.message).toContain(JSON.stringify(key));
    expect(error.details['placeholder']).toBe('key');
  });

  it('takes the longest key', () => {
    expect(section({ title: 'T', key: 'x'.repeat(64) }).key).toHaveLength(64);
  });

  it.each(['', '  ', 'two\nlines'])('refuses the title %j', (title) => {
    expect(refusal(() => section({ title, key: 'a' })).details['placeholder']).toBe('title');
  });

  it('follows a reference of its params to a name that is no percent-encoding', () => {
    const params = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { $ref: '#/$defs/100%' } },
      required: ['city'],
      $defs: { '100%': { type: 'string' } },
    });
    expect(section({ title: 'T', key: 'a', params, template: 'Go to ${city}.' }).key).toBe('a');
  });

  it('rejects params that are not an object schema', () => {
    const error = refusal(() => section({ title: 'T', key: 'a', params: z.string() as never }));
    expect(error.message).toMatch(/params of section "a" cannot be used/);
  });

  it('refuses a template together with render, and a summary visibility without summary', () => {
    expect(() => section({ title: 'T', key: 'a', template: 'x', render: () => 'y' })).toThrow(
      /both a template and a render/,
    );
    expect(() => section({ title: 'T', key: 'a', template: 'x', visibility: 'summary' })).toThrow(
      /no summary/,
    );
  });

  it('keeps no hold on the lists it was given', async () => {
    const children = [section({ title: 'C', key: 'c' })];
    const parent = section({ title: 'P', key: 'p', children });
    children.push(section({ title: 'D', key: 'd' }));
    expect(await textOf(parent)).toBe('## 1. P (p)\n\n### 1.1. C (p.c)');
  });

  it('may be part of several templates, at different places', async () => {
    const shared = section({ title: 'Shared', key: 'shared', template: 'Text.' });
    expect(await textOf(shared)).toBe('## 1. Shared (shared)\n\nText.');
    expect(
      await textOf(
        section({ title: 'First', key: 'first' }),
        section({ title: 'P', key: 'p', children: [shared] }),
      ),
    ).toBe('## 1. First (first)\n\n## 2. P (p)\n\n### 2.1. Shared (p.shared)\n\nText.');
  });
});

describe('written-out sections', () => {
  it('bring a render function, which sees params and context', async () => {
    const custom = {
      title: 'Custom',
      key: 'Custom',
      params: z.object({ topic: z.string().default('cats') }),
      render: (
        params: { readonly topic: string },
        context: { readonly path: string; readonly number: string },
      ) => Promise.resolve(`\n  ${params.topic} at ${context.path} ${context.number}\n`),
    };
    expect(await textOf(section({ title: 'P', key: 'p', children: [custom] }))).toBe(
      '## 1. P (p)\n\n### 1.1. Custom (p.custom)\n\ncats at p.custom 1.1',
    );
  });

  it('are checked when a template is made of them', () => {
    const make = (written: unknown): unknown =>
      // As JavaScript callers may write it.
      promptTemplate({
        ns: 'a',
        key: 'b',
        sections: [{ title: 'P', key: 'p', children: [written as AnySection] }],
      });
    expect(refusal(() => make('text')).message).toMatch(/section 1\.1 in "p" is a string/);
    expect(refusal(() => make(null)).details['section']).toBe('p');
    expect(refusal(() => make({ title: 'T' })).message).toMatch(/key/);
    expect(refusal(() => make({ title: '', key: 'c' })).message).toMatch(/section "p\.c"/);
    expect(refusal(() => make({ title: 'T', key: 'c', template: 'x' })).details['section']).toBe('p.c');
    expect(refusal(() => make({ title: 'T', key: 'c', visibility: 'summary' })).details['section']).toBe(
      'p.c',
    );
    expect(refusal(() => make({ title: 'T', key: 'c', params: z.string() })).message).toMatch(
      /section "p\.c"/,
    );
    expect(refusal(() => make({ title: 'T', key: 'c', tools: ['x'] })).details['section']).toBe('p.c');
  });

  it('may have a plain summary, in which nothing is replaced', async () => {
    const custom = {
      title: 'C',
      key: 'c',
      visibility: 'summary',
      summary: ' Costs $5. ',
      render: () => 'Long.',
    } as const;
    expect(await textOf(custom)).toMatch(/^## 1\. C \(c\)\n\nCosts \$5\.\n\n\[/);
  });
});

describe('toolsSection()', () => {
  it('writes its heading and description only', async () => {
    expect(await textOf(toolsSection({ title: 'Tools', key: 'tools', tools: [] }))).toBe(
      '## 1. Tools (tools)',
    );
    expect(
      await textOf(toolsSection({ title: 'Tools', key: 'tools', tools: [], description: 'Use them.' })),
    ).toBe('## 1. Tools (tools)\n\nUse them.');
  });
});
