import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, findingKinds } from '../../../examples/review/finding.ts';
import {
  draftStatus,
  formatReport,
  itemKey,
  itemText,
  notesHeading,
  reportItems,
} from '../../../examples/review/report-format.ts';

const content = {
  title: 'Review of x',
  summary: 'Two.',
  findings: [],
  sincePrevious: [],
  notes: ['by hand'],
};

describe('formatReport', () => {
  it('groups findings by kind, in the order of kinds', () => {
    const report = formatReport({
      ...content,
      findings: [
        { kind: 'open-mark', path: 'b.ts', line: 3, text: 'TODO: x' },
        { kind: 'broken-link', path: 'a.md', line: 1, text: 'broken link to y.md' },
        { kind: 'open-mark', path: 'a.ts', text: 'HACK: z' },
      ],
      sincePrevious: [{ isOpen: false, text: '`c.ts` is empty', note: 'settled' }],
    });
    expect(report).toBe(`# Review of x

${draftStatus}

Two.

## Broken links

- [ ] \`a.md:1\` broken link to y.md

## Open TODO, FIXME, HACK and XXX marks

- [ ] \`b.ts:3\` TODO: x
- [ ] \`a.ts\` HACK: z

## Since the previous review

- [x] \`c.ts\` is empty
  - settled

${notesHeading}

- by hand
`);
  });

  it('lists every finding so that it is found again by its key', () => {
    const finding: fc.Arbitrary<Finding> = fc.record({
      kind: fc.constantFrom(...findingKinds),
      path: fc.string({
        minLength: 1,
        unit: fc.constantFrom(...Array.from('ab/.-_\n\r\t\u2028\u2029\u0085 ')),
      }),
      line: fc.integer({ min: 1, max: 9999 }),
      text: fc.stringMatching(/^[!-~]([ -~\u2028\u2029\u0085]{0,40}[!-~])?$/),
    });
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 12 }), (findings) => {
        const listed = reportItems(formatReport({ ...content, findings })).map((item) => itemKey(item.text));
        for (const one of findings) expect(listed).toContain(itemKey(itemText(one)));
      }),
    );
  });
});

describe('reportItems', () => {
  it('reads entries open and ticked, not those in code', () => {
    expect(reportItems('- [ ] a  \n* [X] b\n  - [x] c\n- d\n```\n- [ ] e\n```\n- [ ]\n- [ ] f')).toEqual([
      { isOpen: true, text: 'a' },
      { isOpen: false, text: 'b' },
      { isOpen: false, text: 'c' },
      { isOpen: true, text: 'f' },
    ]);
  });
});

describe('itemKey', () => {
  it('is the same where only lines, counts, case or spacing moved', () => {
    expect(itemKey('`a.ts:12`  Has 450 lines, more than `400`')).toBe(
      itemKey('`a.ts:3` has 512 lines, more than 400'),
    );
  });

  it.each([
    ['`a.ts:1` TODO: x', '`b.ts:1` TODO: x'],
    ['`a.ts:1` TODO: x', '`a.ts:1` TODO: y'],
    ['`a1.ts` is empty', '`a2.ts` is empty'],
    ['ask legal', 'ask sales'],
  ])('tells %s from %s', (left, right) => {
    expect(itemKey(left)).not.toBe(itemKey(right));
  });
});
