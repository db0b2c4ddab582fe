import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The names, types included, that each entry of the package exports. */
export function exportsOfEntries(): ReadonlyMap<string, ReadonlySet<string>> {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  // The setting holds the sources of every entry.
  const paths = Object.entries(options.paths ?? {}).map(
    ([entry, [source = '']]) => [entry, `${root}${source.replace('./', '')}`] as const,
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
