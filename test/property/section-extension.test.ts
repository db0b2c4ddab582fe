import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnySection, extendSection, promptTemplate, section, tool } from 'weakincentives';
import { z } from 'zod';
import type { Placeholders } from '../../src/core/prompt/index.ts';

const params = z.object({ a: z.string().default('A'), b: z.string().default('B') });
const tools = ['one', 'two'].map((name) => tool({ name, description: `Does ${name}.` }));
const child = section({ title: 'Child', key: 'child', params, template: 'Child of $a.' });

const text = fc.constantFrom('Plain.', '$a', '  ${b} and $a\n    $$5\n', 'Deep.\n  - $b', '');
/** What one extension changes; texts are given as texts or as functions. */
const change = fc.record(
  {
    title: fc.constantFrom('T', 'U'),
    key: fc.constantFrom('k', 'l'),
    template: fc.oneof(
      text,
      fc.constantFrom(
        (p: Placeholders<z.output<typeof params>>) => `From ${p.b} to ${p.a}`,
        () => 'Said $a.',
      ),
      fc.constant(undefined),
    ),
    summary: fc.option(text, { nil: undefined }),
    enabled: fc.constantFrom(
      undefined,
      () => false,
      () => true,
    ),
    tools: fc.subarray(tools),
    children: fc.constantFrom([], [child]),
    acceptsOverrides: fc.boolean(),
  },
  { requiredKeys: [] },
);

async function shown(of: AnySection): Promise<unknown> {
  const prompt = promptTemplate({ ns: 'a', key: 'b', sections: [of] }).bind({ b: 'given' });
  const rendered = await prompt.render();
  return { text: rendered.text, tools: rendered.tools, descriptor: rendered.descriptor };
}

describe('a section that is extended again and again', () => {
  it('is the section that all its options make at once, and changes none that it comes from', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 5 }), async (changes) => {
        const start = { title: 'S', key: 's', params, template: 'Start with $a.', summary: 'At $b.' };
        const made: AnySection[] = [section(start)];
        const before = [await shown(made[0] as AnySection)];
        let options: object = start;
        for (const each of changes) {
          const last = made.at(-1) as AnySection;
          // As callers write it who know the sections only when they run.
          const next = extendSection(last, each as object);
          options = { ...options, ...each };
          expect(await shown(next)).toEqual(await shown(section(options as typeof start)));
          made.push(next);
          before.push(await shown(next));
        }
        expect(await Promise.all(made.map(shown))).toEqual(before);
      }),
    );
  });
});
