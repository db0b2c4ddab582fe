import { describe, expect, it } from 'vitest';
import { allDocuments, type Document, isInProject, readDocument } from './documents.ts';
import { linksOf, withoutFences } from './links.ts';

describe.each(allDocuments().map((document) => [document.file, document] as const))(
  '%s',
  (_file, document) => {
    it('links to what is there', () => {
      expect(brokenLinks(document)).toEqual([]);
    });

    it('says how to run `await using` where its code has it', () => {
      const isGuide = document.file.startsWith('guides/');
      expect(isGuide && document.text.includes('await using')).toBe(
        isGuide && document.text.includes('(../README.md#run-typescript)'),
      );
    });

    it('names scripts that package.json has', () => {
      const manifest: { scripts: Record<string, string> } = JSON.parse(readDocument('package.json').text);
      const named = [...document.text.matchAll(/\bnpm run (?:--silent )?([a-z:]+)/g)].map(
        (match) => match[1] ?? '',
      );
      expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
    });
  },
);

function brokenLinks(document: Document): readonly string[] {
  return linksOf(document)
    .filter(({ path, anchor }) => {
      if (!isInProject(path)) return true;
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(readDocument(path)).has(anchor);
    })
    .map(({ target }) => target);
}

/** The fragment of each heading, as code hosts make it: lower case, punctuation dropped, spaces to hyphens. */
function anchorsOf({ text }: Document): ReadonlySet<string> {
  const headings = withoutFences(text).matchAll(/^#{1,6} +(.*)$/gm);
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}
