import { describe, expect, it } from 'vitest';
import {
  commentStyleOf,
  extensionOf,
  fileKind,
  stemOf,
} from '../../../../../examples/review/model/rules/file-kind.ts';

describe('fileKind', () => {
  it.each([
    ['src/reader.ts', 'source'],
    ['bin/run.sh', 'source'],
    ['lib/a.PY', 'source'],
    ['src/reader.test.ts', 'test'],
    ['src/reader.spec.js', 'test'],
    ['types/x.test-d.ts', 'test'],
    ['pkg/reader_test.go', 'test'],
    ['test_reader.py', 'test'],
    ['src/ReaderTest.java', 'test'],
    ['tests/helpers.ts', 'test'],
    ['src/__tests__/a.js', 'test'],
    ['src/latest.ts', 'source'],
    ['src/contest.py', 'source'],
    ['README.md', 'markdown'],
    ['docs/a.mdx', 'markdown'],
    ['package-lock.json', 'generated'],
    ['web/app.min.js', 'generated'],
    ['src/api.generated.ts', 'generated'],
    ['test/fixtures/a.js', 'data'],
    ['examples/review/fixture/src/a.js', 'data'],
    ['pkg/testdata/x.go', 'data'],
    ['fixtures.ts', 'source'],
    ['LICENSE', 'other'],
    ['.gitignore', 'other'],
    ['data.json', 'other'],
  ])('of %s is %s', (path, kind) => {
    expect(fileKind(path)).toBe(kind);
  });
});

describe('names', () => {
  it.each([
    ['a/b.test.ts', 'ts', 'b.test'],
    ['.env', '', '.env'],
    ['Dockerfile', 'dockerfile', 'Dockerfile'],
    ['a.b/c', '', 'c'],
  ])('of %s have extension "%s" and stem "%s"', (path, extension, stem) => {
    expect(extensionOf(path)).toBe(extension);
    expect(stemOf(path)).toBe(stem);
  });

  it.each([
    ['a.ts', 'slash'],
    ['Makefile', 'hash'],
    ['q.sql', 'dash'],
    ['p.html', 'markup'],
    ['x.unknown', 'none'],
  ])('of %s have comments in style %s', (path, style) => {
    expect(commentStyleOf(path)).toBe(style);
  });
});
