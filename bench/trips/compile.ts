import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Sources, compiled file by file to a folder of their own. */
export interface CompiledSources extends Disposable {
  readonly folder: string;
}

/**
 * Compiles the `src/` of a checkout, of this one or of another. The result is written to this checkout's `.build/`, where the
 * dependencies are found.
 * @param checkout the folder that has `src/` in it
 */
export function compileSources(checkout: string): CompiledSources {
  const source = resolve(checkout, 'src');
  if (!existsSync(source)) throw new Error(`${checkout}: there is no src/ in it.`);
  mkdirSync('.build', { recursive: true });
  const folder = mkdtempSync(resolve('.build', 'trips-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const project = join(folder, 'tsconfig.json');
  const output = join(folder, 'src');
  writeFileSync(
    project,
    JSON.stringify({
      extends: resolve('tsconfig.run.json'),
      compilerOptions: { rootDir: source, outDir: output, sourceMap: false, types: [] },
      include: [source],
    }),
  );
  const compiler = resolve('node_modules', 'typescript-7', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
  if (status !== 0) {
    remove();
    throw new Error(`${checkout}: the sources do not compile:\n${stdout}`);
  }
  return { folder: output, [Symbol.dispose]: remove };
}
