import { describe, expect, it } from 'vitest';
import {
  binding,
  type ConversationItem,
  MemoryFilesystem,
  promptTemplate,
  Session,
  ToolCallLog,
} from 'weakincentives';
import {
  type CodeEvaluationSectionOptions,
  codeEvaluationSection,
  SandboxError,
} from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { withDefaults } from '../../../../../src/core/error/index.ts';
import { evaluateInstructions } from '../../../../../src/host/sandbox/evaluate/code-evaluation-section.ts';
import { EvaluatorToken } from '../../../../../src/host/sandbox/evaluate/evaluate-code.ts';
import { Evaluator } from '../../../../../src/host/sandbox/evaluate/evaluator.ts';
import { evaluateLimitChecks } from '../../../../../src/host/sandbox/evaluate/limits.ts';
import type { EvaluationRequest } from '../../../../../src/host/sandbox/evaluate/protocol.ts';
import { type Answer, fakeChannel, reply } from './fake-channel.ts';

const textsOf = (conversation: readonly ConversationItem[]): readonly string[] =>
  conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));

/** Makes one call whose process answers as given. */
async function callOnce(
  args: Record<string, unknown>,
  answer?: (request: EvaluationRequest) => Answer,
  options: CodeEvaluationSectionOptions = {},
  withFiles = true,
) {
  const filesystem = new MemoryFilesystem({ files: { 'a.txt': 'one\n', bytes: Uint8Array.of(0xff, 0xfe) } });
  const channel = fakeChannel(answer);
  const evaluator = new Evaluator({ languages: ['javascript'], open: () => channel });
  await using session = new Session();
  const sections = [
    ...(withFiles ? [vfsToolsSection({ filesystem, policies: [] })] : []),
    codeEvaluationSection(options),
  ];
  const adapter = scriptedAdapter([
    { toolCalls: [{ name: 'evaluate_code', arguments: { code: 'x', ...args } }] },
    { text: 'done' },
  ]);
  const { conversation } = await adapter.evaluate(
    promptTemplate({ ns: 'tests', key: 'evaluate', sections }).bind(undefined, {
      resources: [binding(EvaluatorToken, { instance: evaluator })],
    }),
    { session },
  );
  const [invocation] = session.slice(ToolCallLog).all();
  return { text: textsOf(conversation)[0] ?? '', requests: channel.requests, filesystem, invocation };
}

describe('evaluate_code', () => {
  it('hands the process what the call names, and writes what it gives back', async () => {
    const { text, requests, filesystem, invocation } = await callOnce(
      {
        inputs: [{ name: 'n', json: '{"__proto__":[1]}' }],
        reads: ['a.txt'],
        writes: ['b.txt', 'c.txt'],
      },
      () => [
        { started: true },
        reply({ kind: 'text', value: 'NaN', stdout: 'out\n', stderr: 'err\n', writes: [['b.txt', 'B']] }),
      ],
    );
    expect(requests).toStrictEqual([
      {
        language: 'javascript',
        code: 'x',
        inputs: [['n', JSON.parse('{"__proto__":[1]}')]],
        files: [['a.txt', 'one\n']],
        writes: ['b.txt', 'c.txt'],
        timeoutMs: 5000,
        maxMemoryBytes: 67_108_864,
        maxOutputBytes: 32_768,
        maxTotalFileBytes: 2_097_152,
      },
    ]);
    expect(text).toBe('value (not JSON): NaN\nWritten: b.txt\nstdout:\nout\nstderr:\nerr');
    expect((await filesystem.read('b.txt')).text).toBe('B');
    expect(await filesystem.stat('c.txt')).toBeUndefined();
    expect(invocation).toMatchObject({
      success: true,
      value: { value: 'NaN', value_kind: 'text', stdout: 'out\n', stderr: 'err\n', writes: ['b.txt'] },
    });
  });

  it('fails with the output of code that failed, and writes nothing', async () => {
    const { text, filesystem, invocation } = await callOnce({ writes: ['b.txt'] }, () => [
      { started: true },
      reply({ failed: true, kind: 'none', value: '', stderr: 'Error: no\n', writes: [['b.txt', 'B']] }),
    ]);
    expect(text).toBe('The code failed. No file was written.\nstderr:\nError: no');
    expect(await filesystem.stat('b.txt')).toBeUndefined();
    expect(invocation?.success).toBe(false);
  });

  it.each([
    [{ code: 'a\0b' }, 'The code has a NUL character.'],
    [{ inputs: [{ name: 'print', json: '1' }] }, 'The name "print" is taken.'],
    [{ inputs: [{ name: 'n', json: 'abc' }] }, 'The input "n" is not JSON text.'],
    [
      {
        inputs: [
          { name: 'n', json: '1' },
          { name: 'n', json: '2' },
        ],
      },
      'two inputs with the name "n"',
    ],
    [{ reads: ['missing.txt'] }, 'missing.txt'],
    [{ reads: ['../secret'] }, '../secret'],
    [{ reads: ['bytes'] }, 'The file "bytes" is not UTF-8 text.'],
    [{ reads: ['a.txt', 'a.txt'] }, 'more than 7 bytes together'],
    [{ writes: ['../secret'] }, '../secret'],
  ])('refuses %j before code runs', async (args, expected) => {
    const { text, requests } = await callOnce(args, undefined, { limits: { maxTotalFileBytes: 7 } });
    expect(text).toContain(expected);
    expect(text).toContain('No file was written.');
    expect(requests).toStrictEqual([]);
  });

  it('refuses files where there are none', async () => {
    const { text } = await callOnce({ writes: ['b.txt'] }, undefined, {}, false);
    expect(text).toContain('There are no files here');
    expect((await callOnce({}, undefined, {}, false)).text).toContain('value: 42');
  });

  it('refuses what a process has written without being asked', async () => {
    const { text, filesystem } = await callOnce({ writes: ['b.txt'] }, () => [
      { started: true },
      reply({
        writes: [
          ['b.txt', 'B'],
          ['c.txt', 'C'],
        ],
      }),
    ]);
    expect(text).toContain('wrote a file that is not in "writes"');
    expect(await filesystem.stat('b.txt')).toBeUndefined();
  });

  it('says when the interpreter crashed', async () => {
    const { text } = await callOnce({}, () => [{ started: true }, undefined]);
    expect(text).toContain('The interpreter crashed or ran out of memory. No file was written.');
  });

  it.each([
    [{ code: 'x'.repeat(8001) }],
    [{ code: '' }],
    [{ reads: ['a', 'b'] }],
    [{ writes: ['a', 'b'] }],
    [{ inputs: [{ name: 'a b', json: '1' }] }],
    [{ language: 'javascript' }],
  ])('refuses %j by its schema', async (args) => {
    const { requests, invocation } = await callOnce(args, undefined, {
      limits: { maxFiles: 1 },
    });
    expect(requests).toStrictEqual([]);
    expect(invocation?.success).toBe(false);
  });
});

describe('codeEvaluationSection', () => {
  it.each([
    [{ languages: [] }, 'languages'],
    [{ languages: ['python', 'python'] }, 'languages'],
    [{ languages: ['ruby'] }, 'languages'],
    [{ limits: { timeoutMs: 0 } }, 'limits.timeoutMs'],
    [{ limits: { maxMemoryBytes: 1000 } }, 'limits.maxMemoryBytes'],
    [{ limits: { maxOutputBytes: 1.5 } }, 'limits.maxOutputBytes'],
    [{ limits: { maxFiles: Number.NaN } }, 'limits.maxFiles'],
    [{ limits: { maxFileBytes: 5 } }, 'limits.maxFileBytes'],
  ])('refuses %j', (options, option) => {
    let error: unknown;
    try {
      // As a program without types could call it.
      codeEvaluationSection(options as CodeEvaluationSectionOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(SandboxError.isInstance(error) && [error.code, error.details['option']]).toStrictEqual([
      'sandbox-option-invalid',
      option,
    ]);
  });

  it('explains the languages that it has, and asks for one when there are two', () => {
    const limits = withDefaults(evaluateLimitChecks);
    expect(evaluateInstructions(['javascript'], limits)).not.toContain('Python');
    expect(evaluateInstructions(['python'], limits)).not.toContain('JavaScript');
    const both = evaluateInstructions(
      ['javascript', 'python'],
      withDefaults(evaluateLimitChecks, { timeoutMs: 700 }),
    );
    for (const part of ['JavaScript', 'Python', '0.7 s', 'read_text', 'write_text'])
      expect(both).toContain(part);
    const exampleOf = (...languages: ('javascript' | 'python')[]) =>
      codeEvaluationSection({ languages }).tools?.[0]?.examples?.[0]?.input;
    expect(exampleOf('javascript')).toMatchObject({ code: expect.stringContaining('const rows') });
    expect(exampleOf('javascript')).not.toHaveProperty('language');
    expect(exampleOf('python', 'javascript')).toMatchObject({
      language: 'python',
      code: expect.stringContaining('for line in'),
    });
  });
});
