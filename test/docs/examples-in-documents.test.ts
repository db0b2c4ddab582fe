import { describe, expect, it } from 'vitest';
import { extractCodeBlocks } from './code-blocks.ts';
import { readDocument } from './documents.ts';

/** Documents that show a whole example, which readers can also run. */
const shown = [['README.md', 'examples/quick-start.ts']] as const;

describe.each(shown)('%s', (document, example) => {
  it(`shows ${example} as it is`, () => {
    const { blocks } = extractCodeBlocks(document, readDocument(document).text);
    // Without the comment that the list of the examples is made from.
    const program = readDocument(example)
      .text.replace(/^(?:\/\/.*\n)+/, '')
      .trimEnd();
    expect(blocks.map((block) => block.code)).toContain(program);
  });
});
