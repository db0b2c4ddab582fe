import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import type { Library } from '../property/parallel/library.ts';
import type { NamedFault } from './faults.ts';
import { plantFaults, switchName } from './plant-faults.ts';
import { parseSource, type SourceFile } from './syntax-tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'src');
// Below node_modules, so that the copies find the package's dependencies and other tools ignore them.
const folder = join(root, 'node_modules', '.cache', 'mutants');
const entry = 'the entries of the library';

/** Loads the library with one of its faults on, or, without a name, with none: it must then behave like the original. */
export type LoadLibrary = (name?: string) => Promise<Library>;

/** Builds the library once, as one file that has every fault in it. */
export async function buildLibrary(faults: readonly NamedFault[]): Promise<LoadLibrary> {
  const planted = plantFaults(readSources(), faults);
  const build = await rolldown({
    input: entry,
    // The bundler's helpers for syntax that this version of Node does not have are its own.
    external: (id) => id !== entry && /^[\w@]/.test(id) && !id.startsWith('@oxc-project/runtime'),
    platform: 'neutral',
    transform: { target: 'es2022' },
    plugins: [
      {
        name: 'faults',
        resolveId: (id) => (id === entry ? { id, moduleSideEffects: true } : undefined),
        load: (id) =>
          id === entry
            ? `export * from ${JSON.stringify(join(source, 'entries', 'index.ts'))};
               export * from ${JSON.stringify(join(source, 'entries', 'testing.ts'))};`
            : planted.get(relative(source, id)),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  const [{ code }] = output;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return async (name = '') => {
    const file = join(folder, `${name.replaceAll(/[^a-z0-9]+/g, '-') || 'no-fault'}.js`);
    writeFileSync(file, `const ${switchName} = ${JSON.stringify(name)};\n${code}`);
    // A bundle of the very modules that the type describes.
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Library;
  };
}

function readSources(): readonly SourceFile[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseSource(path, readFileSync(join(source, path), 'utf8')));
}
