import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Document, readDocument } from './documents.ts';

const root = new URL('../../', import.meta.url);
const folder = 'docs/spec';
const files = readdirSync(new URL(folder, root))
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .sort();

/** The text of all sources. */
const sources = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(`src/${file}`, root), 'utf8'))
  .join('\n');

describe.each(files.map((file) => [file, readDocument(`${folder}/${file}`)] as const))(
  '%s',
  (file, document) => {
    it('numbers its sections from 1', () => {
      const numbers = sectionsOf(document);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(numbers).not.toEqual([]);
    });

    it('refers to sections that exist', () => {
      expect(missingSections(document)).toEqual([]);
    });

    it('uses names that the sources have', () => {
      expect(namesIn(document).filter((name) => !sources.includes(name))).toEqual([]);
    });

    it('is listed in the README', () => {
      expect(readDocument(`${folder}/README.md`).text).toContain(`| [${file}](${file}) |`);
    });
  },
);

describe('the glossary', () => {
  const [terms = '', verbs = ''] = readDocument('docs/glossary.md').text.split('\n## Verbs\n');

  it('lists its terms alphabetically, each once', () => {
    const listed = firstCells(terms);
    expect(listed).toEqual([...new Set(listed)].sort((a, b) => a.localeCompare(b, 'en')));
    expect(listed).not.toEqual([]);
  });

  it('defines the verbs that names and comments use', () => {
    expect(firstCells(verbs)).toEqual(
      expect.arrayContaining(['`emit`', '`on`', '`record`', '`seal`', '`rollback`', '`dispose`']),
    );
  });
});

describe('comments in src', () => {
  const tags = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(new URL(`src/${file}`, root), 'utf8');
      return [...text.matchAll(/@see +(?<target>.*?)(?: *\*\/)?$/gm)].map(
        (match) => `${file}: ${match.groups?.['target'] ?? ''}`,
      );
    });

  it('cite the specification', () => {
    expect(tags).not.toEqual([]);
  });

  it('name a file and a section that exist', () => {
    expect(tags.filter((tag) => !isCitation(tag))).toEqual([]);
  });
});

describe('the package', () => {
  it('holds what its declarations cite', () => {
    const manifest: { files: readonly string[] } = JSON.parse(readDocument('package.json').text);
    expect(manifest.files).toContain(folder);
  });
});

describe('isCitation', () => {
  it.each([
    ['names no file', 'x.ts: the specification'],
    ['names another folder', 'x.ts: docs/decisions/README.md §1'],
    ['names no section', 'x.ts: docs/spec/tools.md'],
    ['names a file that does not exist', 'x.ts: docs/spec/nothing.md §1'],
    ['names a section that does not exist', 'x.ts: docs/spec/tools.md §999'],
  ])('is false for a tag that %s', (_what, tag) => {
    expect(isCitation(tag)).toBe(false);
  });
});

/** Whether a tag of the form `file: target` cites a section of the specification. */
function isCitation(tag: string): boolean {
  const match = /: docs\/spec\/(?<file>[a-z-]+\.md) §(?<section>\d+)$/.exec(tag);
  return match !== null && hasSection(match.groups?.['file'], match.groups?.['section']);
}

function hasSection(file = '', section = ''): boolean {
  return files.includes(file) && sectionsOf(readDocument(`${folder}/${file}`)).includes(Number(section));
}

function sectionsOf({ text }: Document): readonly number[] {
  return [...text.matchAll(/^## (?<number>\d+)\. \S/gm)].map((match) => Number(match.groups?.['number']));
}

/** Names that the specification compares with, and the sources do not have: of vendors, of Python, of the system, of environments, of `bench`. */
const namesOfOthers = new Set([
  ...['custom_tool_call', 'compact_20260112', 'compact-2026-01-12', 'pause_after_compaction', 'google_maps'],
  ...['lambda', 'asyncio', 'TAU', 'enumerate'],
  ...['EXDEV', 'cpSync', 'bench', 'disk-stage'],
  ...['CONNECTION_STRING', 'KEYBOARD', '_FILE', '_SOCK', 'sslpassword'],
]);
/** Outcomes as the report prints them, in capitals. */
const printedOutcomes = new Set(['DONE', 'FAILED', 'WAITING', 'INTERRUPTED']);

/** The identifiers and codes in inline code: `limits.maxTurns` has two, `path-not-found` is one. */
function namesIn({ text }: Document): readonly string[] {
  const code = [...text.matchAll(/`(?<code>[^`\n]+)`/g)].map((match) => match.groups?.['code'] ?? '');
  const names = code.flatMap((part) => part.match(/[A-Za-z_][\w-]*/g) ?? []);
  return [...new Set(names)].filter(
    (name) => name !== 'theTool' && !namesOfOthers.has(name) && !printedOutcomes.has(name),
  );
}

/** The first cells of the rows of a table, without its head. */
function firstCells(table: string): readonly string[] {
  return [...table.matchAll(/^\| (?<cell>[^|]+?) \|/gm)]
    .map((match) => match.groups?.['cell'] ?? '')
    .slice(2);
}

/** References to sections, of the same file (`§2`) or of another one (`[file.md](file.md) §2`), that do not exist. */
function missingSections({ file: path, text }: Document): readonly string[] {
  const own = path.slice(folder.length + 1);
  return [...text.matchAll(/(?:\]\((?<file>[a-z-]+\.md)\)\s+)?§(?<section>\d+)/g)]
    .filter((match) => !hasSection(match.groups?.['file'] ?? own, match.groups?.['section']))
    .map(([reference]) => reference);
}
