import { chmodSync, mkdtempSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const children = fileURLToPath(new URL('children/', import.meta.url));

/**
 * A program of `test/support/children` with the sources that it imports, as one JavaScript file that any user can read: a child
 * that translated a hundred modules at its start would take seconds.
 * @returns the path of the file; the folder of the test run is removed with it.
 */
export async function childProgram(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wink-child-'));
  chmodSync(folder, 0o755);
  const build = await rolldown({
    input: join(children, `${name}.ts`),
    platform: 'node',
    external: isBuiltin,
    transform: { target: 'node20.19' },
  });
  const file = join(folder, `${name}.mjs`);
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}
