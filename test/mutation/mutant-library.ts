import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AccountsMode } from '../property/parallel/accounts.ts';
import type { Library } from '../property/parallel/library.ts';

/** One deliberate fault: a piece of a source file and what stands there instead. */
export interface Mutant {
  readonly name: string;
  /** Path below `src/`, without extension. */
  readonly file: string;
  /** Occurs exactly once in the compiled file. */
  readonly find: string;
  readonly replace: string;
  /** How the resource of the calls joins their transactions where the fault shows. Default: `'parallel'`. */
  readonly accounts?: AccountsMode;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
// Below node_modules, so that the copies find the package's dependencies and nothing else looks at them.
const folder = join(root, 'node_modules', '.cache', 'mutants');
const original = join(folder, 'original');

/** Compiles the sources once, for the copies to be made of. */
export function compileOriginal(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const compiler = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const build = spawnSync(
    process.execPath,
    [compiler, '-p', 'tsconfig.build.json', '--outDir', original, '--noEmitOnError', 'false'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (!existsSync(join(original, 'index.js')))
    throw new Error(`The sources do not compile:\n${build.stdout}${build.stderr}`);
}

/** The library with the fault in it; without a fault, a copy that must behave like the original. */
export async function loadLibrary(mutant?: Mutant): Promise<Library> {
  const copy = join(folder, mutant === undefined ? 'control' : mutant.name.replaceAll(/[^a-z0-9]+/g, '-'));
  cpSync(original, copy, { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  if (mutant !== undefined) {
    const path = join(copy, `${mutant.file}.js`);
    const text = readFileSync(path, 'utf8');
    const places = text.split(mutant.find).length - 1;
    if (places !== 1)
      throw new Error(`The mutant "${mutant.name}" fits ${places} places of ${mutant.file}, not 1.`);
    writeFileSync(
      path,
      text.replace(mutant.find, () => mutant.replace),
    );
  }
  const load = async (file: string): Promise<object> =>
    (await import(/* @vite-ignore */ pathToFileURL(join(copy, file)).href)) as object;
  // A compiled copy of the very modules that the type describes.
  return { ...(await load('index.js')), ...(await load('testing/index.js')) } as Library;
}
