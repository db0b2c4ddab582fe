import { describe, expect, it, vi } from 'vitest';
import { extractCodeBlocks } from './code-blocks.ts';
import { readDocument } from './documents.ts';

/** Documents that show a whole example, which readers can also run. */
const shown = [
  ['README.md', 'examples/quick-start.ts'],
  ['guides/sessions-and-transactions.md', 'examples/transactions.ts'],
] as const;

describe.each(shown)('%s', (document, example) => {
  it(`shows ${example} as it is`, () => {
    const { blocks } = extractCodeBlocks(document, readDocument(document).text);
    expect(blocks.map((block) => block.code)).toContain(readDocument(example).text.trimEnd());
  });
});

describe('guides/sessions-and-transactions.md', () => {
  it('shows what examples/transactions.ts prints', async () => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      await import('../../examples/transactions.ts');
      const output = printed.mock.calls.map((values) => values.join(' ')).join('\n');
      expect(readDocument('guides/sessions-and-transactions.md').text).toContain(`\`\`\`\n${output}\n\`\`\``);
    } finally {
      printed.mockRestore();
    }
  });
});
