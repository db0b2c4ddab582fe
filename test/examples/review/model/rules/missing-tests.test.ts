import { describe, expect, it } from 'vitest';
import {
  type CodeFacts,
  findMissingTests,
} from '../../../../../examples/review/model/rules/missing-tests.ts';
import {
  declaresCode,
  importedModules,
  isInlineTest,
} from '../../../../../examples/review/model/rules/module-imports.ts';

function facts(path: string, lines: readonly string[] = ['export function f() {}']): CodeFacts {
  return {
    path,
    imports: new Set(lines.flatMap((line) => importedModules(path, line))),
    hasCode: lines.some(declaresCode),
    hasInlineTest: lines.some((line) => isInlineTest(path, line)),
  };
}

function untested(...files: readonly CodeFacts[]): readonly string[] {
  return findMissingTests(
    files,
    files.map((file) => file.path),
  ).untested;
}

const someTest = facts('test/other.test.ts', []);

describe('findMissingTests', () => {
  it.each([
    ['src/reader.ts', 'test/unit/reader.test.ts'],
    ['src/file-reader.ts', 'src/file_reader.spec.ts'],
    ['reader.py', 'tests/test_reader.py'],
    ['pkg/reader.go', 'pkg/reader_test.go'],
    ['src/Reader.java', 'src/ReaderTest.java'],
  ])('takes %s as tested by the name of %s', (source, test) => {
    expect(untested(facts(source), facts(test, []))).toEqual([]);
    expect(untested(facts(source), someTest)).toEqual([source]);
  });

  it.each([
    ["import { a } from '../src/reader.ts';"],
    ["import { a } from '../src/reader.js';"],
    ["export * from '../src/reader';"],
    ["const a = require('../src/reader');"],
    ["await import('../src/reader.mjs');"],
    ["import '../src/reader.ts';"],
  ])('takes a source as tested by %s', (line) => {
    expect(untested(facts('src/reader.ts'), facts('test/all.test.ts', [line]))).toEqual([]);
  });

  it('follows imports through other files', () => {
    const files = [
      facts('test/all.test.ts', ["import '../src/index.ts';"]),
      facts('src/index.ts', ["export { a } from './a.ts';"]),
      facts('src/a.ts', ["import './deep/b.ts';", 'const x = 1;']),
      facts('src/deep/b.ts'),
      facts('src/c.ts'),
    ];
    expect(untested(...files)).toEqual(['src/c.ts']);
  });

  it('finds a module of Python by the end of its path', () => {
    const test = facts('tests/test_all.py', ['from shop.pricing import price']);
    expect(untested(facts('src/shop/pricing.py'), facts('src/shop/zones.py'), test)).toEqual([
      'src/shop/zones.py',
    ]);
  });

  it('wants no test for what cannot have one', () => {
    const files = [
      facts('src/index.ts'),
      facts('src/types.ts', ['export interface A { readonly a: string }']),
      facts('src/globals.d.ts'),
      facts('vite.config.ts'),
      facts('scripts/build.mjs'),
      facts('examples/hello.ts'),
      facts('src/lib.rs', ['fn f() {}', '#[cfg(test)]']),
    ];
    expect(untested(...files, someTest)).toEqual([]);
  });

  it('says when there is no test at all', () => {
    expect(findMissingTests([facts('a.ts')], ['a.ts'])).toEqual({ hasTests: false, untested: ['a.ts'] });
    expect(findMissingTests([], ['test/a.test.ts']).hasTests).toBe(true);
  });
});
