import type { CodeKind, Fault, NamedFault } from './faults.ts';
import {
  constantsOf,
  functionsOf,
  isNode,
  mentionedIn,
  type NamedConstant,
  type NamedFunction,
  nameOf,
  nodesIn,
  type SourceFile,
  type SyntaxNode,
} from './syntax-tree.ts';

/** The variable that says which fault is on; every file with a fault in it reads it. */
export const switchName = '$fault';

/** Code that is put around a stretch of a file; at a point when the stretch is empty. */
interface Insertion {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/**
 * The texts of the files that have faults in them, by path: each fault is there, and off unless the variable
 * {@link switchName} has its name.
 * @throws Error with the names of all faults whose place is missing or not the only one, and what was looked for.
 */
export function plantFaults(
  files: readonly SourceFile[],
  faults: readonly NamedFault[],
): ReadonlyMap<string, string> {
  const sources = new Sources(files);
  const problems: string[] = [];
  const insertions: Insertion[] = [];
  for (const { name, fault } of faults) {
    try {
      insertions.push(plant(sources, name, fault));
    } catch (error) {
      problems.push(`"${name}": ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new Error(`Faults without a place:\n${problems.join('\n')}`);
  const changed = new Set(insertions.map(({ file }) => file));
  return new Map(
    [...changed].map((file) => [
      file.path,
      insert(
        file.text,
        insertions.filter((insertion) => insertion.file === file),
      ),
    ]),
  );
}

/** Functions and constants of all files by name. */
class Sources {
  readonly #functions = new Map<string, NamedFunction[]>();
  readonly #constants = new Map<string, NamedConstant[]>();

  constructor(files: readonly SourceFile[]) {
    for (const file of files) {
      for (const found of functionsOf(file)) addTo(this.#functions, found);
      for (const found of constantsOf(file)) addTo(this.#constants, found);
    }
  }

  theFunction(place: string): NamedFunction {
    const slash = place.lastIndexOf('/');
    const folder = place.slice(0, slash + 1);
    const found = this.#functions.get(place.slice(slash + 1)) ?? [];
    return theOnly(
      found.filter(({ file }) => file.path.startsWith(folder)),
      `function ${place}`,
    );
  }

  theConstant(name: string): NamedConstant {
    return theOnly(this.#constants.get(name) ?? [], `constant ${name}`);
  }
}

function addTo<Item extends { readonly name: string }>(map: Map<string, Item[]>, item: Item): void {
  const known = map.get(item.name);
  if (known === undefined) map.set(item.name, [item]);
  else known.push(item);
}

function theOnly<Item extends { readonly file: SourceFile }>(found: readonly Item[], what: string): Item {
  const [first] = found;
  if (first === undefined) throw new Error(`there is no ${what}.`);
  if (found.length > 1)
    throw new Error(`there is more than one ${what}: in ${found.map(({ file }) => file.path).join(', ')}.`);
  return first;
}

function plant(sources: Sources, name: string, fault: Fault): Insertion {
  const isOn = `${switchName} === ${JSON.stringify(name)}`;
  const instead = (file: SourceFile, { start, end }: SyntaxNode, code: string): Insertion => {
    const by = code.replaceAll('$it', () => `(${file.text.slice(start, end)})`);
    return { file, start, end, before: `(${isOn} ? (${by}) : (`, after: '))' };
  };
  if (fault.kind === 'constant') {
    const { file, value } = sources.theConstant(fault.name);
    return instead(file, value, fault.value);
  }
  const { file, node } = sources.theFunction(fault.in);
  if (fault.kind === 'replaces') return instead(file, thePiece(node, fault), fault.by);
  const body = bodyOf(node);
  if (fault.kind === 'returns') {
    const value = withParameters(fault.value, node);
    const when = fault.only === undefined ? isOn : `${isOn} && (${withParameters(fault.only, node)})`;
    if (body.type !== 'BlockStatement') {
      return { file, start: body.start, end: body.end, before: `(${when} ? (${value}) : (`, after: '))' };
    }
    return atStart(file, body, ` if (${when}) return ${value};`);
  }
  if (body.type !== 'BlockStatement') throw new Error(`the function ${fault.in} has no statements.`);
  return atStart(file, body, ` if (${isOn}) { ${withParameters(fault.statement, node)} }`);
}

/** Behind the brace that opens a block. */
function atStart(file: SourceFile, block: SyntaxNode, before: string): Insertion {
  return { file, start: block.start + 1, end: block.start + 1, before, after: '' };
}

function bodyOf(node: SyntaxNode): SyntaxNode {
  const { body } = node;
  // Functions without one are skipped.
  if (!isNode(body)) throw new Error('the function has no body.');
  return body;
}

/** `$0` is the name of the first parameter, and so on. */
function withParameters(code: string, node: SyntaxNode): string {
  const parameters = Array.isArray(node['params']) ? (node['params'] as readonly unknown[]) : [];
  return code.replaceAll(/\$(\d)/g, (_text, index: string) => {
    const name = nameOf(parameters[Number(index)]);
    if (name === undefined) throw new Error(`its parameter ${index} has no name.`);
    return name;
  });
}

const typesOf: Readonly<Record<Exclude<CodeKind, 'condition'>, readonly string[]>> = {
  call: ['CallExpression', 'NewExpression'],
  comparison: ['BinaryExpression', 'LogicalExpression'],
  choice: ['ConditionalExpression'],
};

function thePiece(node: SyntaxNode, fault: Extract<Fault, { kind: 'replaces' }>): SyntaxNode {
  const { piece, mentions } = fault;
  const what = `${piece} in ${fault.in} that mentions ${mentions.join(', ')}`;
  const fitting = piecesIn(node, piece).filter((found) => {
    const names = mentionedIn(found);
    return mentions.every((name) => names.has(name));
  });
  const [first, ...others] = fitting.filter(
    (found) => !fitting.some((other) => other !== found && isInside(other, found)),
  );
  if (first === undefined) throw new Error(`there is no ${what}.`);
  if (others.length > 0) throw new Error(`there is more than one ${what}.`);
  return first;
}

function piecesIn(node: SyntaxNode, kind: CodeKind): readonly SyntaxNode[] {
  const all = [...nodesIn(node)];
  if (kind === 'condition') return all.map((found) => found['test']).filter(isNode);
  return all.filter(({ type }) => typesOf[kind].includes(type));
}

function isInside(inner: SyntaxNode, outer: SyntaxNode): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/** At one place what ends there comes first, then what begins there; of several the outer one is outside. */
function insert(text: string, insertions: readonly Insertion[]): string {
  const pieces = insertions.flatMap((insertion, order) => {
    const { start, end, before, after } = insertion;
    const opening = { at: start, side: 1, rank: start - end, order, code: before };
    if (start === end) return [{ ...opening, rank: -Infinity }];
    return [opening, { at: end, side: 0, rank: end - start, order: -order, code: after }];
  });
  pieces.sort(
    (one, other) =>
      one.at - other.at || one.side - other.side || one.rank - other.rank || one.order - other.order,
  );
  let result = '';
  let from = 0;
  for (const { at, code } of pieces) {
    result += text.slice(from, at) + code;
    from = at;
  }
  return result + text.slice(from);
}
