import { readFile } from 'node:fs/promises';
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Whether this version of Node can run queries. */
export const canQuery: boolean = major >= 24 || (major === 22 && minor >= 16);

/** The program of the process, without types, as the build would make it of the source. */
export async function queryProgram(): Promise<string> {
  const text = await readFile(new URL('../../../src/cli/query/program.ts', import.meta.url), 'utf8');
  // The types of the oldest supported version do not have it.
  const strip = Reflect.get(module, 'stripTypeScriptTypes') as (text: string) => string;
  return strip(text);
}
