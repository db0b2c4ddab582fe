import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeBlock } from './code-blocks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');

/** Where packages are installed that blocks need: for the project, and for its comparison with other libraries. */
const homes = ['.', 'bench'];

/** The folder in which the package of `needs=NAME` is installed; undefined: it is not. */
export function homeOf(needs: string): string | undefined {
  return homes.find((home) => existsSync(join(root, home, 'node_modules', needs, 'package.json')));
}

/** Whether a block can be compiled here: what it imports is installed. */
export function canCompile({ needs, code }: CodeBlock): boolean {
  return needs === undefined || homeOf(needs) !== undefined || !code.includes(`from '${needs}`);
}

/** Folders with one module per block; a line of a module has the number that it has in the Markdown file. */
export interface GeneratedModules extends AsyncDisposable {
  /** Absolute path of a block's module. */
  pathOf(block: CodeBlock): string;
  /**
   * Type-checks all modules that can be compiled, with one run of the compiler for each home, with the settings of the project except that unused names are
   * allowed. Resolves to the complaints per block, each as `file:line:column: message`.
   *
   * @throws {Error} when the compiler complains about anything but a block
   */
  check(): Promise<ReadonlyMap<CodeBlock, readonly string[]>>;
}

/** Writes the modules of `blocks` to fresh folders in the project, which disposing removes. */
export async function generateModules(blocks: readonly CodeBlock[]): Promise<GeneratedModules> {
  const homed = blocks.map((block) => [(block.needs && homeOf(block.needs)) ?? '.', block] as const);
  // Without a block that needs them, the packages of a comparison may not be there, and neither is its folder.
  const used = homes.filter((home) => home === '.' || homed.some(([own]) => own === home));
  const folders = await Promise.all(
    used.map((home) =>
      writeModules(
        home,
        homed.flatMap(([own, block]) => (own === home ? [block] : [])),
      ),
    ),
  );
  const folderOf = (block: CodeBlock): ModuleFolder | undefined =>
    folders.find(({ names }) => names.has(block));

  return {
    pathOf: (block) => join(folderOf(block)?.path ?? '', moduleName(block)),
    check: async () => {
      const complaints = await Promise.all(
        folders.map(async ({ path, names }) => assign(await compile(path), names)),
      );
      return new Map(complaints.flatMap((each) => [...each]));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(folders.map(({ path }) => rm(path, { recursive: true, force: true })));
    },
  };
}

/** The modules of a home. */
interface ModuleFolder {
  readonly path: string;
  readonly names: ReadonlyMap<CodeBlock, string>;
}

async function writeModules(home: string, blocks: readonly CodeBlock[]): Promise<ModuleFolder> {
  const parent = join(root, home, '.docs-check');
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, 'run-'));
  const names = new Map(blocks.map((block) => [block, moduleName(block)]));
  // An empty module, since the compiler refuses a folder without any.
  const include = ['empty.ts', ...blocks.filter(canCompile).map(moduleName)];
  const settings = { extends: relative(path, join(root, 'tsconfig.json')), compilerOptions, include };
  await Promise.all([
    writeFile(join(path, 'tsconfig.json'), JSON.stringify(settings)),
    writeFile(join(path, 'empty.ts'), 'export {};\n'),
    ...blocks.map((block) =>
      writeFile(join(path, moduleName(block)), `${'\n'.repeat(block.line - 1)}${block.code}\n`),
    ),
  ]);
  return { path, names };
}

const compilerOptions = {
  noUnusedLocals: false,
  noUnusedParameters: false,
  isolatedDeclarations: false,
  declaration: false,
  declarationMap: false,
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
