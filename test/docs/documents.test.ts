import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CodeBlock, extractCodeBlocks } from './code-blocks.ts';
import { userDocuments } from './documents.ts';
import { type GeneratedModules, generateModules } from './generated-modules.ts';

const extracted = userDocuments().map(({ file, text }) => extractCodeBlocks(file, text));
const blocks = extracted.flatMap((found) => found.blocks);

describe('code in README.md and guides', () => {
  let modules: GeneratedModules;
  let complaints: ReadonlyMap<CodeBlock, readonly string[]>;

  beforeAll(async () => {
    modules = await generateModules(blocks);
    complaints = await modules.check();
  });
  afterAll(() => modules[Symbol.asyncDispose]());

  it('stands in fences that are checked', () => {
    expect(extracted.flatMap((found) => found.problems)).toEqual([]);
  });

  it('begins with a quick start in README.md that runs', () => {
    expect(blocks.filter((block) => block.file === 'README.md' && block.isRun)).not.toEqual([]);
  });

  describe.each(blocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
    '%s',
    (_name, block) => {
      it('compiles', () => {
        expect((complaints.get(block) ?? []).join('\n')).toBe('');
      });

      if (!block.isRun) return;
      it('runs', async () => {
        await expect(run(block, modules.pathOf(block))).resolves.toBeDefined();
      });
    },
  );
});

/** Runs a block's module without its printing; a failure names the line of the document. */
async function run(block: CodeBlock, path: string): Promise<unknown> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    return await import(/* @vite-ignore */ path);
  } catch (error) {
    throw new Error(`${locate(error, block)}: ${String(error)}`, { cause: error });
  } finally {
    printed.mockRestore();
  }
}

/** Where in the document an error was thrown: the first line of its stack that lies in the block's module. */
function locate(error: unknown, block: CodeBlock): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const line = /\.L\d+\.ts:(?<line>\d+)/.exec(stack)?.groups?.['line'] ?? String(block.line);
  return `${block.file}:${line}`;
}
