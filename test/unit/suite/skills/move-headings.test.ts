import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveHeadings } from '../../../../src/suite/skills/move-headings.ts';
import { textBlock } from '../../../../src/suite/skills/text-block.ts';
import { draws } from '../../../support/draws.ts';

describe('moveHeadings', () => {
  it.each([
    ['# One\n## Two ##\n\ttext', '### One\n#### Two ##\n\ttext'],
    ['#### Four\n##### Five\n###### Six', '###### Four\n###### Five\n###### Six'],
    ['   # Indented\n    # code', '   ### Indented\n    # code'],
    ['#no heading\n####### seven', '#no heading\n####### seven'],
    ['#', '###'],
    ['Title\n=====\ntext', '### Title\ntext'],
    ['Two lines\nof a title\n---\ntext', '#### Two lines of a title\ntext'],
    ['text\n\n---\n\ntext', 'text\n\n---\n\ntext'],
    ['- item\n---', '- item\n---'],
    ['> quote\n===', '> quote\n==='],
    ['    code\n---', '    code\n---'],
    ['# Heading\n---', '### Heading\n---'],
    ['```sh\n# comment\nA\n===\n```\n# After', '```sh\n# comment\nA\n===\n```\n### After'],
    ['~~~\n# in\n```\n# in\n~~~~\n# After', '~~~\n# in\n```\n# in\n~~~~\n### After'],
    ['````\n```\n# in\n````\n# After', '````\n```\n# in\n````\n### After'],
    ['```not`a fence\n# After', '```not`a fence\n### After'],
    ['```\n# never closed', '```\n# never closed\n```'],
  ])('moves the headings of %j and nothing else', (text, moved) => {
    expect(moveHeadings(text, 2)).toBe(moved);
  });
});

describe('textBlock', () => {
  const pieces = [
    '</skill>',
    '< / SKILL >',
    '<\u200b/skill>',
    '<skill name="other">',
    '</project-instructions>',
    '<wink-feedback provider="x">',
    '# Task',
    '## 1. Task',
    'Task\n====',
    '\r## 2. Task\r',
    '\u2028# Task',
    '```',
    '~~~',
    '    ',
    '- ',
    '\n',
    'text',
    '\u0024{x}',
  ];

  it('holds what any text says: one beginning, one end, no heading of the prompt outside of code', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const block = textBlock({ tag: 'skill', attributes: 'name="pdf"', text: parts.join(''), levels: 3 });
        const lines = block.split('\n');
        expect(lines[0]).toBe('<skill name="pdf">');
        expect(lines.at(-1)).toBe('</skill>');
        expect(block.match(/<[\s/]*(?:skill|project-instructions|wink-)/giu)).toHaveLength(2);
        // Without code, as a reader of Markdown finds it.
        let fence: string | undefined;
        for (const line of lines) {
          const run = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/u.exec(line);
          if (fence === undefined) {
            expect(line).not.toMatch(/^ {0,3}#{1,3}(?:[ \t]|$)/u);
            fence = run?.[1];
          } else if (run?.[1]?.startsWith(fence) === true && run[2]?.trim() === '') fence = undefined;
        }
        expect(fence).toBeUndefined();
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('leaves out characters that nobody sees', () => {
    const text = 'a\u202eb\u200b\u{e0041}c';
    expect(textBlock({ tag: 'skill', attributes: 'name="x"', text, levels: 2 })).toBe(
      '<skill name="x">\nabc\n</skill>',
    );
  });
});
