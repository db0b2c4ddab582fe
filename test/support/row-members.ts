import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What `row-shapes.ts` says a part of a row looks like. */
type Part =
  | { readonly kind: 'any' }
  | { readonly kind: 'list'; readonly item: Part }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | {
      readonly kind: 'choice';
      readonly by: string;
      readonly parts: ReadonlyMap<string, Part>;
      readonly others: Part;
    };

interface Member {
  readonly name: string;
  /** The constant or row that declares it, and its name: `fileChange.mode`. */
  readonly declared: string;
  readonly isOptional: boolean;
  readonly part: Part;
}

const any: Part = { kind: 'any' };
const file = ts.createSourceFile(
  'row-shapes.ts',
  readFileSync(new URL('../../src/record/format/row-shapes.ts', import.meta.url), 'utf8'),
  ts.ScriptTarget.Latest,
);
const constants: ReadonlyMap<string, ts.Expression | undefined> = new Map(
  file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) =>
      declarationList.declarations.map(
        ({ name, initializer }) => [ts.isIdentifier(name) ? name.text : '', initializer] as const,
      ),
    ),
);

function partOf(expression: ts.Expression | undefined, owner: string): Part {
  if (expression === undefined) return any;
  if (ts.isIdentifier(expression)) return partOf(constants.get(expression.text), expression.text);
  if (!ts.isCallExpression(expression) || !ts.isIdentifier(expression.expression)) return any;
  const [first, second, third] = expression.arguments;
  switch (expression.expression.text) {
    case 'list':
      return { kind: 'list', item: partOf(first, owner) };
    case 'object':
      return { kind: 'object', members: membersOf(first, owner) };
    case 'choice':
      return {
        kind: 'choice',
        by: first !== undefined && ts.isStringLiteral(first) ? first.text : '',
        parts: new Map(membersOf(second, owner).map(({ name, part }) => [name, part])),
        others: partOf(third, owner),
      };
    default:
      throw new Error(`row-shapes.ts makes a shape with ${expression.expression.text}(): read it here, too.`);
  }
}

function membersOf(expression: ts.Expression | undefined, owner: string): readonly Member[] {
  if (expression === undefined) return [];
  if (ts.isIdentifier(expression)) return membersOf(constants.get(expression.text), expression.text);
  if (!ts.isObjectLiteralExpression(expression)) return [];
  return expression.properties.flatMap((property) => {
    if (ts.isSpreadAssignment(property)) return membersOf(property.expression, owner);
    if (property.name === undefined || ts.isComputedPropertyName(property.name)) return [];
    const written = property.name.text;
    const name = written.replace('?', '');
    const declared = owner === 'shapes' ? name : `${owner}.${name}`;
    const value = ts.isPropertyAssignment(property) ? property.initializer : undefined;
    const part = ts.isShorthandPropertyAssignment(property)
      ? partOf(property.name, declared)
      : partOf(value, declared);
    return [{ name, declared, isOptional: name !== written, part }];
  });
}

const rows = new Map(membersOf(constants.get('shapes'), 'shapes').map(({ name, part }) => [name, part]));

function* optionalIn(part: Part): Generator<string> {
  if (part.kind === 'list') yield* optionalIn(part.item);
  if (part.kind === 'choice')
    for (const each of [...part.parts.values(), part.others]) yield* optionalIn(each);
  if (part.kind !== 'object') return;
  for (const { declared, isOptional, part: inner } of part.members) {
    if (isOptional) yield declared;
    yield* optionalIn(inner);
  }
}

function* presentIn(value: unknown, part: Part): Generator<string> {
  if (part.kind === 'list' && Array.isArray(value))
    for (const item of value) yield* presentIn(item, part.item);
  if (typeof value !== 'object' || value === null) return;
  const members = new Map<string, unknown>(Object.entries(value));
  if (part.kind === 'choice')
    yield* presentIn(value, part.parts.get(String(members.get(part.by))) ?? part.others);
  if (part.kind !== 'object') return;
  for (const { name, declared, part: inner } of part.members) {
    if (!members.has(name)) continue;
    yield declared;
    yield* presentIn(members.get(name), inner);
  }
}

/** The optional members that the shapes of rows declare, each once: `fileChange.mode`. */
export function optionalMembers(): ReadonlySet<string> {
  return new Set([...rows.values()].flatMap((part) => [...optionalIn(part)]));
}

/** The members that a row has, under the names of {@link optionalMembers}. */
export function presentMembers(row: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(presentIn(row, rows.get(String(row['type'])) ?? any));
}
