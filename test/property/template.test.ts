import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnySection, promptTemplate, section } from 'weakincentives';
import { z } from 'zod';
import { dedent } from '../../src/core/prompt/template/parse-template.ts';

const names = ['a', 'b1', 'long_name'] as const;
const params = z.object({ a: z.string(), b1: z.string(), long_name: z.string() });

/** Pieces of a template: literal text, weighted towards what could confuse, or a param. */
const literal = fc.oneof(
  fc.string({
    unit: fc.constantFrom('$', '{', '}', 'a', 'b1', ' ', '\n', '\t', '"', '<', '\\', '&', 'é', '😀'),
  }),
  fc.string({ unit: 'grapheme' }),
);
const place = fc.constantFrom(...names).map((name) => ({ name }));
const pieces = fc.array(fc.oneof(literal, place), { maxLength: 12 });
type Piece = string | { readonly name: (typeof names)[number] };

function asText(template: readonly Piece[]): string {
  return template
    .map((piece) => (typeof piece === 'string' ? piece.replaceAll('$', '$$$$') : `\${${piece.name}}`))
    .join('');
}

function fromText(template: readonly Piece[]): AnySection {
  return section({ title: 'T', key: 't', params, template: asText(template) });
}

async function body(made: AnySection, values: z.input<typeof params>): Promise<string> {
  const template = promptTemplate({ ns: 'a', key: 'b', sections: [made] });
  const { text } = await template.bind(values).render();
  return text === '## 1. T (t)' ? '' : text.slice('## 1. T (t)\n\n'.length);
}

const values = fc.record({
  a: fc.string(),
  b1: fc.string(),
  long_name: fc.string({ unit: fc.constantFrom('$', '{', 'a', '}', '\n', ' ') }),
});

describe('templates', () => {
  it('say the same as a function and as a text', () => {
    fc.assert(
      fc.property(pieces, (template) => {
        const traced = section({
          title: 'T',
          key: 't',
          params,
          template: (p) =>
            template.map((piece) => (typeof piece === 'string' ? piece : `${p[piece.name]}`)).join(''),
        });
        expect(traced.template).toEqual(fromText(template).template);
      }),
    );
  });

  it('are the same after writing their source down and reading it again', () => {
    fc.assert(
      fc.property(pieces, (template) => {
        const first = fromText(template).template;
        const again = section({ title: 'T', key: 't', params, template: first?.source ?? '' }).template;
        expect(again).toEqual(first);
      }),
    );
  });

  it('put every param in as it is, once for each place', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, values, async (template, given) => {
        const made = fromText(template);
        const parts = made.template?.parts ?? [];
        const expected = parts
          .map((part) => (typeof part === 'string' ? part : given[part.name as keyof typeof given]))
          .join('')
          .trim();
        expect(await body(made, given)).toBe(expected);
      }),
    );
  });

  it('lose nothing but indentation and blank space', () => {
    const squeezed = (text: string): string => text.replaceAll(/\s+/gu, '');
    fc.assert(
      fc.property(pieces, (template) => {
        expect(squeezed(fromText(template).template?.source ?? '')).toBe(squeezed(asText(template)));
      }),
    );
  });
});

describe('dedent', () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom(' ', '\t', 'x', '\r') }), { maxLength: 8 });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const once = dedent(given.join('\n'));
        expect(dedent(once)).toBe(once);
      }),
    );
  });

  it('does not see further indentation of the whole text', () => {
    fc.assert(
      fc.property(lines, fc.constantFrom(' ', '    ', '\t'), (given, indentation) => {
        const text = given
          .map((line) => line.replaceAll('\r', ''))
          .map((line) => (line.trim() === '' ? '' : line));
        expect(dedent(text.map((line) => indentation + line).join('\n'))).toBe(dedent(text.join('\n')));
      }),
    );
  });
});
