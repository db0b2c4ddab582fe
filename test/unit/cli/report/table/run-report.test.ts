import { describe, expect, it } from 'vitest';
import { citedSources, formatSources } from '../../../../../src/cli/report/table/run-report.ts';

const plain = { maxSources: 20, style: (_tone: unknown, text: string) => text };
const clean = (text: string): string => text.replaceAll('secret', '<KEY>');

describe('citedSources', () => {
  it('names each page and file once, with a title where one of its citations has it', () => {
    const sources = citedSources(
      {
        search: {
          invocations: [],
          citations: [
            { turn: 1, type: 'url', url: 'https://a.example/?k=secret', span: [0, 4] },
            { turn: 1, type: 'url', url: 'https://b.example', title: 'B\u001b' },
            { turn: 2, type: 'url', url: 'https://a.example/?k=secret', title: 'A secret' },
            { turn: 2, type: 'url', url: 'https://c.example', title: 'https://c.example' },
          ],
        },
        files: {
          invocations: [],
          citations: [
            { turn: 2, type: 'file', fileId: 'file-1', filename: 'cats.md' },
            { turn: 2, type: 'file', fileId: 'file-2' },
          ],
        },
      },
      clean,
    );
    expect(formatSources(sources, plain)).toEqual([
      'Sources',
      '  1  A <KEY> - https://a.example/?k=<KEY>',
      '  2  B<U+001B> - https://b.example',
      '  3  https://c.example',
      '  4  cats.md - file-1',
      '  5  file-2',
    ]);
  });

  it('has no list where nothing is cited, and an end to a long one', () => {
    expect(formatSources(citedSources({}, clean), plain)).toEqual([]);
    const many = Array.from({ length: 30 }, (_, index) => ({ place: `https://${index}.example` }));
    const lines = formatSources(many, plain);
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('  …  10 more sources; --full shows all');
  });
});
