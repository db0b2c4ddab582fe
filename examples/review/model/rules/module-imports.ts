import { extensionOf, folderOf } from './file-kind.ts';

/** What one line of code refers to, as far as this is possible without a parser. */
const scriptImport =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bnew URL\s*\(\s*)(?:'(\.{1,2}\/[^']*)'|"(\.{1,2}\/[^"]*)")/g;
const scriptExtensions: ReadonlySet<string> = new Set([
  'cjs',
  'cts',
  'js',
  'jsx',
  'mjs',
  'mts',
  'svelte',
  'ts',
  'tsx',
  'vue',
]);
/** Extensions that an import may leave out, or spell as what the file compiles to. */
const resolvedExtensions = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte'];

/**
 * Paths, without extensions, that one line of a file imports: relative imports of scripts as paths from the root of the
 * folder, modules of Python with slashes (they may continue any source root). Empty for other languages.
 */
export function importedModules(path: string, line: string): readonly string[] {
  const extension = extensionOf(path);
  if (scriptExtensions.has(extension)) {
    const found: string[] = [];
    for (const match of line.matchAll(scriptImport)) {
      const target = joinPath(folderOf(path), match[1] ?? match[2] ?? '');
      if (target !== undefined) found.push(withoutExtension(target));
    }
    return found;
  }
  if (extension === 'py') {
    const match = /^\s*(?:from\s+([\w.]+)\s+import\s+(.+)|import\s+([\w.]+))/.exec(line);
    if (match === null) return [];
    const module = (match[1] ?? match[3] ?? '').replace(/^\.+/, '').replaceAll('.', '/');
    const names = (match[2] ?? '').split(',').map(
      (name) =>
        name
          .replace(/[()\\]/g, '')
          .trim()
          .split(/\s/)[0] ?? '',
    );
    const members = names
      .filter((name) => /^\w+$/.test(name))
      .map((name) => (module === '' ? name : `${module}/${name}`));
    return module === '' ? members : [module, ...members];
  }
  return [];
}

/** True when the line shows that its file contains its own tests, as Rust modules do. */
export function isInlineTest(path: string, line: string): boolean {
  return extensionOf(path) === 'rs' && line.includes('#[cfg(test)]');
}

/** True when the line declares something that can run: a function, a class, a value. Types alone need no test. */
export function declaresCode(line: string): boolean {
  return (
    /\b(?:function|class|def|fn|func|fun|sub|defp?|impl|module)\b|=>/.test(line) ||
    /^\s*(?:export\s+)?(?:const|let|var|static|public|private|void|int)\b/.test(line)
  );
}

/** `path` without an extension that an import may leave out, and without `/index`. */
export function withoutExtension(path: string): string {
  const extension = extensionOf(path);
  const isKnown = resolvedExtensions.includes(extension) || extension === 'py';
  const bare = isKnown && !path.endsWith('.d.ts') ? path.slice(0, -(extension.length + 1)) : path;
  return bare.replace(/\/(?:index|__init__)$/, '');
}

function joinPath(folder: string, target: string): string | undefined {
  const segments = folder === '.' ? [] : folder.split('/');
  for (const segment of target.replace(/[?#].*$/s, '').split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else segments.push(segment);
  }
  return segments.join('/');
}
