import { describe, expect, it } from 'vitest';
import { allDocuments, type Document } from './documents.ts';

const documents = allDocuments().filter(({ file }) => !/^(?:CHANGELOG|docs\/decisions\/)/.test(file));

/** Where it says what a hostile folder can do with npx. */
const warning = 'what-npx-starts';

/** Code that is set off from the text. */
const blocksOf = ({ text }: Document): readonly string[] =>
  [...text.matchAll(/^```\w*[^\n]*\n([^]*?)^```$/gm)].map(([, block = '']) => block);

/** Whether some program starts a server by npx: the word is in quotes, or serves at once. */
const startsByNpx = (block: string): boolean => /["']npx[ "']|\bnpx\b[^\n]*\bserve\b/.test(block);

describe.each(documents)('$file', (document) => {
  it('does not start wink by npx as a server', () => {
    const found = blocksOf(document).filter((block) => startsByNpx(block) && /\bwink\b/.test(block));
    expect(found).toEqual([]);
  });

  it('says what a hostile folder can do where a server is started by npx', () => {
    const isSilent = blocksOf(document).some(startsByNpx) && !document.text.includes(warning);
    expect(isSilent).toBe(false);
  });
});

describe('the documents', () => {
  it('have the warning that others refer to', () => {
    const serve = documents.find(({ file }) => file === 'guides/serve.md');
    const section = serve?.text.split('## What npx starts\n')[1]?.split('\n## ')[0];
    for (const word of ['node_modules/.bin/wink', '.npmrc', 'with your rights'])
      expect(section).toContain(word);
    const mounted = documents.find(({ file }) => file === 'guides/mcp-servers.md');
    expect(mounted?.text).toContain(warning);
  });

  it.each([
    ['{ "command": "npx", "args": ["wink", "serve"] }', true],
    ["server: { command: 'npx', args: ['-y', 'x'] }", true],
    ['"command": "npx -y x"', true],
    ['command = "npx"\nargs = ["wink", "serve"]', true],
    ['npx wink serve --workspace .', true],
    ['npx wink runs', false],
    ['wink serve', false],
  ])('%j is found: %j', (block, isFound) => {
    expect(startsByNpx(block)).toBe(isFound);
  });
});
