import { describe, expect, it } from 'vitest';
import { extractCodeBlocks } from './code-blocks.ts';

const lines = (...text: readonly string[]): string => text.join('\n');

describe('extractCodeBlocks', () => {
  it('takes ts blocks with the line of their code', () => {
    const { blocks, problems } = extractCodeBlocks(
      'guides/a.md',
      lines('# A', '', '```ts', 'one();', 'two();', '```', '```ts no-run', 'three();', '```'),
    );
    expect(problems).toEqual([]);
    expect(blocks).toEqual([
      { file: 'guides/a.md', line: 4, code: 'one();\ntwo();', isRun: true },
      { file: 'guides/a.md', line: 8, code: 'three();', isRun: false },
    ]);
  });

  it('takes the package that a block needs', () => {
    const { blocks } = extractCodeBlocks('a.md', lines('```ts needs=@scope/name', 'x();', '```'));
    expect(blocks).toEqual([{ file: 'a.md', line: 2, code: 'x();', isRun: true, needs: '@scope/name' }]);
  });

  it('leaves other languages and plain fences alone', () => {
    const { blocks, problems } = extractCodeBlocks(
      'a.md',
      lines('```sh', 'npm test', '```', '```', 'x', '```'),
    );
    expect({ blocks, problems }).toEqual({ blocks: [], problems: [] });
  });

  it('does not look into a longer fence', () => {
    const { blocks, problems } = extractCodeBlocks('a.md', lines('````md', '```ts', 'x', '```', '````'));
    expect({ blocks, problems }).toEqual({ blocks: [], problems: [] });
  });

  it('strips the indentation of a fence in a list', () => {
    const { blocks } = extractCodeBlocks(
      'a.md',
      lines('- item', '  ~~~ts', '  if (x) {', '    y();', '  }', '  ~~~'),
    );
    expect(blocks[0]?.code).toBe('if (x) {\n  y();\n}');
  });

  it.each([
    ['typescript', lines('```typescript', '```'), 'a.md:1: write `ts` instead of `typescript`'],
    [
      'an unknown word',
      lines('', '```ts norun', '```'),
      'a.md:2: beside `ts` only `no-run` and `needs=PACKAGE` are known, not `norun`',
    ],
    ['an open fence', lines('```ts', 'x'), 'a.md:1: the fence has no end'],
  ])('reports %s', (_name, text, message) => {
    const { blocks, problems } = extractCodeBlocks('a.md', text);
    expect(blocks).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });
});
