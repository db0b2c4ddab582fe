import ts from 'typescript';

/** Types that are written as one word: they hold anything. */
const partsOfJson = ['json object', 'list of json', 'number', 'string', 'true', 'false'];
const words: Readonly<Record<string, string>> = { JsonValue: 'json', JsonObject: 'json object' };

/**
 * What the types say of each row, of the entry of a run, and of a session export: members and what they hold, without the name of any
 * type. So it changes when what is stored does, and not when something is renamed in TypeScript.
 *
 * @param root the folder of the project, with a slash at its end.
 */
export function describeStored(root: string): string {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const file = `${root}test/support/stored/stored-types.ts`;
  const program = ts.createProgram([file], { ...options, types: [] });
  const checker = program.getTypeChecker();
  const declaration = program.getSourceFile(file)?.statements.find((node) => ts.isInterfaceDeclaration(node));
  if (declaration === undefined) throw new Error('The interface of what is stored is gone.');
  const description = new Description(checker);
  const stored = checker.getTypeAtLocation(declaration);
  return `${stored
    .getProperties()
    .flatMap((property) => description.alternatives(checker.getTypeOfSymbol(property), property.name))
    .join('\n\n')}\n`;
}

class Description {
  readonly #checker: ts.TypeChecker;
  /** The types that are being described, outermost first. */
  readonly #open: ts.Type[] = [];

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** One text for each type of a union. */
  alternatives(type: ts.Type, name: string): readonly string[] {
    const types = type.isUnion() ? type.types : [type];
    return types.map((each) => `${name} ${this.#describe(each, '')}`).sort();
  }

  #describe(type: ts.Type, indent: string): string {
    const word = words[type.aliasSymbol?.name ?? type.symbol?.name ?? ''];
    if (word !== undefined) return word;
    if (type.isUnion()) {
      const types = type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
      const parts = new Set(types.map((each) => this.#describe(each, indent)));
      // The union of an optional member has lost its name.
      if (partsOfJson.every((part) => parts.has(part))) return 'json';
      return [...parts].sort().join(' | ');
    }
    if (type.isIntersection() || (type.flags & ts.TypeFlags.Object) !== 0) return this.#object(type, indent);
    return this.#checker.typeToString(type);
  }

  #object(type: ts.Type, indent: string): string {
    if (this.#open.includes(type)) return '(as around it)';
    this.#open.push(type);
    try {
      const isTuple = this.#checker.isTupleType(type);
      if (isTuple || this.#checker.isArrayType(type)) {
        // Both kinds of lists are references, to what they are made of.
        const items = this.#checker
          .getTypeArguments(type as ts.TypeReference)
          .map((item) => this.#describe(item, indent));
        return isTuple ? `[${items.join(', ')}]` : `list of ${items.join()}`;
      }
      const index = type.getStringIndexType();
      const members = type.getProperties().map((member) => this.#member(member, `${indent}  `));
      if (index !== undefined) members.push(`${indent}  [any]: ${this.#describe(index, `${indent}  `)}`);
      return members.length === 0 ? '{}' : `{\n${members.sort().join('\n')}\n${indent}}`;
    } finally {
      this.#open.pop();
    }
  }

  #member(member: ts.Symbol, indent: string): string {
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const type = this.#checker.getTypeOfSymbol(member);
    return `${indent}${member.name}${isOptional ? '?' : ''}: ${this.#describe(type, indent)}`;
  }
}
