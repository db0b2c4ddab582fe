import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The names, types included, that each entry of the package exports. */
export function exportsOfEntries(): ReadonlyMap<string, ReadonlySet<string>> {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const paths = Object.entries(options.paths ?? {}).flatMap(([entry, [source = '']]) =>
    entry.endsWith('/*')
      ? filesOfEntries(entry.slice(0, -1), source)
      : [[entry, `${root}${source.replace('./', '')}`] as const],
  );
  const program = ts.createProgram(
    paths.map(([, source]) => source),
    options,
  );
  const checker = program.getTypeChecker();
  return new Map(
    paths.map(([entry, source]) => {
      const file = program.getSourceFile(source);
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
      if (module === undefined) throw new Error(`${entry} has no module ${source}.`);
      return [entry, new Set(checker.getExportsOfModule(module).map(({ name }) => name))];
    }),
  );
}

/** The entries below `prefix`, of which `source` has the path with a star for the name: the root and the command are none. */
function filesOfEntries(prefix: string, source: string): readonly (readonly [string, string])[] {
  const folder = `${root}${source.replace('./', '').split('*', 1).join()}`;
  return readdirSync(folder)
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => name !== 'index' && name !== 'wink')
    .map((name) => [`${prefix}${name}`, `${folder}${name}.ts`]);
}
