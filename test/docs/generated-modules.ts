import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeBlock } from './code-blocks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');

/** A folder with one module per block; a line of a module has the number that it has in the Markdown file. */
export interface GeneratedModules extends AsyncDisposable {
  /** Absolute path of a block's module. */
  pathOf(block: CodeBlock): string;
  /**
   * Type-checks all modules in one run of the compiler, with the settings of the project except that unused names are
   * allowed. Resolves to the complaints per block, each as `file:line:column: message`.
   *
   * @throws {Error} when the compiler complains about anything but a block
   */
  check(): Promise<ReadonlyMap<CodeBlock, readonly string[]>>;
}

/** Writes the modules of `blocks` to a fresh folder in the project, which disposing removes. */
export async function generateModules(blocks: readonly CodeBlock[]): Promise<GeneratedModules> {
  await mkdir(join(root, '.docs-check'), { recursive: true });
  const folder = await mkdtemp(join(root, '.docs-check', 'run-'));
  const names = new Map(blocks.map((block) => [block, moduleName(block)]));
  const pathOf = (block: CodeBlock): string => join(folder, names.get(block) ?? moduleName(block));

  await Promise.all([
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings)),
    // An empty module, since the compiler refuses a folder without any.
    writeFile(join(folder, 'empty.ts'), 'export {};\n'),
    ...blocks.map((block) => writeFile(pathOf(block), `${'\n'.repeat(block.line - 1)}${block.code}\n`)),
  ]);

  return {
    pathOf,
    check: async () => assign(await compile(folder), names),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const settings = {
  extends: relative(join(root, '.docs-check/run'), join(root, 'tsconfig.json')),
  compilerOptions: {
    noUnusedLocals: false,
    noUnusedParameters: false,
    isolatedDeclarations: false,
    declaration: false,
    declarationMap: false,
  },
  include: ['*.ts'],
};

function moduleName({ file, line }: CodeBlock): string {
  return `${file.replaceAll('/', '.')}.L${line}.ts`;
}

function compile(folder: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [compiler, '-p', folder, '--pretty', 'false'],
      { cwd: folder, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        // The compiler ends with a small code when it has complaints; anything else is its own failure.
        if (error !== null && (typeof error.code !== 'number' || stdout === '')) {
          reject(new Error(`the compiler failed: ${stderr || error.message}`, { cause: error }));
        } else resolve(stdout.split('\n').filter((line) => line !== ''));
      },
    );
  });
}

function assign(
  output: readonly string[],
  names: ReadonlyMap<CodeBlock, string>,
): ReadonlyMap<CodeBlock, readonly string[]> {
  const blocks = new Map([...names].map(([block, name]) => [name, block]));
  const complaints = new Map<CodeBlock, string[]>();
  const others: string[] = [];
  let current: string[] = others;
  for (const line of output) {
    const groups = /^(?<name>\S+?)\((?<row>\d+),(?<column>\d+)\): (?<message>.*)$/.exec(line)?.groups;
    if (groups === undefined) {
      current.push(line);
      continue;
    }
    const { name = '', row, column, message } = groups;
    const block = blocks.get(name);
    if (block === undefined) {
      current = others;
      others.push(line);
    } else {
      current = complaints.get(block) ?? [];
      complaints.set(block, current);
      current.push(`${block.file}:${row}:${column}: ${message}`);
    }
  }
  if (others.length > 0) {
    throw new Error(`the sources that the documents import do not compile:\n${others.join('\n')}`);
  }
  return complaints;
}
