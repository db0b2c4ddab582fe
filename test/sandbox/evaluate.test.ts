import { describe, expect, it } from 'vitest';
import { Session } from 'weakincentives';
import { codeEvaluationSection } from 'weakincentives/sandbox';
import { deadlockMs } from '../support/deadlock.ts';
import { type Language, playCode, playSection, skipReason, suiteName } from './support/play-code.ts';

const first = async (code: string, language: Language, args: Readonly<Record<string, unknown>> = {}) =>
  (await playCode([{ code, ...args }], { languages: [language] })).results[0];

/** The same in both languages. */
const contract: readonly (readonly [
  what: string,
  code: Readonly<Record<Language, string>>,
  expected: string | Readonly<Record<Language, string>>,
])[] = [
  ['computes', { javascript: '1 + 1', python: '1 + 1' }, 'value: 2'],
  [
    'gives structures as JSON',
    { javascript: '({ a: [1, null] })', python: '{"a": [1, None]}' },
    'value: {"a":[1,null]}',
  ],
  ['has no value', { javascript: 'undefined', python: 'None' }, 'No value.'],
  ['keeps a NUL of a value', { javascript: '"a\\0b"', python: '"a\\0b"' }, 'value: "a\\u0000b"'],
  ['keeps a NUL of an output', { javascript: 'print("a\\0b")', python: 'print("a\\0b")' }, 'stdout:\na\0b'],
  ['keeps any character', { javascript: '"é😀"', python: '"é😀"' }, 'value: "é😀"'],
  ['shows what is no number', { javascript: '0 / 0', python: 'float("nan")' }, 'value (not JSON): '],
  [
    'shows large integers',
    { javascript: '2n ** 70n', python: '2 ** 70' },
    'value (not JSON): 1180591620717411303424',
  ],
  [
    'shows a list that contains itself',
    { javascript: 'const a = []; a.push(a); a', python: 'a = []\na.append(a)\na' },
    { javascript: 'value (not JSON): [object Array]', python: 'value: ["[...]"]' },
  ],
  [
    'awaits',
    { javascript: 'await Promise.resolve(7)', python: 'async def f(): return 7\nawait f()' },
    'value: 7',
  ],
  ['prints', { javascript: 'print("x", 1); 5', python: 'print("x", 1)\n5' }, 'value: 5\nstdout:\nx 1'],
  [
    'names the line of an error',
    { javascript: '\nthrow new TypeError("no")', python: '\nraise TypeError("no")' },
    'TypeError: no',
  ],
  ['refuses what does not parse', { javascript: 'foo(', python: 'foo(' }, 'SyntaxError'],
  [
    'refuses deep nesting',
    { javascript: '('.repeat(7000), python: '('.repeat(7000) },
    'The code failed. No file was written.\nstderr:',
  ],
  [
    'refuses deep operators',
    { javascript: `${'!'.repeat(7900)}1`, python: `${'not '.repeat(1990)}1` },
    'The code failed. No file was written.\nstderr:',
  ],
  [
    'ends recursion',
    { javascript: 'function f() { return f() + 1 } f()', python: 'def f(): return f() + 1\nf()' },
    { javascript: 'stack overflow', python: 'RecursionError' },
  ],
  ['ends one huge text', { javascript: '"x".repeat(1e9)', python: '"x" * 10**9' }, 'emory'],
  [
    'refuses a huge value',
    { javascript: '"x".repeat(1e5)', python: '"x" * 100000' },
    'The value has 100002 bytes',
  ],
  [
    'refuses undeclared writes',
    { javascript: 'write_text("b.txt", "x")', python: 'write_text("b.txt", "x")' },
    'The path "b.txt" is not in "writes".',
  ],
  [
    'refuses undeclared reads',
    { javascript: 'read_text("b.txt")', python: 'read_text("b.txt")' },
    'The path "b.txt" is not in "reads".',
  ],
  [
    'writes texts alone',
    { javascript: 'write_text("b.txt", { a: 1 })', python: 'write_text("b.txt", text="x")' },
    'write_text takes a path and a text.',
  ],
  [
    'lets code catch errors of files',
    {
      javascript: 'let r; try { read_text("b.txt") } catch (error) { r = error.message } r',
      python: 'try:\n  read_text("b.txt")\nexcept Exception as error:\n  r = str(error)\nr',
    },
    'value: "The path \\"b.txt\\" is not in \\"reads\\"."',
  ],
];

describe.each(['javascript', 'python'] as const)('evaluate_code', (language) => {
  describe.skipIf(skipReason(language) !== undefined)(suiteName('with', language), () => {
    it.each(contract)('%s', async (_what, code, expected) => {
      expect(await first(code[language], language)).toContain(
        typeof expected === 'string' ? expected : expected[language],
      );
    });

    it('reads inputs and files, and writes when it succeeds only', async () => {
      const good = {
        javascript:
          "write_text('b.txt', read_text('a.txt') + n); [read_text('b.txt'), files['a.txt'], Object.keys(o), ({}).x === undefined]",
        python:
          "write_text('b.txt', read_text('a.txt') + str(n))\n[read_text('b.txt'), files['a.txt'], list(o.keys()), True]",
      };
      const bad = {
        javascript: "write_text('c.txt', 'x'); throw new Error('no')",
        python: "write_text('c.txt', 'x')\nraise ValueError('no')",
      };
      const { results, filesystem } = await playCode(
        [
          {
            code: good[language],
            inputs: [
              { name: 'n', json: '3' },
              { name: 'o', json: '{"__proto__":{"x":1},"constructor":1}' },
              { name: '__proto__', json: '{"x":1}' },
            ],
            reads: ['a.txt'],
            writes: ['b.txt'],
          },
          { code: bad[language], writes: ['c.txt'] },
          { code: "read_text('nul')", reads: ['nul'] },
          { code: '1', reads: ['bytes'] },
          { code: '1', reads: ['missing'] },
        ],
        { languages: [language] },
      );
      expect(results[0]).toContain(
        'value: ["one ü\\n3","one ü\\n",["__proto__","constructor"],true]\nWritten: b.txt',
      );
      expect((await filesystem.read('b.txt')).text).toBe('one ü\n3');
      expect(results[1]).toContain('Error: no');
      expect(await filesystem.stat('c.txt')).toBeUndefined();
      expect(results[2]).toContain('value: "a\\u0000b"');
      expect(results[3]).toContain('not UTF-8 text');
      expect(results[4]).toContain('missing');
    });

    it('gives inputs of any name, or says that the name is taken', async () => {
      const names = [
        'JSON',
        'Object',
        'String',
        'Error',
        'Array',
        'Promise',
        'sum',
        'id',
        'input',
        'list',
        'x1',
      ];
      const { results } = await playCode(
        names.map((name) => ({ code: `print(1)\n${name}`, inputs: [{ name, json: '[5]' }] })),
        { languages: [language] },
      );
      const taken = language === 'python' ? ['sum', 'id', 'list'] : [];
      expect(results).toStrictEqual(
        names.map((name) =>
          taken.includes(name)
            ? `The code failed. No file was written.\nstderr:\nThe name "${name}" is taken in Python. Choose another for the input.`
            : 'value: [5]\nstdout:\n1',
        ),
      );
    });

    it('keeps the beginning and the end of a huge output', async () => {
      const code = {
        javascript: "print('first'); for (let i = 0; i < 3000; i += 1) print('ü'.repeat(500)); print('last')",
        python: "print('first')\nfor i in range(3000):\n  print('ü' * 500)\nprint('last')",
      };
      const { results } = await playCode([{ code: code[language] }], {
        languages: [language],
        limits: { maxOutputBytes: 101 },
      });
      expect(results[0]).toMatch(
        /^No value\.\nstdout:\nfirst\nü{22}\n\[3002910 of 3003011 bytes omitted\]\nü{22}\nlast$/,
      );
    });

    it('limits what it writes', async () => {
      const code = {
        javascript: "write_text('b', 'ü'.repeat(10)); write_text('b', 'x'); write_text('c', 'ü'.repeat(10))",
        python: "write_text('b', 'ü' * 10)\nwrite_text('b', 'x')\nwrite_text('c', 'ü' * 10)",
      };
      const { results, filesystem } = await playCode([{ code: code[language], writes: ['b', 'c'] }], {
        languages: [language],
        limits: { maxTotalFileBytes: 20 },
      });
      expect(results[0]).toContain('The files written have 21 bytes together; 20 are possible.');
      expect(await filesystem.stat('b')).toBeUndefined();
    });

    it('works with the least memory that can be set', async () => {
      const { results } = await playCode([{ code: '40 + 2' }], {
        languages: [language],
        limits: { maxMemoryBytes: 1_048_576 },
      });
      expect(results[0]).toBe('value: 42');
    });

    const endless: Readonly<Record<Language, readonly string[]>> = {
      javascript: [
        'for (;;) {}',
        'for (;;) { try { for (;;) {} } catch {} }',
        '/(a+)+$/.test("a".repeat(40) + "b")',
        'const a = []; for (;;) a.push(new Array(1000).fill(1))',
        'const f = async () => { await null; return f() }; await f()',
        "for (;;) print('x'.repeat(1000))",
        'throw { get name() { for (;;) {} } }',
        'throw { toJSON() { for (;;) {} }, get stack() { for (;;) {} } }',
        '({ toJSON() { for (;;) {} } })',
        'Array.prototype.map = () => { for (;;) {} }; print(1)',
      ],
      python: [
        'while True: pass',
        'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
        'x = 3 ** 10**6\nx*x*x*x*x*x*x',
        'x = 1\nwhile True: x = x * 3',
        'a = []\nwhile True: a.append([0] * 1000)',
        "while True: print('x' * 1000)",
        'import re\nre.match("(a+)+$", "a" * 60 + "b").group()',
        'pow(3, 10**8)',
      ],
    };
    it.each(endless[language])('ends %s, and runs the next call', async (code) => {
      await using session = new Session();
      const languages = [language];
      const ending = codeEvaluationSection({ languages, limits: { timeoutMs: 300 } });
      const { results } = await playSection(ending, [{ code, writes: ['b'] }], session);
      expect(results).toEqual([expect.stringContaining('No file was written.')]);
      // With the evaluator of the call before, and as much time as a busy machine may need.
      const { tools = [] } = codeEvaluationSection({ languages, limits: { timeoutMs: deadlockMs } });
      const next = await playSection({ ...ending, tools }, [{ code: '40 + 2' }], session);
      expect(next.results).toEqual(['value: 42']);
    });
  });
});

describe('evaluate_code with JavaScript alone', () => {
  it.each([
    [
      "console.log('a'); console.warn('b'); console.error({ c: 1 }); 1",
      'value: 1\nstdout:\na\nstderr:\nb\n{"c":1}',
    ],
    [
      "print(new Error('e'), [1], undefined, 2n, Symbol.iterator)",
      'stdout:\nError: e [1] undefined 2 Symbol(Symbol.iterator)',
    ],
    ["Function('return typeof process + typeof fetch + typeof require')()", 'undefinedundefinedundefined'],
    ['[typeof __read, typeof __write, typeof __print]', '["undefined","undefined","undefined"]'],
    ['await import("fs")', 'could not load'],
    ['import fs from "fs"; 1', 'The code failed'],
    ['await new Promise(() => {})', 'nothing settles'],
    ["throw Symbol('x')", 'Uncaught'],
    ['throw null', 'Uncaught null'],
    ["throw 'text'", 'Uncaught text'],
    ['throw { get message() { throw 1 } }', 'Uncaught'],
    ['JSON.stringify = () => "{}"; 5', 'value: 5'],
    ['Object.prototype.toJSON = () => 7; Array.prototype.toJSON = () => 8; 5', 'The value cannot be shown.'],
    ['globalThis.print = undefined; console = null; 5', 'value: 5'],
    ['Symbol("x")', 'value (not JSON): Symbol(x)'],
    ['(x) => x', 'value (not JSON): (x) => x'],
    ["new Map([['a', new Set([1, 2n ** 70n])]])", 'value: [["a",[1,"1180591620717411303424"]]]'],
    ['const map = new Map(); map.set(1, map)', 'value (not JSON): [object Map]'],
    ['const own = { toString: null }; own.own = own; own', 'value (not JSON): [object Object]'],
  ])('%s', async (code, expected) => {
    expect(await first(code, 'javascript')).toContain(expected);
  });
});

describe.skipIf(skipReason('python') !== undefined)(suiteName('evaluate_code with', 'python'), () => {
  it.each([
    ['1/0', 'ZeroDivisionError: division by zero'],
    ['[0] * 10**9', 'MemoryError'],
    ['{1, 2}', 'value (not JSON): {1, 2}'],
    ['[(1,), b"a"]', 'value (not JSON): [(1,), bytes.fromhex("61")]'],
    ['open("/etc/passwd").read()', 'PermissionError'],
    ['from pathlib import Path\nPath("/etc/passwd").read_text()', 'PermissionError'],
    ['import os\nos.environ', 'not supported'],
    ['__import__("os")', 'NameError'],
    ['().__class__.__bases__', 'AttributeError'],
    [`x = ${'['.repeat(1000)}${']'.repeat(1000)}`, 'SyntaxError: Source is too deeply nested'],
  ])('%s', async (code, expected) => {
    expect(await first(code, 'python')).toContain(expected);
  });

  it('asks for the language when there are two', async () => {
    const { results } = await playCode(
      [
        { language: 'python', code: 'len("abc")' },
        { language: 'javascript', code: '"abc".length + 1' },
        { code: '1' },
      ],
      { languages: ['javascript', 'python'] },
    );
    expect(results.slice(0, 2)).toStrictEqual(['value: 3', 'value: 4']);
    expect(results[2]).toContain('language');
  });
});
