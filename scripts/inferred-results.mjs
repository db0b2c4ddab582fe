import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Writes two sources into a project that a package is installed in. They export without an annotation: `makers.ts` what every
 * exported function, class and constant gives, `members.ts` every member of what can be had from them, and what callbacks are
 * called with. A compiler that emits declarations has to name the type of each. All of it is found in the declarations of the package, so no export
 * is left out.
 *
 * @param {string} project
 * @param {readonly string[]} entries such as `weakincentives/node`
 */
export function writeInferredResults(project, entries) {
  const head = `${entries.map((entry, index) => `import * as entry${index} from '${entry}';`).join('\n')}
type ArgumentsOf<F> = F extends (...args: infer Args extends readonly any[]) => any ? Args : never;
declare const given: never;
`;
  const path = join(project, 'makers.ts');
  writeFileSync(path, head);
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: [],
  };
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const imports = (program.getSourceFile(path)?.statements ?? []).flatMap((node) =>
    ts.isImportDeclaration(node) ? [node.moduleSpecifier] : [],
  );
  const exported = imports.flatMap((specifier, index) => {
    const module = checker.getSymbolAtLocation(specifier);
    if (module === undefined) throw new Error(`${entries[index]} has no declarations.`);
    return checker.getExportsOfModule(module).map((symbol) => readExport(checker, symbol, `entry${index}`));
  });
  const values = exported.filter(({ isValue }) => isValue);
  const { given, taken } = reach(
    checker,
    values.map(({ symbol }) => checker.getTypeOfSymbol(symbol)),
  );
  const makers = values.map((one) => madeBy(checker, one));
  const members = [
    ...values.flatMap(({ name, symbol }) =>
      membersOf(checker, checker.getTypeOfSymbol(symbol), `typeof ${name}`),
    ),
    ...exported.flatMap(({ name, symbol, isType }) => {
      if (!isType) return [];
      const declared = checker.getDeclaredTypeOfSymbol(symbol);
      const named = `${name}${typeArguments(symbol)}`;
      return [
        ...(given.has(symbol) ? membersOf(checker, declared, named) : []),
        ...(taken.has(symbol) ? callbacksOf(checker, declared, named) : []),
      ];
    }),
  ];
  for (const [file, results] of Object.entries({ 'makers.ts': makers, 'members.ts': members })) {
    const lines = results.map((result, index) => `export const result${index} = ${result};`);
    writeFileSync(join(project, file), `${head}${lines.join('\n')}\n`);
  }
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} exported
 * @param {string} entry
 */
function readExport(checker, exported, entry) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const specifier = exported.declarations?.find(ts.isExportSpecifier);
  const isTypeOnly = specifier !== undefined && (specifier.isTypeOnly || specifier.parent.parent.isTypeOnly);
  return {
    name: `${entry}.${exported.name}`,
    symbol,
    isValue: !isTypeOnly && (symbol.flags & ts.SymbolFlags.Value) !== 0,
    isType:
      (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) !== 0,
  };
}

/**
 * The named types of values that a program gets from the package (results, members of them, arguments of callbacks), and of
 * values that it passes to it.
 *
 * @param {ts.TypeChecker} checker
 * @param {readonly ts.Type[]} types of what the package exports
 */
function reach(checker, types) {
  /** @type {Set<ts.Symbol>} */
  const given = new Set();
  /** @type {Set<ts.Symbol>} */
  const taken = new Set();
  const seen = { given: new Set(), taken: new Set() };
  /** @param {ts.Type} type @param {boolean} isGiven */
  const walk = (type, isGiven) => {
    const visited = isGiven ? seen.given : seen.taken;
    if (visited.has(type)) return;
    visited.add(type);
    for (const symbol of [type.aliasSymbol, type.symbol])
      if (symbol !== undefined) (isGiven ? given : taken).add(symbol);
    for (const part of type.isUnionOrIntersection() ? type.types : []) walk(part, isGiven);
    for (const argument of [
      ...(type.aliasTypeArguments ?? []),
      ...checker.getTypeArguments(/** @type {ts.TypeReference} */ (type)),
    ])
      walk(argument, isGiven);
    if ((type.flags & ts.TypeFlags.Object) === 0) return;
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      walk(signature.getReturnType(), isGiven);
      for (const parameter of signature.getParameters()) walk(checker.getTypeOfSymbol(parameter), !isGiven);
    }
    for (const property of type.getProperties())
      if (isOwn(property)) walk(checker.getTypeOfSymbol(property), isGiven);
  };
  for (const type of types) walk(type, true);
  return { given, taken };
}

/** @param {ts.Symbol} symbol whether the package declares it */
const isOwn = (symbol) =>
  symbol.declarations?.some((one) => one.getSourceFile().fileName.includes('/weakincentives/')) === true;

/**
 * @param {ts.TypeChecker} checker
 * @param {{ name: string, symbol: ts.Symbol }} exported
 * @returns {string} an expression
 */
function madeBy(checker, { name, symbol }) {
  const type = checker.getTypeOfSymbol(symbol);
  if (type.getCallSignatures().length > 0) return `${name}(...(given as ArgumentsOf<typeof ${name}>))`;
  if (!isConstructible(symbol)) return name;
  return `new ${name}(...(given as ConstructorParameters<typeof ${name}>))`;
}

/** @param {ts.Symbol} symbol whether a program can call its constructor */
function isConstructible(symbol) {
  const declaration = symbol.declarations?.find(ts.isClassDeclaration);
  if (declaration === undefined) return false;
  const hidden = [
    ts.SyntaxKind.AbstractKeyword,
    ts.SyntaxKind.PrivateKeyword,
    ts.SyntaxKind.ProtectedKeyword,
  ];
  const constructors = declaration.members.filter(ts.isConstructorDeclaration);
  return ![...(declaration.modifiers ?? []), ...constructors.flatMap((one) => one.modifiers ?? [])].some(
    ({ kind }) => hidden.includes(kind),
  );
}

/** @param {ts.Symbol} symbol @returns {string} `any` for each type parameter without a default */
function typeArguments(symbol) {
  const declaration = symbol.declarations?.find(
    (one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one) || ts.isClassDeclaration(one),
  );
  const needed = (declaration?.typeParameters ?? []).filter((one) => one.default === undefined);
  return needed.length === 0 ? '' : `<${needed.map(() => 'any').join(', ')}>`;
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Type} type
 * @returns {ReadonlyMap<string, readonly ts.Signature[]>} the members by name, with how each can be called
 */
function membersByName(checker, type) {
  const members = (type.isUnion() ? type.types : [type])
    .filter(({ flags }) => (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0)
    .flatMap((part) => checker.getPropertiesOfType(part))
    .filter(
      (property) => isOwn(property) && /^[A-Za-z]\w*$/.test(property.name) && property.name !== 'prototype',
    );
  return new Map(
    members.map((property) => [
      property.name,
      checker.getNonNullableType(checker.getTypeOfSymbol(property)).getCallSignatures(),
    ]),
  );
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Type} type
 * @param {string} name
 * @returns {readonly string[]} expressions
 */
function membersOf(checker, type, name) {
  return [...membersByName(checker, type)].flatMap(([member, signatures]) => {
    if (type.isUnion())
      return [`(value: ${name} & object) => '${member}' in value ? value.${member} : undefined`];
    if (signatures.length === 0) return [`(value: ${name}) => value.${member}`];
    // A function for another object, such as a matcher, is not called as a method.
    if (signatures.some(({ declaration }) => declaration?.parameters[0]?.name.getText() === 'this'))
      return [];
    return [
      `(value: ${name}, ...args: ArgumentsOf<NonNullable<(${name})['${member}']>>) => value.${member}?.(...args)`,
    ];
  });
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Type} type
 * @param {string} name
 * @returns {readonly string[]} expressions that give what each function of an options object is called with
 */
function callbacksOf(checker, type, name) {
  if (type.isUnion()) return [];
  return [...membersByName(checker, type)].flatMap(([member, signatures]) =>
    signatures.length === 0 ? [] : [`(...args: ArgumentsOf<NonNullable<(${name})['${member}']>>) => args`],
  );
}
