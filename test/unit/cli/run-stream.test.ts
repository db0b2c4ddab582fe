import { describe, expect, it } from 'vitest';
import { defineAgent, type ProviderAdapter, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { type ModelRequest, ModelResponseError, providerAdapter } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { hostedMcpTool, webSearchTool } from 'weakincentives/tools';
import type { CommandParts } from '../../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import type { RunRequest } from '../../../src/cli/options/run-task.ts';
import { CliInterruption } from '../../../src/cli/process/environment.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { capturedStream, type FakeEnvironment, fakeEnvironment, ofAgent } from './support.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  // Longer than the note in its place.
  execute: () => ToolResult.ok(null, 'Seen. '.repeat(200)),
});
const task = section({
  title: 'Task',
  key: 'task',
  template: 'Do it.',
  tools: [look],
  hostedTools: [webSearchTool(), hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example' } })],
});
const template = promptTemplate({ ns: 'tests', key: 'streamed', name: 'streamed', sections: [task] });

function request(...argv: readonly string[]): RunRequest {
  const read = readArguments(['run', 'agent.ts', ...argv]);
  if (read.kind !== 'run') throw new Error(`no run: ${JSON.stringify(read)}`);
  return read;
}

async function run(
  adapter: ProviderAdapter,
  argv: readonly string[] = [],
  environment: FakeEnvironment = fakeEnvironment(),
  more: Partial<CommandParts> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const loaded = ofAgent(defineAgent({ template, workspace: false, adapter: adapter }));
  const load = async () => loaded;
  const code = await runCommand(request(...argv), environment, { load, ...more });
  return { code, out: environment.stdout.text(), err: environment.stderr.text() };
}

const eventsOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line): Record<string, unknown> => JSON.parse(line));
const onTerminal = (): FakeEnvironment => {
  let time = 0;
  return fakeEnvironment({
    stderr: capturedStream({ isTerminal: true, columns: 60 }),
    now: () => (time += 100),
  });
};

/** A model that says the same, and keeps how it was asked. */
function asking(): {
  readonly model: ProviderAdapter;
  readonly asked: (ModelRequest & { streams: boolean })[];
} {
  const asked: (ModelRequest & { streams: boolean })[] = [];
  const adapter = scriptedAdapter((_conversation, modelRequest, { onDelta }) => {
    asked.push({ ...modelRequest, streams: onDelta !== undefined });
    return { reasoning: 'Hm, well.', text: 'All is said.' };
  });
  return { model: adapter, asked };
}

describe('a run asks for the pieces of answers', () => {
  it.each<[readonly string[], boolean, boolean]>([
    [[], false, false],
    [['--json'], false, false],
    [['--json', '--deltas'], false, true],
    [['--verbose'], false, true],
    [[], true, true],
    [['--json'], true, true],
  ])('with %j, on a terminal: %s, %s', async (argv, isTerminal, streams) => {
    const { model, asked } = asking();
    const { code } = await run(model, argv, isTerminal ? onTerminal() : fakeEnvironment());
    expect(code).toBe(0);
    expect(asked.map((each) => each.streams)).toEqual([streams]);
  });

  it('and shows them on a terminal while they come, but not in events that did not ask for them', async () => {
    const { out, err } = await run(asking().model, ['--json'], onTerminal());
    expect(err).toMatch(/scripted model is thinking, \d\.\d s\n/);
    // oxlint-disable-next-line no-control-regex -- It is dimmed.
    expect(err).toMatch(/scripted model is writing, \d\.\d s\n\u001b\[2m {2}All is said\.\u001b\[22m/);
    expect(err.endsWith('\u001b[2K')).toBe(true);
    expect(eventsOf(out).map(({ type }) => type)).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'turn-end',
      'run-end',
      'command-result',
    ]);
  });

  it('and tells them with --deltas, without secrets that lie across them', async () => {
    const pieces = ['The key is sk-', '012345', '6789, ', 'keep it.'];
    const adapter = providerAdapter({
      model: {
        name: 'pieces',
        generate: async (_request, { onDelta }) => {
          for (const text of pieces) await onDelta?.({ type: 'text-delta', text });
          const text = pieces.join('');
          return { content: [{ type: 'text', text }], finishReason: 'stop', usage: {} };
        },
      },
    });
    const bare = promptTemplate({ ns: 'tests', key: 'bare', sections: [] });
    const loaded = ofAgent(defineAgent({ template: bare, workspace: false, adapter: adapter }));
    const environment = fakeEnvironment({ variables: { API_KEY: 'sk-0123456789' } });
    const load = async () => loaded;
    expect(await runCommand(request('--json', '--deltas'), environment, { load })).toBe(0);
    const told = eventsOf(environment.stdout.text()).filter(({ type }) => type === 'text-delta');
    expect(told.map(({ text }) => text)).toEqual(['The key is ', '<API_KEY>, ', 'keep it.']);
  });
});

describe('a run by its stream', () => {
  it('has written down what it does before it does it', async () => {
    const lines: string[] = [];
    const known: unknown[] = [];
    const seeing = tool({
      name: 'see',
      description: 'Sees what is written.',
      effects: 'read',
      execute: () => {
        known.push(...lines.map((line): unknown => Object(JSON.parse(line))['type']));
        return ToolResult.ok(null, 'Seen.');
      },
    });
    const sections = [section({ title: 'T', key: 't', template: 'x', tools: [seeing] })];
    const agent = defineAgent({
      template: promptTemplate({ ns: 'tests', key: 'seeing', sections }),
      workspace: false,
      adapter: scriptedAdapter([{ toolCalls: [{ name: 'see' }] }, { text: 'Done.' }]),
    });
    const openLog = () => ({ write: (line: string) => void lines.push(line), close: () => undefined });
    const load = async () => ofAgent(agent);
    expect(await runCommand(request('--log', 'l'), fakeEnvironment(), { load, openLog })).toBe(0);
    expect(known).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'tool-call-start',
    ]);
  });

  it('ends with 130 when it is interrupted in the middle of an answer', async () => {
    const stop = new AbortController();
    const environment = { ...onTerminal(), signal: stop.signal };
    const adapter = scriptedAdapter(async (_conversation, _request, { signal, onDelta }) => {
      await onDelta?.({ type: 'text-delta', text: 'Half of it.' });
      const ended = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      stop.abort(new CliInterruption('interrupted', 130));
      return ended;
    });
    const { code, out, err } = await run(adapter, [], environment);
    expect(code).toBe(130);
    expect(out).toContain('INTERRUPTED  streamed: ');
    expect(out, err).toContain('The run was interrupted from the keyboard; what was running is rolled back.');
  });
});

describe('options of the model', () => {
  it('are handed on', async () => {
    const { model, asked } = asking();
    await run(model, ['--max-output-tokens', '500', '--effort', 'high']);
    expect(asked[0]?.settings).toEqual({ maxOutputTokens: 500, reasoningEffort: 'high' });
  });

  it.each<[readonly string[], number]>([
    [[], 1],
    [['--context-overflow=error'], 1],
    [['--context-overflow=drop-tool-results'], 0],
  ])('decide with %j what happens to a conversation that is too long', async (argv, expected) => {
    const adapter = scriptedAdapter((conversation) => {
      const result = conversation.find((item) => item.type === 'tool-result');
      if (result === undefined) return { toolCalls: [{ name: 'look' }] };
      if (!result.text.includes('Seen.')) return { text: 'Done.' };
      throw new ModelResponseError('model-context-exceeded', 'too long');
    });
    const { code, err } = await run(adapter, [...argv, '--verbose']);
    expect(code).toBe(expected);
    expect(
      err.includes('the conversation exceeded the context window, 1 tool result replaced by a note'),
    ).toBe(expected === 0);
  });

  it.each<[readonly string[], number, number]>([
    [[], 10, 0],
    [['--max-conversation-turns', '2'], 5, 2],
    [['--max-conversation-turns=2', '--json'], 5, 2],
  ])('decide with %j how much of a conversation is sent', async (argv, longest, dropped) => {
    const lengths: number[] = [];
    const adapter = scriptedAdapter((conversation, { turn }) => {
      lengths.push(conversation.length);
      return turn > 5 ? { text: 'Done.' } : { toolCalls: [{ name: 'look' }] };
    });
    const { code, out, err } = await run(adapter, [...argv, '--verbose']);
    expect(code, err).toBe(0);
    expect(Math.max(...lengths)).toBe(longest);
    expect(err.match(/2 turns of the conversation dropped to make room/g) ?? []).toHaveLength(dropped);
    if (!argv.includes('--json')) return;
    expect(eventsOf(out).filter(({ type }) => type === 'turns-dropped')).toMatchObject([
      { turn: 3, turns: 2, callIds: ['call-1-1', 'call-2-1'] },
      { turn: 5, turns: 2, callIds: ['call-3-1', 'call-4-1'] },
    ]);
  });

  it('do not change how many turns a run that failed has had', async () => {
    const adapter = scriptedAdapter(() => ({ toolCalls: [{ name: 'look' }] }));
    const { code, out } = await run(adapter, ['--max-turns=7', '--max-conversation-turns=2']);
    expect(code).toBe(1);
    expect(out).toMatch(/^FAILED {2}streamed: 7 turns, /);
  });
});

describe('what hosted tools come to', () => {
  const searching = (): ProviderAdapter =>
    scriptedAdapter([
      {
        approvalRequests: [
          { approvalId: 'a1', toolName: 'wiki', name: 'write', arguments: '{"page":"Cats"}' },
        ],
      },
      {
        text: 'Cats purr. They are at /home/ann.',
        hosted: [
          {
            toolName: 'web_search',
            invocations: [
              { status: 'completed', queries: ['cats'], sources: [{ url: 'https://a.example' }] },
            ],
            citations: [{ type: 'url', url: 'https://a.example', title: 'On cats', span: [0, 10] }],
          },
        ],
      },
    ]);

  it('is in the report: rows of the table, and sources under the answer', async () => {
    const { code, out, err } = await run(searching());
    expect(code, err).toBe(0);
    expect(out).toMatch(
      /h1 +wiki +write +not approved for the provider: no approver is available: the agent has no approve function, and standard/,
    );
    expect(out).toMatch(/h2 +web_search +cats +run by the provider: 1 source, 1 citation\n/);
    expect(out).toContain(
      '\n\nCats purr. They are at /home/ann.\n\nSources\n  1  On cats - https://a.example\n\nturn ',
    );
    expect(out).toContain('2 turns, 0 calls: 0 committed, 2 more run by the provider.');
  });

  it('is in the result', async () => {
    const { out } = await run(searching(), ['--json']);
    expect(eventsOf(out).at(-1)).toMatchObject({
      type: 'command-result',
      hostedOutputs: {
        web_search: { invocations: [{ queries: ['cats'] }], citations: [{ title: 'On cats', turn: 2 }] },
      },
    });
  });
});

describe('a key that a package misses', () => {
  it('is bad input, in one line', async () => {
    const adapter = scriptedAdapter(() => {
      throw Object.assign(new Error('Set GOOGLE_KEY.\n'), { name: 'AI_LoadAPIKeyError' });
    });
    await expect(run(adapter)).rejects.toMatchObject({
      name: 'UsageError',
      message: 'Set GOOGLE_KEY.<U+000A>',
    });
  });
});
