import { describe, expect, it } from 'vitest';
import { extractCodeBlocks } from './code-blocks.ts';
import { type Document, readDocument, userDocuments } from './documents.ts';
import { linksOf, withoutFences } from './links.ts';

/** Words of prose that a guide may have, without code and tables. */
const most: Readonly<Record<string, number>> = {
  'first-agent': 1_200,
  'which-one': 500,
  prompts: 1_500,
  tools: 1_000,
  'run-it': 900,
  files: 1_700,
  shell: 1_200,
  resources: 900,
  'web-and-hosted-tools': 1_000,
  'mcp-servers': 600,
  skills: 700,
  'sub-agents': 600,
  transactions: 1_200,
  state: 800,
  'ask-me-before': 1_400,
  limits: 1_200,
  'steer-it': 800,
  'survive-a-crash': 1_600,
  'several-machines': 1_000,
  'deploy-it': 1_200,
  'test-it': 1_000,
  'watch-it': 1_500,
  models: 1_800,
  serve: 1_000,
  'harness-adapters': 400,
  'write-an-adapter': 500,
  'your-own-loop': 800,
  'from-ai-sdk': 550,
  'from-openai-agents': 550,
  'from-langgraph': 550,
  'from-wink-python': 350,
  troubleshooting: 500,
};
/** Guides of what came after the others were planned; together they may have 6,000. */
const later: Readonly<Record<string, number>> = {
  restate: 420,
  inngest: 300,
  dbos: 240,
  temporal: 210,
  'long-work': 720,
  'provider-tools': 640,
};
const tolerance = 1.1;
const mostOfAll = 30_000;
const longestLine = 120;
const mostLinesOfFirstBlock = 30;

/** Not guides: the index, and what is written by programs. */
const isGuide = (file: string): boolean =>
  /^guides\/[\w-]+\.md$/.test(file) && !/\/(?:README|it-cannot-happen-here)\.md$/.test(file);
const guides = userDocuments().filter(({ file }) => isGuide(file));
const nameOf = (file: string): string => file.replace(/^guides\/|\.md$/g, '');

/** Words of the prose. */
function wordsOf(text: string): number {
  const prose = withoutFences(text)
    .split('\n')
    .filter((line) => !line.startsWith('|'));
  return prose.join('\n').split(/\s+/).filter(Boolean).length;
}

it('has the guides of the plan, and the index names each', () => {
  expect(guides.map(({ file }) => nameOf(file)).toSorted()).toEqual(
    Object.keys({ ...most, ...later }).toSorted(),
  );
  const index = readDocument('guides/README.md').text;
  for (const { file } of guides) expect(index, file).toContain(`](${nameOf(file)}.md)`);
});

it('leads to every example: a guide or README.md has a link to it', () => {
  const linksIn = (documents: readonly Document[]): readonly string[] =>
    documents.flatMap((document) => linksOf(document).map(({ path }) => path));
  const listed = linksIn([readDocument('examples/README.md')]).filter((path) =>
    /^examples\/(?!issues\/).*\.ts$/.test(path),
  );
  expect(listed.length).toBeGreaterThan(20);
  const linked = new Set(linksIn([readDocument('README.md'), ...guides]));
  expect(listed.filter((path) => !linked.has(path))).toEqual([]);
});

it('is short as a whole', () => {
  const sum = guides
    .filter(({ file }) => nameOf(file) in most)
    .reduce((words, { text }) => words + wordsOf(text), 0);
  expect(sum).toBeLessThanOrEqual(mostOfAll);
});

describe.each(guides.map((guide) => [nameOf(guide.file), guide] as const))('%s', (name, { file, text }) => {
  it('keeps to its words', () => {
    expect(wordsOf(text)).toBeLessThanOrEqual(({ ...most, ...later }[name] ?? 0) * tolerance);
  });

  it('begins with a program that runs', () => {
    const [first] = extractCodeBlocks(file, text).blocks;
    expect(first?.isRun).toBe(true);
    expect(first?.code.split('\n').length).toBeLessThanOrEqual(mostLinesOfFirstBlock);
  });

  it('has lines that fit a terminal', () => {
    const lines = text.split('\n').filter((line) => !line.startsWith('|') && !line.includes(']('));
    expect(lines.filter((line) => line.length > longestLine)).toEqual([]);
  });
});
