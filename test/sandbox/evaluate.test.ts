import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem, promptTemplate, Session } from 'weakincentives';
import { evaluateSection } from 'weakincentives/sandbox';
import { vfsToolsSection } from 'weakincentives/suite';
import { scriptedAdapter } from 'weakincentives/testing';

const hasMonty = existsSync(new URL('../peers/sandbox/node_modules/@pydantic/monty', import.meta.url));
const loose = { timeoutMs: 20_000 };
const strict = { timeoutMs: 300 };

async function play(
  calls: readonly Record<string, unknown>[],
  languages: readonly ('javascript' | 'python')[] = ['javascript'],
  limits: { readonly timeoutMs: number } = loose,
) {
  const filesystem = new MemoryFilesystem({ files: { 'a.txt': 'one ü\n' } });
  await using session = new Session();
  const adapter = scriptedAdapter([
    ...calls.map((args) => ({ toolCalls: [{ name: 'evaluate_code', arguments: args }] })),
    { text: 'done' },
  ]);
  const sections = [vfsToolsSection({ filesystem, policies: [] }), evaluateSection({ languages, limits })];
  const prompt = promptTemplate({ ns: 'tests', key: 'evaluate', sections }).bind();
  const { conversation } = await adapter.evaluate(prompt, { session });
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { filesystem, results };
}

describe('evaluate_code with JavaScript', () => {
  it.each([
    ['1 + 1', 'value: 2'],
    ['await Promise.resolve([1])', 'value: [1]'],
    ['Promise.resolve(7)', 'value: 7'],
    ['0 / 0', 'value (not JSON): NaN'],
    ['2n ** 70n', 'value (not JSON): 1180591620717411303424'],
    ['const a = []; a.push(a); a', 'value (not JSON): [object Array]'],
    ['undefined', 'No value.'],
    ["print('x', 1)", 'stdout:\nx 1'],
    ["Function('return typeof process + typeof fetch')()", 'undefinedundefined'],
    ['throw new TypeError("no")', 'TypeError: no (line 1)'],
    ['await import("fs")', 'could not load'],
    ['await new Promise(() => {})', 'nothing settles'],
    ['"x".repeat(1e9)', 'out of memory'],
    ['"x".repeat(1e5)', 'The value has 100002 bytes'],
    ["write_text('b.txt', 'x')", 'is not in "writes"'],
    ["read_text('b.txt')", 'is not in "reads"'],
  ])('%s', async (code, expected) => {
    expect((await play([{ code }])).results[0]).toContain(expected);
  });

  it.each([
    'for (;;) {}',
    'for (;;) { try { for (;;) {} } catch {} }',
    '/(a+)+$/.test("a".repeat(40) + "b")',
    'function f() { return f() + 1 } f()',
    'const a = []; for (;;) a.push(new Array(1000).fill(1))',
  ])('ends %s, and runs the next call', async (code) => {
    const { results } = await play([{ code }, { code: '40 + 2' }], ['javascript'], strict);
    expect(results[0]).not.toContain('value:');
    expect(results[1]).toContain('value: 42');
  });

  it('reads inputs and files, and writes when it succeeds only', async () => {
    const { results, filesystem } = await play([
      {
        code: "write_text('b.txt', read_text('a.txt') + n); [files['a.txt'], Object.keys(o)]",
        inputs: [
          { name: 'n', json: '3' },
          { name: 'o', json: '{"__proto__":{"x":1}}' },
        ],
        reads: ['a.txt'],
        writes: ['b.txt'],
      },
      { code: "write_text('c.txt', 'x'); throw new Error('no')", writes: ['c.txt'] },
    ]);
    expect(results[0]).toContain('["one ü\\n",["__proto__"]]');
    expect((await filesystem.read('b.txt')).text).toBe('one ü\n3');
    expect(results[1]).toContain('Error: no');
    expect(await filesystem.stat('c.txt')).toBeUndefined();
  });
});

describe.skipIf(!hasMonty)(`evaluate_code with Python${hasMonty ? '' : ' (Monty is not installed)'}`, () => {
  it.each([
    ['sum(range(101))', 'value: 5050'],
    ['{"a": [1, None]}', 'value: {"a":[1,null]}'],
    ['print("x")', 'stdout:\nx'],
    ['1/0', 'ZeroDivisionError'],
    ['foo(', 'SyntaxError'],
    ["write_text('b.txt', 'x')", 'is not in "writes"'],
    ['[0] * 10**9', 'MemoryError'],
  ])('%s', async (code, expected) => {
    expect((await play([{ code }], ['python'])).results[0]).toContain(expected);
  });

  it.each(['while True: pass', 'x = 3 ** 10**6\nx*x*x*x*x*x*x'])('ends %s', async (code) => {
    const { results } = await play([{ code }, { code: '40 + 2' }], ['python'], strict);
    expect(results[0]).not.toContain('value:');
    expect(results[1]).toContain('value: 42');
  });
});
