import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  binding,
  CompletionVerdict,
  Filesystem,
  jsonSchema,
  MemoryFilesystem,
  PromptValidationError,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  ToolResult,
} from 'weakincentives';
import { claudeAgent } from 'weakincentives/claude-agent';
import type { ClaudeQueryOptions } from '../../../../src/harness/claude-agent/sdk.ts';
import { evaluationFailure } from '../../../support/failure.ts';
import { gate } from '../../../support/gate.ts';
import { claudeSdk, resultOf, streamedAnswer, wholeAnswer } from '../../../support/harness/claude-sdk.ts';
import { counter, Notes, notebook, noteTool } from '../../../support/harness/notebook.ts';

const noteCall = (id: string, text: string) => ({ call: 'mcp__wink__note', id, input: { text } });

/** An observer that keeps events. */
function watching() {
  const events: RunEvent[] = [];
  return { events, observers: [{ onEvent: (event: RunEvent) => events.push(event) }] };
}

describe('a run on Claude Code', () => {
  test('serves the tools in this process, and reports turns, deltas and usage', async () => {
    const said: unknown[] = [];
    let seen: ClaudeQueryOptions | undefined;
    const sdk = claudeSdk(async function* ({ call, next, options, tools }) {
      seen = options;
      said.push(await next(), await tools());
      const answer = streamedAnswer(
        [{ thinking: 'Is it?' }, { text: 'I note it.' }, noteCall('toolu_1', 'a')],
        'tool_use',
      );
      let calling: Promise<string> | undefined;
      for (const message of answer) {
        yield message;
        // Claude Code calls a tool while its model continues.
        if (JSON.stringify(message).includes('"content_block_stop","index":2'))
          calling = call('note', { text: 'a' });
      }
      said.push(await calling);
      yield* streamedAnswer([{ text: 'Done.' }]);
      yield resultOf('Done.', {
        modelUsage: {
          'claude-test': {
            inputTokens: 20,
            outputTokens: 10,
            cacheReadInputTokens: 6,
            cacheCreationInputTokens: 4,
          },
          small: { inputTokens: 7, outputTokens: 1 },
        },
      });
      said.push(await next());
    });
    const { events, observers } = watching();
    await using session = new Session();
    const adapter = claudeAgent({ sdk, model: 'opus', settings: { reasoningEffort: 'high' } });
    const response = await adapter.evaluate(notebook(), {
      input: 'Go.',
      session,
      observers,
      streaming: true,
    });
    expect(said).toEqual([[{ type: 'text', text: 'Go.' }], ['note'], 'Noted a.', undefined]);
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
    expect(response).toMatchObject({
      text: 'Done.',
      finishReason: 'stop',
      // That of its turns, and what another model took.
      usage: { inputTokens: 37, outputTokens: 11, cachedInputTokens: 6, cacheWriteInputTokens: 4 },
      conversation: [
        { type: 'user' },
        {
          type: 'assistant',
          content: [
            { type: 'reasoning', text: 'Is it?' },
            { type: 'text', text: 'I note it.' },
            { type: 'tool-call', callId: 'toolu_1', name: 'note', arguments: '{"text":"a"}' },
          ],
        },
        { type: 'tool-result', callId: 'toolu_1', text: 'Noted a.' },
        { type: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      ],
    });
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      ...['turn-start', 'model-call-start', 'reasoning-delta', 'reasoning-delta', 'text-delta', 'text-delta'],
      ...['model-call-end', 'usage-counted', 'tool-call-start', 'tool-call-end', 'turn-end'],
      ...['turn-start', 'model-call-start', 'text-delta', 'text-delta', 'model-call-end', 'usage-counted'],
      ...['turn-end', 'usage-counted', 'run-end'],
    ]);
    expect(events[0]).toMatchObject({ adapter: 'claude-agent', model: 'opus', provider: 'anthropic' });
    expect(seen).toMatchObject({
      model: 'opus',
      effort: 'high',
      systemPrompt: expect.stringContaining('Note it.'),
      tools: [],
      allowedTools: ['mcp__wink__*'],
      settingSources: [],
      strictMcpConfig: true,
      persistSession: false,
      mcpServers: { wink: { type: 'sdk', name: 'wink' } },
    });
    expect(seen).not.toHaveProperty('outputFormat');
  });

  test('has a clean environment, and a private folder that is gone afterwards', async () => {
    let env: Readonly<Record<string, string>> = {};
    let cwd = '';
    const sdk = claudeSdk(async function* ({ options }) {
      ({ env, cwd } = options);
      expect([existsSync(env['HOME'] ?? ''), existsSync(cwd)]).toEqual([true, true]);
      yield resultOf('Done.');
    });
    const before = process.env['WINK_TEST_SECRET'];
    process.env['WINK_TEST_SECRET'] = 'secret';
    try {
      await claudeAgent({ sdk, env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' } }).evaluate(notebook());
    } finally {
      if (before === undefined) delete process.env['WINK_TEST_SECRET'];
      else process.env['WINK_TEST_SECRET'] = before;
    }
    expect(env).not.toHaveProperty('WINK_TEST_SECRET');
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      CLAUDE_CONFIG_DIR: env['HOME'],
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    expect(env['PATH']).toBe(process.env['PATH']);
    expect([existsSync(env['HOME'] ?? ''), existsSync(cwd)]).toEqual([false, false]);
  });

  test('begins with a message of its own where the user says nothing, and takes images', async () => {
    const said: unknown[] = [];
    const sdk = claudeSdk(async function* ({ next }) {
      said.push(await next());
      yield resultOf('Done.');
    });
    const adapter = claudeAgent({ sdk });
    await adapter.evaluate(notebook());
    await adapter.evaluate(notebook(), {
      input: [
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        { type: 'image', mediaType: 'image/png', data: 'https://pears.example/a.png' },
      ],
    });
    expect(said).toEqual([
      [{ type: 'text', text: 'Begin.' }],
      [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://pears.example/a.png' } },
      ],
    ]);
  });

  test('continues in the same session when the task is not done', async () => {
    const said: unknown[] = [];
    const sdk = claudeSdk(async function* ({ next }) {
      for (let text = await next(); text !== undefined; text = await next()) {
        said.push(text);
        yield* streamedAnswer([{ text: `Answer ${said.length}.` }]);
        yield resultOf(`Answer ${said.length}.`);
      }
    });
    const response = await claudeAgent({ sdk }).evaluate(notebook(), {
      input: 'Go.',
      completion: {
        name: 'twice',
        check: ({ check }) =>
          check < 2 ? CompletionVerdict.incomplete('More.') : CompletionVerdict.complete(),
      },
    });
    expect(response.text).toBe('Answer 2.');
    expect(said).toEqual([[{ type: 'text', text: 'Go.' }], [{ type: 'text', text: 'More.' }]]);
  });

  test('answers with a structure of its own', async () => {
    let format: unknown;
    const sdk = claudeSdk(async function* ({ options }) {
      format = options.outputFormat;
      yield* streamedAnswer([{ call: 'StructuredOutput', id: 'toolu_9', input: { count: 4 } }], 'tool_use');
      yield resultOf('', { structured_output: { count: 4 }, stop_reason: 'tool_use' });
    });
    const response = await claudeAgent({ sdk }).evaluate(counter());
    expect(response).toMatchObject({ output: { count: 4 }, text: '{"count":4}', finishReason: 'stop' });
    expect(response.conversation).toEqual([
      { type: 'assistant', content: [{ type: 'text', text: '{"count":4}' }] },
    ]);
    expect(format).toMatchObject({ type: 'json_schema', schema: { required: ['count'] } });
  });

  test('asks again for an answer with an integer that may have been rounded', async () => {
    const said: unknown[] = [];
    const sdk = claudeSdk(async function* ({ next }) {
      await next();
      yield resultOf('', { structured_output: { count: 2 ** 53 } });
      said.push(await next());
      yield resultOf('', { structured_output: { count: 4 } });
    });
    expect((await claudeAgent({ sdk }).evaluate(counter(), { input: 'Go.' })).output).toEqual({ count: 4 });
    expect(said).toEqual([
      [
        {
          type: 'text',
          text: expect.stringContaining('count: the integer 9007199254740992 is beyond 2^53 − 1'),
        },
      ],
    ]);
  });

  test('takes a list in an object, and asks again for an answer that does not fit', async () => {
    const prompt = promptTemplate({
      ns: 'test',
      key: 'list',
      sections: [section({ title: 'Task', key: 'task', template: 'List.' })],
      output: jsonSchema<readonly string[]>({
        type: 'array',
        items: { $ref: '#/$defs/name' },
        $defs: { name: { type: 'string' } },
      }),
    }).bind();
    const said: unknown[] = [];
    const sdk = claudeSdk(async function* ({ next, options }) {
      expect(options.outputFormat?.schema).toMatchObject({
        type: 'object',
        required: ['answer'],
        $defs: { name: { type: 'string' } },
      });
      await next();
      yield resultOf('', { structured_output: { answer: [7] } });
      said.push(await next());
      yield resultOf('', { structured_output: { answer: ['a'] } });
    });
    expect((await claudeAgent({ sdk }).evaluate(prompt)).output).toEqual(['a']);
    expect(said).toEqual([[{ type: 'text', text: expect.stringContaining('was not accepted') }]]);
  });

  test('reads whole messages where there is no stream, and leaves out what subagents say', async () => {
    const sdk = claudeSdk(async function* ({ call }) {
      yield wholeAnswer(
        [{ text: 'I note.' }, noteCall('toolu_1', 'a'), { call: 'Read', id: 'toolu_2', input: {} }],
        'tool_use',
      );
      await call('note', { text: 'a' });
      yield { ...wholeAnswer([{ text: 'A subagent speaks.' }]), parent_tool_use_id: 'toolu_3' };
      yield { type: 'system', subtype: 'status' };
      yield 'nonsense';
      yield wholeAnswer([{ text: 'Done.' }], 'end_turn');
      yield resultOf('Done.');
    });
    const { conversation, usage } = await claudeAgent({ sdk }).evaluate(notebook());
    expect(conversation).toMatchObject([
      { type: 'assistant', content: [{ text: 'I note.' }, { callId: 'toolu_1', name: 'note' }] },
      { type: 'tool-result', callId: 'toolu_1' },
      { type: 'assistant', content: [{ text: 'Done.' }] },
    ]);
    expect(conversation[0]).toMatchObject({ content: { length: 2 } });
    expect(usage).toEqual({ inputTokens: 20, outputTokens: 10 });
  });
});

describe('a run on Claude Code ends', () => {
  test.each([
    [
      'with an error that it reports',
      { is_error: true, result: 'API Error: 401' },
      'evaluation-request-failed',
      'API Error: 401',
    ],
    [
      'with an error while it ran',
      { subtype: 'error_during_execution', is_error: true, errors: ['It broke.', 'Badly.'] },
      'evaluation-request-failed',
      'It broke.; Badly.',
    ],
    [
      'when the conversation is too long',
      { is_error: true, result: 'Prompt is too long', terminal_reason: 'prompt_too_long' },
      'evaluation-context-exceeded',
      'Prompt is too long',
    ],
  ])('%s', async (_what, result, code, text) => {
    const sdk = claudeSdk(async function* () {
      yield resultOf('', result);
    });
    const error = await evaluationFailure(claudeAgent({ sdk }).evaluate(notebook()));
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });

  test('when it ends without a result', async () => {
    const sdk = claudeSdk(async function* () {
      yield* streamedAnswer([{ text: 'Half' }]);
    });
    const error = await evaluationFailure(claudeAgent({ sdk }).evaluate(notebook()));
    expect(error.message).toContain('Claude Code ended without a result.');
  });

  test('with its answer, whatever happens to the program after it', async () => {
    const sdk = claudeSdk(async function* () {
      yield resultOf('Done.');
      throw new Error('The program was killed.');
    });
    await expect(claudeAgent({ sdk }).evaluate(notebook())).resolves.toMatchObject({ text: 'Done.' });
  });

  test('on an abort, which rolls back the call that runs', async () => {
    const door = gate();
    const slow = noteTool('note', async () => {
      await door.pass();
      return ToolResult.ok(null, 'Noted.');
    });
    const sdk = claudeSdk(async function* ({ call, options }) {
      yield* streamedAnswer([noteCall('toolu_1', 'a')], 'tool_use');
      await call('note', { text: 'a' }).catch(() => undefined);
      options.abortController.signal.throwIfAborted();
    });
    const controller = new AbortController();
    await using session = new Session();
    const { events, observers } = watching();
    const run = claudeAgent({ sdk }).evaluate(notebook([slow]), {
      session,
      observers,
      signal: controller.signal,
    });
    await door.reached;
    controller.abort();
    const error = await evaluationFailure(run);
    expect([error.code, error.phase]).toEqual(['evaluation-aborted', 'tool']);
    expect(session.slice(Notes).all()).toEqual([]);
    expect(
      events.flatMap((event) => (event.type === 'tool-call-end' ? [event.invocation.outcome] : [])),
    ).toEqual(['aborted']);
    door.open();
  });

  test('at the limit of its turns', async () => {
    const sdk = claudeSdk(async function* ({ call, options }) {
      for (let turn = 1; !options.abortController.signal.aborted; turn += 1) {
        yield* streamedAnswer([noteCall(`toolu_${turn}`, String(turn))], 'tool_use');
        if (!options.abortController.signal.aborted)
          await call('note', { text: String(turn) }).catch(() => undefined);
      }
    });
    const error = await evaluationFailure(
      claudeAgent({ sdk }).evaluate(notebook(), { limits: { maxTurns: 2 } }),
    );
    expect(error.code).toBe('evaluation-turns-exceeded');
  });
});

describe('tools of Claude Code', () => {
  const withFiles = (filesystem: MemoryFilesystem) =>
    promptTemplate({
      ns: 'test',
      key: 'files',
      sections: [
        section({ title: 'Task', key: 'task', template: 'Edit.', tools: [noteTool()], slices: [Notes] }),
      ],
      resources: [binding(Filesystem, { instance: filesystem })],
    }).bind();

  test('work on a copy of the files, which is kept with the answer', async () => {
    const { readFile, writeFile } = await import('node:fs/promises');
    const filesystem = new MemoryFilesystem({ files: { 'a.md': 'a' } });
    const decisions: unknown[] = [];
    const asked: [string, object][] = [
      ['Edit', { file_path: 'a.md' }],
      ['Edit', { file_path: '../a.md' }],
      ['WebFetch', {}],
      ['mcp__wink__note', {}],
    ];
    let folder = '';
    const sdk = claudeSdk(async function* ({ options }) {
      folder = options.cwd;
      expect(await readFile(`${folder}/a.md`, 'utf8')).toBe('a');
      await writeFile(`${folder}/b.md`, 'b');
      const [hook] = options.hooks.PreToolUse[0].hooks;
      for (const [name, input] of asked) {
        const { hookSpecificOutput } = await hook({ tool_name: name, tool_input: input });
        decisions.push(hookSpecificOutput?.permissionDecision);
      }
      expect(options).toMatchObject({ tools: ['Edit'], allowedTools: ['mcp__wink__*'] });
      yield resultOf('Done.');
    });
    const { events, observers } = watching();
    const adapter = claudeAgent({ sdk, builtinTools: ['Edit'] });
    await adapter.evaluate(withFiles(filesystem), { observers });
    expect((await filesystem.read('b.md')).text).toBe('b');
    expect(decisions).toEqual(['allow', 'deny', 'deny', undefined]);
    expect(events.flatMap((event) => (event.type === 'tool-call-end' ? [event.toolName] : []))).toEqual([
      'harness_files',
    ]);
    expect(existsSync(folder)).toBe(false);
  });

  test('that change what a tool of the run has changed are sent back, and then end the run', async () => {
    const { writeFile } = await import('node:fs/promises');
    const filesystem = new MemoryFilesystem({ files: { 'a.md': 'a' } });
    const said: unknown[] = [];
    const sdk = claudeSdk(async function* ({ next, options }) {
      await writeFile(`${options.cwd}/a.md`, 'by Claude Code');
      await filesystem.write('a.md', 'by someone else');
      for (let text = await next(); text !== undefined; text = await next()) {
        said.push(text);
        yield resultOf('Done.');
      }
    });
    const adapter = claudeAgent({ sdk, builtinTools: ['Edit'] });
    const error = await evaluationFailure(adapter.evaluate(withFiles(filesystem)));
    expect(error.message).toContain('could not be kept');
    expect(said).toHaveLength(3);
    expect(said[1]).toEqual([
      { type: 'text', text: expect.stringContaining('"a.md" was changed by a tool of the run') },
    ]);
    expect((await filesystem.read('a.md')).text).toBe('by someone else');
  });

  test('are refused for a prompt without files, before anything starts', async () => {
    const sdk = claudeSdk(async function* () {
      yield resultOf('Done.');
    });
    const adapter = claudeAgent({ sdk, builtinTools: ['Read'] });
    await expect(adapter.evaluate(notebook())).rejects.toMatchObject({ details: { option: 'builtinTools' } });
    expect(() => adapter.stream(notebook())).toThrow(PromptValidationError);
  });
});

describe('options', () => {
  const sdk = claudeSdk(async function* () {
    yield resultOf('Done.');
  });

  test('of the wrong kind are refused', () => {
    const wrong: unknown[] = [
      { model: 7 },
      { builtinTools: ['rm -rf'] },
      { builtinTools: [7] },
      { settings: { temperature: 1 } },
      { settings: { reasoningEffort: 'minimal' } },
      { sdk: 'sdk' },
    ];
    // Code without types may give anything.
    for (const options of wrong) expect(() => claudeAgent(options as never)).toThrow(PromptValidationError);
  });

  test('of an evaluation that Claude Code does not have are refused', async () => {
    const adapter = claudeAgent({ sdk });
    await expect(adapter.evaluate(notebook(), { settings: { temperature: 1 } })).rejects.toMatchObject({
      details: { option: 'settings.temperature' },
    });
    await expect(
      adapter.evaluate(notebook(), { settings: { reasoningEffort: 'none' } }),
    ).rejects.toMatchObject({
      details: { option: 'settings.reasoningEffort', harness: 'claude-agent' },
    });
  });

  test('take precedence over those of the adapter', async () => {
    let effort: unknown;
    const asking = claudeSdk(async function* ({ options }) {
      ({ effort } = options);
      yield resultOf('Done.');
    });
    const adapter = claudeAgent({ sdk: asking, settings: { reasoningEffort: 'low' } });
    await adapter.evaluate(notebook(), { settings: { reasoningEffort: 'max' } });
    expect(effort).toBe('max');
  });
});
