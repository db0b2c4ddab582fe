import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree of a source file, with where it begins and ends in the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A source file and its syntax tree. */
export interface SourceFile {
  /** Relative to `src/`. */
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
}

/** A function of a source file by the name that it is known by: `name`, or `Class.method`. */
export interface NamedFunction {
  readonly name: string;
  readonly file: SourceFile;
  readonly node: SyntaxNode;
}

/** A variable of a source file and what it begins as. */
export interface NamedConstant {
  readonly name: string;
  readonly file: SourceFile;
  readonly value: SyntaxNode;
}

export function parseSource(path: string, text: string): SourceFile {
  const program: unknown = parseAst(text, { lang: 'ts', sourceType: 'module' });
  if (!isNode(program)) throw new Error(`${path} could not be parsed.`);
  return { path, text, program };
}

/** Every function of a file that has a name and a body. */
export function* functionsOf(file: SourceFile): Iterable<NamedFunction> {
  for (const node of nodesIn(file.program)) {
    if (node.type === 'FunctionDeclaration') {
      const name = nameOf(node['id']);
      if (name !== undefined && isNode(node['body'])) yield { name, file, node };
    } else if (node.type === 'VariableDeclarator') {
      const name = nameOf(node['id']);
      const value = node['init'];
      if (name !== undefined && isNode(value) && isFunction(value)) yield { name, file, node: value };
    } else if (node.type === 'ClassDeclaration') yield* methodsOf(file, node);
  }
}

function* methodsOf(file: SourceFile, ofClass: SyntaxNode): Iterable<NamedFunction> {
  const { body } = ofClass;
  if (!isNode(body)) return;
  for (const member of childrenOf(body)) {
    const { value } = member;
    const name = nameOf(member['key']);
    if (name === undefined || member['computed'] === true || !isNode(value) || !isFunction(value)) continue;
    yield { name: `${nameOf(ofClass['id'])}.${name}`, file, node: value };
  }
}

/** Every variable of a file that begins as something. */
export function* constantsOf(file: SourceFile): Iterable<NamedConstant> {
  for (const node of nodesIn(file.program)) {
    const name = nameOf(node['id']);
    if (node.type === 'VariableDeclarator' && name !== undefined && isNode(node['init']))
      yield { name, file, value: node['init'] };
  }
}

/** The node and all below it, in the order of the text. */
export function* nodesIn(node: SyntaxNode): Iterable<SyntaxNode> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesIn(child);
}

/** Every name that a piece of code mentions: variables, properties, private names with `#`. */
export function mentionedIn(node: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  for (const found of nodesIn(node)) {
    const name = nameOf(found);
    if (name !== undefined) names.add(name);
    else if (found.type === 'Literal' && typeof found['value'] === 'string') names.add(found['value']);
  }
  return names;
}

/** The name of an identifier, private ones with `#`; undefined for any other node. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node) || typeof node['name'] !== 'string') return undefined;
  if (node.type === 'PrivateIdentifier') return `#${node['name']}`;
  return node.type === 'Identifier' ? node['name'] : undefined;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function isFunction(node: SyntaxNode): boolean {
  return (
    (node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression') && isNode(node['body'])
  );
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));
}
