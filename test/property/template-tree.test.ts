import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnySection, promptTemplate, section, tool } from 'weakincentives';
import { z } from 'zod';

/** A section tree as plain data; ids make keys, params and tools unique. */
interface Shape {
  readonly shown: 'full' | 'summary' | 'disabled';
  readonly hasParam: boolean;
  readonly hasTool: boolean;
  readonly children: readonly Shape[];
}

function forestOf(depth: number): fc.Arbitrary<readonly Shape[]> {
  return fc.array(
    fc.record({
      shown: fc.constantFrom('full', 'full', 'full', 'full', 'summary', 'disabled'),
      hasParam: fc.boolean(),
      hasTool: fc.boolean(),
      children: depth === 0 ? fc.constant([]) : forestOf(depth - 1),
    }),
    { maxLength: 3 },
  );
}
const forest = forestOf(3);

interface Expected {
  readonly texts: string[];
  readonly tools: string[];
  readonly needed: string[];
  /** What gets at summaries. */
  readonly openers: Set<string>;
}

const nothing = (): Expected => ({ texts: [], tools: [], needed: [], openers: new Set() });

const anyTool = ({ hasTool, children }: Shape): boolean => hasTool || children.some(anyTool);

/** The note under a summary. */
function noteOn(shape: Shape, at: readonly number[], expected: Expected): string {
  const address = addressOf(at);
  const below = shape.children.flatMap(({ shown }, index) =>
    shown === 'disabled' ? [] : [`"${addressOf([...at, index + 1])}"`],
  );
  const opener = anyTool(shape) ? 'open_sections' : 'read_section';
  expected.openers.add(opener);
  const how = anyTool(shape)
    ? `section_keys ["${address}"] to read it in full and to get its tools.`
    : `section_key "${address}" to read it in full.`;
  const sections = below.length === 0 ? '' : ` Sections below it: ${below.join(', ')}.`;
  return `[This is a summary. Call ${opener} with ${how}${sections}]`;
}

const addressOf = (at: readonly number[]): string =>
  at.map((_, depth) => `k${at.slice(0, depth + 1).join('_')}`).join('.');

/** Builds the sections, and says independently what has to come out. */
function build(
  shapes: readonly Shape[],
  path: readonly number[],
  expected: Expected,
  visible: boolean,
): AnySection[] {
  return shapes.map((each, index) => {
    const at = [...path, index + 1];
    const id = at.join('_');
    const isThere = visible && each.shown !== 'disabled';
    const isFull = isThere && each.shown === 'full';
    const address = addressOf(at);
    if (isThere) {
      expected.texts.push(`${'#'.repeat(at.length + 1)} ${at.join('.')}. T${id} (${address})`);
      if (each.hasParam) expected.needed.push(`p${id}`);
      expected.texts.push(
        each.hasParam ? `${isFull ? 'full' : 'short'} value of p${id}` : isFull ? 'full' : 'short',
      );
      if (isFull && each.hasTool) expected.tools.push(`t${id}`);
      if (!isFull) expected.texts.push(noteOn(each, at, expected));
    }
    const place = each.hasParam ? ` \${p${id}}` : '';
    return section({
      title: `T${id}`,
      key: `k${id}`,
      params: z.object(each.hasParam ? { [`p${id}`]: z.string() } : {}),
      template: `full${place}`,
      summary: `short${place}`,
      visibility: () => (each.shown === 'summary' ? 'summary' : 'full'),
      enabled: () => each.shown !== 'disabled',
      tools: each.hasTool ? [tool({ name: `t${id}`, description: 'D.' })] : [],
      children: build(each.children, at, expected, isFull),
    });
  });
}

describe('a tree of sections', () => {
  it('shows what is enabled and in full, with the numbers and addresses of the tree', async () => {
    await fc.assert(
      fc.asyncProperty(forest, async (shapes) => {
        const expected = nothing();
        const template = promptTemplate({ ns: 'a', key: 'b', sections: build(shapes, [], expected, true) });
        const prompt = template.bind(
          Object.fromEntries(expected.needed.map((name) => [name, `value of ${name}`])),
        );
        const rendered = await prompt.render();
        expect(rendered.text).toBe(expected.texts.join('\n\n'));
        const openers = ['open_sections', 'read_section'].filter((name) => expected.openers.has(name));
        const tools = [...expected.tools, ...openers];
        expect(rendered.tools.map(({ name }) => name)).toEqual(tools);
        expect([...rendered.boundTools.keys()]).toEqual(tools);
        expect(prompt.tools().map(({ name }) => name)).toEqual(expected.tools);
      }),
    );
  });

  it('needs the params of what is there, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(forest, fc.nat(), async (shapes, pick) => {
        const expected = nothing();
        const template = promptTemplate({ ns: 'a', key: 'b', sections: build(shapes, [], expected, true) });
        fc.pre(expected.needed.length > 0);
        const missing = expected.needed[pick % expected.needed.length] ?? '';
        const given = expected.needed.filter((name) => name !== missing);
        const prompt = template.bind(Object.fromEntries(given.map((name) => [name, 'x'])));
        const path = missing.slice(1).split('_');
        const address = path.map((_, depth) => `k${path.slice(0, depth + 1).join('_')}`).join('.');
        await expect(prompt.render()).rejects.toMatchObject({ details: { section: address } });
      }),
    );
  });
});
