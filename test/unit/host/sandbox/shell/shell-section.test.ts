import { describe, expect, it } from 'vitest';
import {
  binding,
  type ConversationItem,
  type Filesystem,
  MemoryFilesystem,
  PromptEvaluationError,
  promptTemplate,
  type Section,
  Session,
  ToolCallLog,
} from 'weakincentives';
import { SandboxBackend, SandboxError, type ShellSectionOptions, shellSection } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { skillsSection, vfsToolsSection } from 'weakincentives/tools';
import { type FakeBackend, fakeBackend, outcome } from './fake-backend.ts';

const resultsOf = (conversation: readonly ConversationItem[]): readonly string[] =>
  conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

function templateOf(options: ShellSectionOptions, filesystem = new MemoryFilesystem({ files: { a: 'a' } })) {
  const sections = [vfsToolsSection({ filesystem }), shellSection(options)];
  return promptTemplate({ ns: 'test', key: 'shell', sections });
}

async function callOnce(
  backend: FakeBackend,
  args: Record<string, unknown> = {},
  options: Partial<ShellSectionOptions> = {},
) {
  const filesystem = new MemoryFilesystem({ files: { a: 'a' } });
  await using session = new Session();
  const toolCalls = [{ name: 'shell_execute', arguments: { command: 'go', ...args } }];
  const { conversation } = await scriptedAdapter([{ toolCalls }, { text: 'done' }]).evaluate(
    templateOf({ backend, ...options }, filesystem).bind(),
    { session },
  );
  const [invocation] = session.slice(ToolCallLog).all();
  return { text: resultsOf(conversation)[0] ?? '', invocation, content: (await filesystem.read('a')).text };
}

describe('shellSection', () => {
  it('checks its backend when an evaluation starts, and releases it with the session', async () => {
    const backend = fakeBackend(() => outcome());
    {
      await using session = new Session();
      await scriptedAdapter([{ text: 'done' }]).evaluate(templateOf({ backend }).bind(), { session });
      expect(backend.log).toStrictEqual(['prepare']);
    }
    expect(backend.log).toStrictEqual(['prepare', 'release']);
  });

  it('fails an evaluation without files, before the first turn', async () => {
    const sections = [shellSection({ backend: fakeBackend(() => outcome()) })];
    // A script without turns: the first one would be another error.
    const error: unknown = await scriptedAdapter([])
      .evaluate(promptTemplate({ ns: 'test', key: 'shell', sections }).bind())
      .catch((thrown: unknown) => thrown);
    const reasons = causesOf(error).map(({ message }) => message);
    expect(reasons.join('\n')).toContain(
      'The section "shell" has no workspace for its commands: the prompt binds no Filesystem. Bind one, or add vfsToolsSection().',
    );
  });

  it('fails an evaluation whose backend does not work, before the first turn', async () => {
    const backend: SandboxBackend = {
      ...fakeBackend(() => outcome()),
      prepare: async () => {
        throw new SandboxError('sandbox-unavailable', 'The backend is not here. Install it.');
      },
    };
    const error: unknown = await scriptedAdapter([{ text: 'done' }])
      .evaluate(templateOf({ backend }).bind())
      .catch((thrown: unknown) => thrown);
    expect(PromptEvaluationError.isInstance(error) && error.message).toContain(
      'The backend is not here. Install it.',
    );
  });

  it('collects after a success, and disposes of the sandbox after every call', async () => {
    const good = fakeBackend(async (_command, files) => {
      await files.write('a', 'changed');
      return outcome();
    });
    expect(await callOnce(good)).toMatchObject({ content: 'changed' });
    expect(good.log).toStrictEqual(['prepare', 'start', 'collect', 'dispose', 'release']);
    const bad = fakeBackend(async (_command, files) => {
      await files.write('a', 'changed');
      return outcome({ exitCode: 1 });
    });
    expect(await callOnce(bad)).toMatchObject({ content: 'a' });
    expect(bad.log).toStrictEqual(['prepare', 'start', 'dispose', 'release']);
  });

  it.each([
    ['exit code 0', { exitCode: 0 }, 'failure', 'changed'],
    ['exit code 1', { exitCode: 1 }, 'failure', 'a'],
    ['exit code 1', { exitCode: 1 }, 'never', 'changed'],
    ['a time-out', { exitCode: undefined, timedOut: true }, 'failure', 'a'],
    ['a time-out', { exitCode: undefined, timedOut: true }, 'never', 'a'],
    ['a signal', { exitCode: undefined, signal: 'SIGKILL' }, 'never', 'a'],
  ] as const)('after %s (%o) with rollbackOn %s leaves "%s"', async (_what, ending, rollbackOn, content) => {
    const backend = fakeBackend(async (_command, files) => {
      await files.write('a', 'changed');
      return outcome(ending);
    });
    expect((await callOnce(backend, {}, { rollbackOn })).content).toBe(content);
  });

  it('passes on what the call asks for, under the limits of the section', async () => {
    const commands: unknown[] = [];
    const backend = fakeBackend(({ onOutput: _onOutput, ...command }) => {
      commands.push(command);
      return outcome();
    });
    await callOnce(backend, { cwd: 'd', env: { A: 'b' }, stdin: 'in', timeout_seconds: 1.5 });
    await callOnce(backend, {}, { limits: { timeoutMs: 250, maxOutputBytes: 9 } });
    expect(commands).toStrictEqual([
      { command: 'go', cwd: 'd', env: { A: 'b' }, stdin: 'in', timeoutMs: 1500, maxOutputBytes: 32_768 },
      { command: 'go', timeoutMs: 250, maxOutputBytes: 9 },
    ]);
  });

  it('refuses more time than the section allows', async () => {
    const backend = fakeBackend(() => outcome());
    const { text } = await callOnce(backend, { timeout_seconds: 301 });
    expect(text).toContain('timeout_seconds');
    expect(backend.log).not.toContain('start');
  });

  it('shows the output of a command that failed once, and records its result', async () => {
    const stdout = { text: 'only once\n', totalBytes: 10, omittedBytes: 0 };
    const { text, invocation } = await callOnce(fakeBackend(() => outcome({ exitCode: 3, stdout })));
    expect(text.split('only once')).toHaveLength(2);
    expect(invocation).toMatchObject({ value: { exit_code: 3, stdout: 'only once\n' } });
  });

  it('counts what a command writes as activity of its call', async () => {
    const backend = fakeBackend(({ onOutput }) => {
      onOutput?.();
      return outcome();
    });
    const types: string[] = [];
    const toolCalls = [{ name: 'shell_execute', arguments: { command: 'go' } }];
    await scriptedAdapter([{ toolCalls }, { text: 'done' }]).evaluate(templateOf({ backend }).bind(), {
      observers: [{ onEvent: ({ type }) => void types.push(type) }],
    });
    expect(types.filter((type) => type === 'tool-call-heartbeat')).toHaveLength(1);
  });

  it('leaves no residual effects when a command fails', async () => {
    const { invocation } = await callOnce(fakeBackend(() => outcome({ exitCode: 1 })));
    expect(invocation).toMatchObject({ success: false });
    expect(invocation?.residualEffects ?? []).toStrictEqual([]);
  });

  it('has external effects with a network, and state effects without one', () => {
    const effectsOf = (network: 'none' | 'allow-list' | 'full') =>
      shellSection({ backend: fakeBackend(() => outcome(), { network }) }).tools?.map(
        ({ effects }) => effects,
      );
    expect(effectsOf('none')).toStrictEqual(['state']);
    expect(effectsOf('allow-list')).toStrictEqual(['external']);
    expect(effectsOf('full')).toStrictEqual(['external']);
  });

  it('uses the backend that is bound in its place, and describes that one', async () => {
    const own = fakeBackend(() => outcome());
    const bound = fakeBackend(() => outcome(), { description: 'Another fake shell.' });
    const prompt = templateOf({ backend: own }).bind(
      {},
      { resources: [binding(SandboxBackend, { instance: bound })] },
    );
    const toolCalls = [{ name: 'shell_execute', arguments: { command: 'go' } }];
    let seen = '';
    const adapter = scriptedAdapter((conversation, request) => {
      seen = JSON.stringify(request);
      return conversation.some(({ type }) => type === 'tool-result') ? { text: 'done' } : { toolCalls };
    });
    await adapter.evaluate(prompt);
    expect(seen).toContain('Another fake shell.');
    expect(own.log).toStrictEqual([]);
    expect(bound.log).toStrictEqual(['prepare', 'start', 'collect', 'dispose', 'release']);
  });

  it('does not let a backend with a network take the place of one without', async () => {
    const bound = fakeBackend(() => outcome(), { network: 'full' });
    const prompt = templateOf({ backend: fakeBackend(() => outcome()) }).bind(
      {},
      { resources: [binding(SandboxBackend, { instance: bound })] },
    );
    await expect(scriptedAdapter([{ text: 'done' }]).evaluate(prompt)).rejects.toThrow(
      'The backend "fake" has network access, but the section was made with a backend without it',
    );
  });

  it.each([
    [{ rollbackOn: 'always' }, 'rollbackOn'],
    [{ limits: { timeoutMs: 0 } }, 'timeoutMs'],
    [{ limits: { timeoutMs: 2000, maxTimeoutMs: 1000 } }, 'maxTimeoutMs'],
    [{ limits: { maxOutputBytes: -1 } }, 'maxOutputBytes'],
    [{ limits: { seconds: 1 } }, 'has no option "limits.seconds"'],
  ])('refuses %o', (options, problem) => {
    const backend = fakeBackend(() => outcome());
    // As untyped code may write it.
    const given = { backend, ...options } as ShellSectionOptions;
    expect(() => shellSection(given)).toThrow(problem);
  });
});

describe('skills', () => {
  const skill = {
    name: 'pdf',
    description: 'Fill in forms.',
    body: 'Run fill.sh.',
    files: { 'fill.sh': 'echo' },
  };

  async function startedWith(more: readonly Section[]) {
    const starts: { skills: readonly string[] | undefined; files: readonly string[]; write: unknown }[] = [];
    const pathsOf = async (files: Filesystem) => (await files.glob('**')).paths;
    const fake = fakeBackend(() => outcome());
    const backend: SandboxBackend = {
      ...fake,
      start: async (options) => {
        const { skills, filesystem } = options;
        starts.push({
          skills: skills && (await pathsOf(skills)),
          files: await pathsOf(filesystem),
          write: await skills?.write('pdf/fill.sh', 'rm').catch((error: unknown) => error),
        });
        return fake.start(options);
      },
    };
    const sections = [vfsToolsSection(), shellSection({ backend }), ...more];
    const toolCalls = [{ name: 'shell_execute', arguments: { command: 'sh /skills/pdf/fill.sh' } }];
    await scriptedAdapter([{ toolCalls }, { text: 'done' }]).evaluate(
      promptTemplate({ ns: 'test', key: 'skills', sections }).bind(),
    );
    return starts;
  }

  it('are files of the sandbox of each command, and not of the workspace', async () => {
    const [start] = await startedWith([skillsSection({ from: [skill] })]);
    expect(start).toMatchObject({
      skills: ['pdf/fill.sh'],
      files: [],
      write: { code: 'filesystem-read-only' },
    });
  });

  it('are none of its business without files', async () => {
    expect((await startedWith([]))[0]?.skills).toBeUndefined();
    const { files: _files, ...plain } = skill;
    expect((await startedWith([skillsSection({ from: [plain] })]))[0]?.skills).toBeUndefined();
  });
});
