import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, inject, it } from 'vitest';

const site = fileURLToPath(new URL('../../site/', import.meta.url));
const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The pages, by path, with what can be linked to in each. */
const pages = new Map<string, { readonly html: string; readonly ids: ReadonlySet<string> }>();

beforeAll(() => {
  expect(inject('siteProblem')).toBe('');
  for (const file of readdirSync(site, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.html')) continue;
    const html = readFileSync(join(site, file), 'utf8');
    const ids = new Set([...html.matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => unescaped(id)));
    pages.set(join(site, file), { html, ids });
  }
});

it('has every guide, every chapter of the specification, every reference, every entry', () => {
  const titles = (folder: string): readonly string[] =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => /^# (.*)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? file);
  const headings = [...pages.values()].map(({ html }) =>
    unescaped(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? ''),
  );
  for (const title of [...titles('guides'), ...titles('guides/reference')]) expect(headings).toContain(title);
  for (const title of titles('docs/spec')) expect(headings).toContain(title);
  const entries = readdirSync('src/entries').filter((file) => file !== 'wink.ts');
  expect(readdirSync(join(site, 'modules')).length).toBe(entries.length);
});

it('links only to pages, parts of pages and files that it has', () => {
  const broken: string[] = [];
  let count = 0;
  for (const [page, { html }] of pages) {
    for (const [, raw = ''] of html.matchAll(/\b(?:href|src|srcset)="([^"]*)"/g)) {
      const link = unescaped(raw);
      if (/^(?:https?|mailto|data):/.test(link)) continue;
      count += 1;
      if (!isThere(page, link)) broken.push(`${relative(site, page)}: ${link}`);
    }
  }
  expect([...new Set(broken)]).toEqual([]);
  expect(count).toBeGreaterThan(10_000);
});

function isThere(page: string, link: string): boolean {
  const [path = '', fragment = ''] = link.split('#', 2);
  let target = path === '' ? page : resolve(dirname(page), decodeURIComponent(path));
  if (!existsSync(target)) return false;
  if (statSync(target).isDirectory()) target = join(target, 'index.html');
  const ids = pages.get(target)?.ids;
  return fragment === '' || ids === undefined || ids.has(decodeURIComponent(fragment));
}

it('asks no other server for anything', () => {
  const foreign = [...pages].flatMap(([page, { html }]) =>
    [
      ...html.matchAll(
        /<(?:script|link|img|source|iframe)\b[^>]*\b(?:src|href|srcset)="(?:https?:)?\/\/[^"]*"/g,
      ),
    ].map(([tag]) => `${relative(site, page)}: ${tag}`),
  );
  expect(foreign).toEqual([]);
});
