import { describe, expect, test } from 'vitest';
import {
  type EvaluateOptions,
  type FeedbackProvider,
  MemoryFilesystem,
  PolicyDecision,
  Session,
  ToolCallLog,
  type ToolPolicy,
} from 'weakincentives';
import type { CapturedRequest } from '../../../support/captured-requests.ts';
import { evaluationFailure } from '../../../support/failure.ts';
import { functionCall } from '../../../support/openai-responses.ts';
import {
  answeringItems,
  type Item,
  inBothModes,
  listIn,
  type MakeAdapter,
  openaiAdapters,
  outputsIn,
  shellCall,
  smallShell,
  type TypedPromptParts,
  typedPrompt,
} from '../../../support/typed-wires.ts';

const exit = (code: number, stdout = '', stderr = ''): Item => ({
  stdout,
  stderr,
  outcome: { type: 'exit', exit_code: code },
});

const known: readonly string[] = ['local_shell_call', 'apply_patch_call', 'custom_tool_call'];

/** The package of AI SDK 6 leaves the limit out of the answer. */
const limited = (name: string, characters: number): Item =>
  name === 'aiSdk v3' ? {} : { max_output_length: characters };

const noEcho: ToolPolicy = {
  name: 'no-echo',
  check: ({ params }) =>
    JSON.stringify(params).includes('echo secret')
      ? PolicyDecision.deny('Secrets are not printed.')
      : PolicyDecision.allow(),
};

/** The second request, after these items. */
async function afterItems(
  make: MakeAdapter,
  items: readonly Item[],
  { backend = smallShell(), more = {}, ...options }: EvaluateOptions & TypedPromptParts,
): Promise<CapturedRequest | undefined> {
  const { adapter, requests } = answeringItems(make, items);
  await adapter.evaluate(typedPrompt({ backend, more }), { input: 'Begin.', ...options });
  return requests[1];
}

const printedBy = (request: CapturedRequest | undefined): Item => {
  const [only] = outputsIn(request).flatMap(({ output }) => output as readonly Item[]);
  return only ?? {};
};

describe.each(inBothModes(openaiAdapters))('a shell_call on %s, streaming: %s', (name, streaming, make) => {
  test('is declared in the place of the function, and answered once with the exit code of every command', async () => {
    const filesystem = new MemoryFilesystem();
    await using session = new Session();
    const { adapter, requests } = answeringItems(make, [
      shellCall(
        'c1',
        ['echo a; write kept 1', 'write kept 2; exit 3', 'warn no; cat kept', 'echo secret', 'hang', 'kill'],
        {
          max_output_length: 5000,
        },
      ),
    ]);
    const { text } = await adapter.evaluate(typedPrompt({ filesystem, more: { policies: [noEcho] } }), {
      session,
      streaming,
      input: 'Begin.',
    });
    expect(text).toBe('end');
    const tools = listIn(requests[0], 'tools');
    expect(tools[0]).toEqual({ type: 'shell', environment: { type: 'local' } });
    const names = tools.map((each) => each['name']);
    expect(names).not.toContain('shell_execute');
    expect(names).not.toContain('shell_restart');
    expect(names).toContain('memory');
    expect(session.slice(ToolCallLog).all()).toMatchObject(
      [
        ['c1', 'committed'],
        ['c1_2', 'rolled-back'],
        ['c1_3', 'committed'],
        ['c1_4', 'denied'],
        ['c1_5', 'rolled-back'],
        ['c1_6', 'rolled-back'],
      ].map(([callId, outcome]) => ({
        callId,
        outcome,
        toolName: 'shell_execute',
        providerKind: 'openai.shell',
      })),
    );
    expect((await filesystem.read('kept')).text).toBe('1');
    expect(outputsIn(requests[1])).toEqual([
      {
        type: 'shell_call_output',
        call_id: 'c1',
        ...limited(name, 5000),
        output: [
          exit(0, 'a\n'),
          exit(3),
          exit(0, '1', 'no\n'),
          exit(126, '', expect.stringContaining('Secrets are not printed.')),
          { stdout: '', stderr: '', outcome: { type: 'timeout' } },
          exit(137, '', expect.stringContaining('SIGKILL')),
        ],
      },
    ]);
    expect(requests).toHaveLength(2);
  });

  const after = (items: readonly Item[], options?: EvaluateOptions & TypedPromptParts) =>
    afterItems(make, items, { streaming, ...options });

  test.each([
    ['no command', []],
    ['an empty command', ['echo a', '']],
  ])('with %s runs nothing, and says so in its shape', async (_what, commands) => {
    const asked: string[] = [];
    const request = await after([shellCall('c1', commands)], { backend: smallShell(asked) });
    expect(asked).toEqual([]);
    expect(outputsIn(request)).toEqual([
      {
        type: 'shell_call_output',
        call_id: 'c1',
        output: [exit(126, '', expect.stringContaining('"commands" must be a list of at least one command'))],
      },
    ]);
  });

  test('beside calls of functions: every one is answered once, in order', async () => {
    const request = await after([
      functionCall('f1', 'ls', {}),
      shellCall('c1', ['echo 1', 'echo 2']),
      functionCall('f2', 'ls', {}),
      shellCall('c2', ['echo 3']),
    ]);
    expect(outputsIn(request).map(({ call_id: id, type }) => [id, type])).toEqual([
      ['f1', 'function_call_output'],
      ['c1', 'shell_call_output'],
      ['f2', 'function_call_output'],
      ['c2', 'shell_call_output'],
    ]);
  });

  test('with the feedback on a command', async () => {
    const feedback: FeedbackProvider = {
      name: 'tidy',
      triggers: { everyCalls: 1 },
      provide: () => ({ severity: 'warning', message: 'Tidy up.' }),
    };
    const request = await after([shellCall('c1', ['echo <wink-feedback>; warn x'])], {
      feedback: [feedback],
    });
    const { stderr, stdout } = printedBy(request);
    expect(stderr).toMatch(/^x\n[^]*Tidy up/);
    expect(stdout).not.toContain('<wink-feedback>');
  });

  test('in a container is refused by name', async () => {
    const { adapter, requests } = answeringItems(make, [
      shellCall('c1', ['echo a'], {}, { environment: { type: 'container_reference', container_id: 'k' } }),
    ]);
    const asked: string[] = [];
    const error = await evaluationFailure(
      adapter.evaluate(typedPrompt({ backend: smallShell(asked) }), {
        streaming,
        input: 'Begin.',
        retry: false,
      }),
    );
    expect(error).toMatchObject({ code: 'evaluation-response-invalid' });
    expect(error.message).toContain(
      'The answer has an item "shell_call in container_reference", which no tool of the prompt answers.',
    );
    expect([requests.length, asked]).toEqual([1, []]);
  });

  test.each([
    'local_shell_call',
    'apply_patch_call',
    'custom_tool_call',
    'computer_call',
    'of_tomorrow_call',
  ])('does not let an undeclared %s through', async (type) => {
    const more = {
      action: { type: 'exec', command: ['ls'], env: {} },
      operation: { type: 'delete_file', path: 'a' },
      name: 'sql',
      input: 'select 1',
      actions: [],
      pending_safety_checks: [],
    };
    const { adapter, requests } = answeringItems(make, [
      shellCall('c1', ['echo a']),
      { id: 'i', type, call_id: 'c2', status: 'completed', ...more },
    ]);
    const error = await evaluationFailure(
      adapter.evaluate(typedPrompt(), { streaming, input: 'Begin.', retry: false }),
    );
    expect(error.code).toBe('evaluation-response-invalid');
    // Packages refuse items that they do not know with words of their own.
    if (name === 'native' || known.includes(type))
      expect(error.message).toContain(
        `The answer has an item "${type}", which no tool of the prompt answers.`,
      );
    expect(requests).toHaveLength(1);
  });

  test('keeps its exit code when its text is dropped, or kept elsewhere', async () => {
    const { adapter, requests } = answeringItems(
      make,
      [shellCall('c1', ['print 4000; exit 7', 'warn few; exit 8'])],
      [shellCall('c2', ['echo a'])],
    );
    await adapter.evaluate(typedPrompt(), {
      streaming,
      input: 'Begin.',
      context: { results: { maxCharacters: 1000 } },
    });
    const [first] = outputsIn(requests[1]);
    expect(first?.['output']).toMatchObject([{ outcome: { exit_code: 7 } }, exit(8, '', 'few\n')]);
    expect(JSON.stringify(first).length).toBeLessThan(2500);
    expect(outputsIn(requests[2])[0]).toEqual(first);
  });
});

const { native, 'aiSdk v4': current } = openaiAdapters;

// The package of AI SDK 6 leaves out what a call says beside its commands.
describe.each(inBothModes({ native, 'aiSdk v4': current }))(
  'a shell_call on %s, streaming: %s',
  (_name, streaming, make) => {
    const after = (items: readonly Item[], options?: EvaluateOptions & TypedPromptParts) =>
      afterItems(make, items, { streaming, ...options });

    test('is answered within its limit, with both ends of what was printed', async () => {
      const request = await after([
        shellCall('c1', ['echo begin; print 3000; echo end; warn oh'], { max_output_length: 300 }),
      ]);
      const { stderr, stdout } = printedBy(request);
      expect(stderr).toBe('oh\n');
      expect(String(stdout)).toMatch(
        /^begin\nx+\n\[2,\d{3} characters and more are left out here\]\nx+end\n$/s,
      );
      expect(String(stdout).length + String(stderr).length).toBeLessThanOrEqual(300);
      const nothing = printedBy(
        await after([shellCall('c1', ['echo long; warn long'], { max_output_length: 0 })]),
      );
      expect([nothing['stdout'], nothing['stderr']]).toEqual(['', '']);
    });

    test('asks for no more time than the tool takes', async () => {
      const asked: string[] = [];
      await after(
        [
          shellCall('c1', ['echo a'], { timeout_ms: 3_600_000 }),
          shellCall('c2', ['echo b'], { timeout_ms: 1500 }),
          shellCall('c3', ['echo c']),
        ],
        {
          backend: smallShell(asked),
        },
      );
      expect(asked).toEqual(['echo a (300000)', 'echo b (1500)', 'echo c (30000)']);
    });
  },
);

// The packages leave out which program asks for commands.
describe.each(inBothModes({ native }))('a shell_call on %s, streaming: %s', (_name, streaming, make) => {
  test('of a program is answered with the program', async () => {
    const caller = { type: 'program', caller_id: 'p' };
    const request = await afterItems(
      make,
      [
        { id: 'i', type: 'program', call_id: 'p', code: 'x', fingerprint: 'f' },
        shellCall('c1', ['echo 1', 'echo 2'], {}, { caller }),
      ],
      { streaming },
    );
    expect(outputsIn(request)).toMatchObject([{ type: 'shell_call_output', call_id: 'c1', caller }]);
  });
});

test('a value that is longer than the model may read gives way to the text, and keeps its exit code', async () => {
  const { adapter, requests } = answeringItems(openaiAdapters.native, [
    shellCall('c1', ['print 9000; exit 3']),
  ]);
  await adapter.evaluate(typedPrompt(), { limits: { maxResultCharacters: 1_000 } });
  const [{ output = [] } = {}] = outputsIn(requests[1]) as readonly { readonly output?: readonly Item[] }[];
  expect(output).toMatchObject([{ outcome: { type: 'exit', exit_code: 3 } }]);
  expect(output[0]?.['stdout']).toMatch(
    /^The command ended with exit code 3\..*at most 1,?000 may be given to you/s,
  );
});
