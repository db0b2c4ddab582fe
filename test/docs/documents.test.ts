import { format } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CodeBlock, extractCodeBlocks } from './code-blocks.ts';
import { documentedSources, readDocument, userDocuments } from './documents.ts';
import { canCompile, type GeneratedModules, generateModules, homeOf } from './generated-modules.ts';

const extracted = [...userDocuments(), ...documentedSources()].map(({ file, text }) =>
  extractCodeBlocks(file, text),
);
const blocks = extracted.flatMap((found) => found.blocks);

/** The names that people meet first: the comment of each shows how it is used. */
const metFirst = [
  ...[
    'tool',
    'ToolResult',
    'section',
    'promptTemplate',
    'defineAgent',
    'runAgent',
    'streamAgent',
    'defineSlice',
  ],
  ...['readBeforeWritePolicy', 'sequentialDependencyPolicy', 'suspendApproval', 'vfsToolsSection'],
  ...[
    'planningToolsSection',
    'agentTool',
    'shellSection',
    'openWorkspace',
    'openMcpSection',
    'sqliteJournal',
  ],
  ...[
    'scriptedAdapter',
    'openai',
    'anthropic',
    'aiSdk',
    'ensureRun',
    'runWorker',
    'submitRun',
    'otelObserver',
    'PolicyDecision',
    'Session',
    'binding',
    'postgresJournal',
    'openMcpServer',
    'winkMatchers',
  ],
];

describe('code in README.md, guides and comments', () => {
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

  it.each(metFirst)('shows how %s is used, at its declaration', (name) => {
    const declaration = new RegExp(`^ \\*/\\nexport (?:async )?(?:function|const|class) ${name}\\b`, 'm');
    const shown = documentedSources().flatMap(({ file }) => {
      const source = readDocument(file).text;
      const at = source.search(declaration);
      return at < 0 ? [] : [source.slice(source.lastIndexOf('/**', at), at)];
    });
    expect(shown.filter((comment) => comment.includes(' * ```ts'))).toHaveLength(1);
  });

  it('begins with a quick start in README.md that runs', () => {
    expect(blocks.filter((block) => block.file === 'README.md' && block.isRun)).not.toEqual([]);
  });

  describe.each(blocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
    '%s',
    (_name, block) => {
      const missing =
        block.needs === undefined || homeOf(block.needs) !== undefined ? '' : `, needs ${block.needs}`;
      it.skipIf(!canCompile(block))(`compiles${canCompile(block) ? '' : missing}`, () => {
        expect((complaints.get(block) ?? []).join('\n')).toBe('');
      });

      if (!block.isRun) return;
      it.skipIf(missing !== '')(`runs${missing}`, async () => {
        const printed = await run(block, modules.pathOf(block));
        const wanted = printedBy(block);
        // Where nothing is said, anything may be printed.
        expect(wanted.length > 0 ? printed : []).toEqual(wanted);
      });
    },
  );
});

/** Texts that a block says it prints: the comments after its calls of `console.log()`. */
function printedBy({ code }: CodeBlock): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text = '']) => text);
}

/** Runs a block's module without its printing. @returns what it printed; a failure names the line of the document. */
async function run(block: CodeBlock, path: string): Promise<readonly string[]> {
  const printing = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await import(/* @vite-ignore */ path);
    return printing.mock.calls.map((values) => format(...values));
  } catch (error) {
    throw new Error(`${locate(error, block)}: ${String(error)}`, { cause: error });
  } finally {
    printing.mockRestore();
  }
}

/** Where in the document an error was thrown: the first line of its stack that lies in the block's module. */
function locate(error: unknown, block: CodeBlock): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const line = /\.L\d+\.ts:(?<line>\d+)/.exec(stack)?.groups?.['line'] ?? String(block.line);
  return `${block.file}:${line}`;
}
