import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDocuments, type Document, isInProject, readDocument } from './documents.ts';

const withoutCode = (text: string): string =>
  text.replace(/^( *)(`{3,}|~{3,}).*\n[\s\S]*?^\1\2.*$/gm, '').replace(/`[^`\n]*`/g, '');

describe.each(allDocuments().map((document) => [document.file, document] as const))(
  '%s',
  (_file, document) => {
    it('links to what is there', () => {
      expect(brokenLinks(document)).toEqual([]);
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

function brokenLinks({ file, text }: Document): readonly string[] {
  const targets = [...withoutCode(text).matchAll(/\]\((?<target>[^()\s]+)\)/g)]
    .map((match) => match.groups?.['target'] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
  return targets.filter((target) => {
    const [path = '', anchor] = target.split('#');
    const resolved = path === '' ? file : join(dirname(file), path);
    if (!isInProject(resolved)) return true;
    return anchor !== undefined && resolved.endsWith('.md') && !anchorsOf(readDocument(resolved)).has(anchor);
  });
}

/** The fragment of each heading, as code hosts make it: lower case, punctuation dropped, spaces to hyphens. */
function anchorsOf({ text }: Document): ReadonlySet<string> {
  const headings = text.replace(/^( *)(`{3,}|~{3,}).*\n[\s\S]*?^\1\2.*$/gm, '').matchAll(/^#{1,6} +(.*)$/gm);
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
