import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnySection, jsonSchema, promptTemplate, quotedParam, section } from 'weakincentives';
import { draws } from '../support/draws.ts';

const ends = ['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029', '\u001C', '\u001D', '\u001E'];
const pieces = [
  ...['# ', '## 2. Rules (rules)', '###', '## Answer format', '=====', '-----', '<h1>', '> ', '- ', '1. '],
  ...[
    '`',
    '``',
    '```',
    '````',
    '```json',
    '~~~',
    '    ',
    '\t',
    ' ',
    '$',
    '$$',
    '${quoted issue}',
    '$issue',
    '\\',
  ],
  ...['Rules', '\uE000"aZ<000000>&  % ', '\u0000', '\uD800', '\u{1F600}', '(rules)', '[This is a summary.'],
];

/** Texts of those who want to pass for the prompt. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...pieces),
      fc.constantFrom(...ends),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    {
      maxLength: 20,
    },
  )
  .map((parts) => parts.join(''));

/** Where quoted params stand; `q` is one, the rest is the author's. */
const around = fc.constantFrom(
  '${quoted issue}',
  'Read: ${quoted issue} Answer.',
  '- one\n- ${quoted issue}\n- two',
  'One.\n\n  ${quoted issue}\nTwo.',
  '${quoted issue}${quoted other}',
  '${quoted other}\n\n${quoted issue} end',
  '```\ncode\n```\n${quoted issue}\n```\ncode\n```',
);

const params = jsonSchema<{ issue: string; other: string }>({
  type: 'object',
  properties: { issue: { type: 'string' }, other: { type: 'string' } },
  required: ['issue', 'other'],
});

type Place = 'template' | 'summary' | 'render';
interface Plan {
  readonly text: string;
  readonly place: Place;
  readonly children: readonly Plan[];
}

const { plan: plans } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    text: around,
    place: fc.constantFrom<Place>('template', 'template', 'summary', 'render'),
    children: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'quoted' },
      fc.constant([]),
      fc.array(tie('plan'), { maxLength: 2 }),
    ),
  }),
}));

function toSection(plan: Plan, index: number): AnySection {
  const key = `s${index}`;
  const children = plan.children.map(toSection);
  const common = { title: `Title ${index}`, key, params, children };
  switch (plan.place) {
    case 'template':
      return section({ ...common, template: plan.text as never });
    case 'summary':
      return section({ ...common, summary: plan.text as never, visibility: 'summary' });
    case 'render':
      return section({
        ...common,
        render: ({ issue, other }) => `A ${quotedParam(issue)} b ${quotedParam(other)} c`,
      });
  }
}

/** The headings that the tree asks for. */
function headingsOf(list: readonly Plan[], above = '', number = '', depth = 2): readonly string[] {
  return list.flatMap(({ place, children }, index) => {
    const path = `${above}s${index}`;
    const own = `${number}${index + 1}`;
    const below = place === 'summary' ? [] : headingsOf(children, `${path}.`, `${own}.`, depth + 1);
    return [`${'#'.repeat(depth)} ${own}. Title ${index} (${path})`, ...below];
  });
}

// oxlint-disable-next-line no-control-regex -- Some of them end lines.
const lineEnd = /\r\n|[\n\r\v\f\u001C-\u001E\u0085\u2028\u2029]/u;

/** Every line that could be read as a heading, by a reader that knows nothing of fences. */
function looseHeadings(text: string): readonly string[] {
  return text.split(lineEnd).filter((line) => /^ {0,3}#+(\s|$)/u.test(line));
}

/** The headings outside of fences, as Markdown reads them. */
function fencedHeadings(text: string): readonly string[] {
  const found: string[] = [];
  let open: string | undefined;
  for (const line of text.split(lineEnd)) {
    const ticks = /^ {0,3}(`{3,})([^`]*)$/u.exec(line);
    const [, run = '', rest = ''] = ticks ?? [];
    if (open !== undefined) {
      if (ticks !== null && run.length >= open.length && rest.trim() === '') open = undefined;
    } else if (ticks !== null) open = run;
    else if (/^ {0,3}#+(\s|$)/u.test(line)) found.push(line);
  }
  if (open !== undefined) found.push('a fence that is not closed');
  return found;
}

test('whatever quoted params say, the prompt has the sections of its tree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plans, { minLength: 1, maxLength: 3 }),
      hostile,
      hostile,
      async (list, issue, other) => {
        const template = promptTemplate({ ns: 'test', key: 'quoted', sections: list.map(toSection) });
        const { text } = await template.bind({ issue, other }).render();
        expect(looseHeadings(text)).toEqual(headingsOf(list));
        expect(fencedHeadings(text)).toEqual(headingsOf(list));
      },
    ),
    { numRuns: draws(300) },
  );
});

test('a quoted text comes through whole, line by line', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [before, fence, ...rest] = quotedParam(text).split('\n');
      const after = rest.splice(-2);
      expect([before, ...after]).toEqual(['', fence, '']);
      const lines = text === '' ? [] : text.split(lineEnd);
      expect(rest.map((line) => line.replace(/^ {4}/u, ''))).toEqual(lines);
      expect(rest.filter((line) => line !== '' && !line.startsWith('    '))).toEqual([]);
    }),
  );
});
