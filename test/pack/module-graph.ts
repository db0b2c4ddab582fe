import { posix } from 'node:path';
import ts from 'typescript';

/** Transitive imports of packed entries. */
export interface ModuleGraph {
  /** The reached files of the package, the entries included. */
  readonly files: ReadonlySet<string>;
  /** Imports that are not files of the package, as `specifier` to the files that import it. */
  readonly outside: ReadonlyMap<string, readonly string[]>;
}

/** Follows static imports, re-exports, `import()` and `import('…')` types from the entries on. */
export function followImports(entries: readonly string[], read: (file: string) => string): ModuleGraph {
  return follow(entries, (file) => importsOf(file, read(file)));
}

/** Follows what is loaded before the code of the entries runs: static imports and re-exports. */
export function followStaticImports(entries: readonly string[], read: (file: string) => string): ModuleGraph {
  return follow(entries, (file) => importsOf(file, read(file), isStatic));
}

function follow(entries: readonly string[], imports: (file: string) => readonly string[]): ModuleGraph {
  const files = new Set<string>();
  const outside = new Map<string, string[]>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const specifier of imports(file)) {
      if (specifier.startsWith('.')) waiting.push(resolveInside(file, specifier));
      else outside.set(specifier, [...(outside.get(specifier) ?? []), file]);
    }
  }
  return { files, outside };
}

/** The places, as `file:line`, where the keyword `any` is used as a type. */
export function findAnyTypes(file: string, text: string): readonly string[] {
  const source = parse(file, text);
  const found: string[] = [];
  walk(source, (node) => {
    if (node.kind !== ts.SyntaxKind.AnyKeyword) return;
    found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
  });
  return found;
}

function isStatic(node: ts.Node): boolean {
  return ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
}

function importsOf(
  file: string,
  text: string,
  counts: (node: ts.Node) => boolean = () => true,
): readonly string[] {
  const found: string[] = [];
  walk(parse(file, text), (node) => {
    const specifier = counts(node) ? specifierOf(node) : undefined;
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) found.push(specifier.text);
  });
  return found;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return node.arguments[0];
  return undefined;
}

function resolveInside(file: string, specifier: string): string {
  const path = posix.join(posix.dirname(file), specifier);
  return file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path;
}

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, false);
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}
