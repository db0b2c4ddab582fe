import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../src/', import.meta.url));

/** What went wrong: a participle or an adjective, at the end of a code. */
const problems = [
  ...[
    'aborted',
    'changed-on-disk',
    'closed',
    'disposed',
    'exceeded',
    'excluded',
    'exhausted',
    'failed',
    'idle',
  ],
  ...['interrupted', 'invalid', 'locked', 'mismatched', 'missing', 'mixed', 'owned', 'released', 'repeated'],
  ...['replaced', 'required', 'signaled', 'taken', 'unbound', 'unknown', 'unrepresentable', 'unsupported'],
  ...['cancelled', 'damaged', 'differ', 'ended', 'interrupted-repeatedly', 'known-otherwise'],
  ...['diverged', 'fenced', 'lost', 'refused', 'unauthorized'],
  ...['ambiguous', 'append-only', 'async', 'busy', 'conflicting', 'corrupt', 'cyclic', 'duplicate', 'empty'],
  ...['full', 'has-no-model'],
  ...[
    'forbidden',
    'foreign',
    'incomplete',
    'is-directory',
    'malformed',
    'outside-root',
    'read-only',
    'too-large',
  ],
  ...['not-conformant', 'not-directory', 'not-empty', 'not-found', 'not-json', 'not-keyed', 'not-object'],
  ...['not-standard', 'not-text', 'unavailable'],
];

/** The codes of every class of errors, read off its declaration: `extends WinkError<Codes>`. */
function declaredCodes(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(root + file, 'utf8');
    if (!text.includes('extends WinkError<')) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    for (const statement of source.statements) {
      if (!ts.isClassDeclaration(statement) || statement.name === undefined) continue;
      const codes = statement.heritageClauses?.[0]?.types[0]?.typeArguments?.[0];
      if (codes !== undefined) found.set(statement.name.text, literals(codes, source));
    }
  }
  return found;
}

/** The strings of a type: a literal, a union of them, or an alias in the same file. */
function literals(type: ts.TypeNode, source: ts.SourceFile): readonly string[] {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((member) => literals(member, source));
  if (ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)) return [type.literal.text];
  if (ts.isTypeReferenceNode(type)) {
    const name = type.typeName.getText(source);
    const alias = source.statements
      .filter(ts.isTypeAliasDeclaration)
      .find((declaration) => declaration.name.text === name);
    if (alias !== undefined) return literals(alias.type, source);
  }
  throw new Error(`${source.fileName}: cannot read the codes ${type.getText(source)}`);
}

describe('codes of errors', () => {
  const codes = declaredCodes();
  const all = [...codes].flatMap(([owner, list]) => list.map((code) => [code, owner] as const));

  it('are found in the declarations of all error classes', () => {
    expect([...codes.keys()]).toEqual(
      expect.arrayContaining(['FilesystemError', 'PromptEvaluationError', 'ResourceError', 'ThrottleError']),
    );
    expect(all.length).toBeGreaterThan(80);
  });

  it('name the subject and then the problem', () => {
    const odd = all.filter(([code]) => {
      const problem = problems.find((known) => code.endsWith(`-${known}`));
      return problem === undefined || !/^[a-z]+(-[a-z]+)*$/.test(code.slice(0, -problem.length - 1));
    });
    expect(odd).toEqual([]);
  });

  it('are unique in the library', () => {
    const names = all.map(([code]) => code);
    expect(all.filter(([code], index) => names.indexOf(code) !== index)).toEqual([]);
  });
});
