import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilesystemError, MemoryFilesystem } from 'weakincentives';
import { applyTextEdits } from '../../../../src/core/filesystem/index.ts';
import { draws } from '../../../support/draws.ts';

function edited(content: string, oldText: string, newText: string): string {
  return applyTextEdits('f', content, [{ oldText, newText }]).text;
}

describe('applyTextEdits', () => {
  it.each([
    ['the ending of the lines it replaces', 'a\r\nb\nc\nd', 'a\nb', 'x\ny\n', 'x\r\ny\r\n\nc\nd'],
    ['the frequent ending when it replaces no line', 'a\r\nb\r\nc\nd', 'd', '1\n2', 'a\r\nb\r\nc\n1\r\n2'],
    ['the line feed in a tie', 'a\r\nb\nc', 'c', '1\r\n2', 'a\r\nb\n1\n2'],
    ['no ending when the file has no lines', 'abc', 'b', '1\r\n2', 'a1\r\n2c'],
  ])('gives new lines %s', (_what, content, oldText, newText, expected) => {
    expect(edited(content, oldText, newText)).toBe(expected);
  });

  it('replaces at the very start and end, and beside line endings', () => {
    expect(edited('\ufeffab', 'a', 'x')).toBe('\ufeffxb');
    expect(edited('\ufeffab', '\ufeffa', 'x')).toBe('\ufeffxb');
    expect(edited('a\r\nb\r\n', '\nb\n', '')).toBe('a');
    expect(edited('a\r\nb', 'a', '')).toBe('\r\nb');
    expect(edited('a\r\nb\r\n', 'b\n', 'c')).toBe('a\r\nc');
  });

  it('leaves the lines that both texts share as they are, with their endings', () => {
    expect(edited('a\r\nb\nc\r\nd', 'a\nb\nc\n', 'a\nx\nc\n')).toBe('a\r\nx\nc\r\nd');
    expect(edited('a\r\nb\nc\n', 'a\nb\nc', 'a\nb\nnew\nc')).toBe('a\r\nb\nnew\r\nc\n');
    expect(edited('a\nb\r\nc\r\n', 'a\nb\nc\n', 'b\nc\n')).toBe('b\r\nc\r\n');
    expect(edited('aa', 'aa', 'aaa')).toBe('aaa');
    expect(edited('aaa', 'aaa', 'a')).toBe('a');
  });

  it('applies several edits to the original, and touches no other line', () => {
    const lines = fc.array(fc.record({ ending: fc.constantFrom('\n', '\r\n'), isEdited: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.boolean(), lines, fc.boolean(), (hasMark, given, sharesContext) => {
        const mark = hasMark ? '\ufeff' : '';
        const content = mark + given.map(({ ending }, index) => `line ${index};${ending}`).join('');
        const edits = given.flatMap(({ isEdited }, index) => {
          const context = sharesContext ? '\n' : '';
          return isEdited
            ? [{ oldText: `line ${index};${context}`, newText: `row ${index + 1};\nnew;${context}` }]
            : [];
        });
        if (edits.length === 0) return;
        const { text, replacements } = applyTextEdits('f', content, edits);
        expect(replacements).toBe(edits.length);
        const rows = given.map(({ ending, isEdited }, index) =>
          isEdited ? [`row ${index + 1};`, `new;${ending}`] : [`line ${index};${ending}`],
        );
        // Only the ending within new text is chosen; every other one is the one that was there.
        const plain = text.replaceAll(/;\r?\nnew;/g, ';new;');
        expect(plain).toBe(mark + rows.flat().join(''));
      }),
    );
  });

  it('does not take half a line ending for text', () => {
    expect(() => edited('a\r\nb', 'a\r', 'x')).toThrow(expect.objectContaining({ code: 'edit-not-found' }));
  });

  it('says where a text occurs that is not certain', () => {
    const details = (text: string): unknown =>
      expect.objectContaining({ code: 'edit-ambiguous', details: expect.objectContaining(JSON.parse(text)) });
    expect(() => edited('a\r\naa\nb', 'a', 'x')).toThrow(details('{"lines":[1,2,2],"occurrences":3}'));
    expect(() => edited('x\n'.repeat(2000), 'x', 'y')).toThrow(
      details('{"lines":[1,2,3,4,5,6,7,8,9,10],"occurrences":1000}'),
    );
  });

  it('changes only the replaced text, with any line endings', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\n', '\r\n', '👍'), { maxLength: 14 })
      .map((parts) => parts.join(''));
    const unix = (value: string): string => value.replaceAll('\r\n', '\n');
    fc.assert(
      fc.property(fc.boolean(), text, text, text, text, (hasMark, before, oldText, after, newText) => {
        const content = `${hasMark ? '\ufeff' : ''}${before}${oldText}${after}`;
        let result: string;
        try {
          result = edited(content, oldText, newText);
        } catch (error) {
          if (!FilesystemError.isInstance(error)) throw error;
          expect(['edit-ambiguous', 'edit-not-found', 'argument-invalid']).toContain(error.code);
          return;
        }
        // In terms of line feeds it is the plain replacement of the one place.
        const [left, right, ...others] = unix(content).split(unix(oldText));
        expect(others).toEqual([]);
        expect(unix(result)).toBe(`${left}${unix(newText)}${right}`);
        // And all around it stays as it was.
        expect(result.startsWith(`${hasMark ? '\ufeff' : ''}${before}`)).toBe(true);
        expect(result.endsWith(after)).toBe(true);
      }),
      { numRuns: draws(2000) },
    );
  });
});

describe('the number of replacements', () => {
  it('is bounded, and what is over that changes nothing', async () => {
    const file = 'ab'.repeat(100_000);
    const all = { oldText: 'a', newText: 'c', replaceAll: true };
    expect(applyTextEdits('f', file, [all])).toEqual({
      text: file.replaceAll('a', 'c'),
      replacements: 100_000,
    });
    const tooMany = expect.objectContaining({
      code: 'argument-invalid',
      message: expect.stringContaining('more than 100,000 replacements'),
    });
    expect(() => applyTextEdits('f', `${file}a`, [all])).toThrow(tooMany);
    // Together, too.
    expect(() => applyTextEdits('f', `${file}x`, [all, { oldText: 'x', newText: 'y' }])).toThrow(tooMany);
    const filesystem = new MemoryFilesystem({ files: { f: `${file}a` } });
    await expect(filesystem.edit('f', [all])).rejects.toThrow(tooMany);
    expect((await filesystem.read('f')).text).toBe(`${file}a`);
  });
});
