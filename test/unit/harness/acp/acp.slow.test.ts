import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Clock,
  CompletionVerdict,
  type EvaluateOptions,
  PromptEvaluationError,
  PromptValidationError,
  promptTemplate,
  type RunEvent,
  section,
} from 'weakincentives';
import { type AcpOptions, acp } from 'weakincentives/acp';
import { z } from 'zod';
import type { AgentScript, AgentStep } from '../../../support/acp/agent-script.ts';
import { childProgram } from '../../../support/child-program.ts';
import { gate } from '../../../support/gate.ts';
import { servedPrompt } from '../../../support/mcp/served-prompt.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

let program: string;

beforeAll(async () => {
  program = await childProgram('acp-agent');
});

function agentOf(script: AgentScript, options: Partial<AcpOptions> = {}) {
  return acp({
    command: process.execPath,
    args: [program],
    env: { SCRIPT: JSON.stringify(script) },
    ...options,
  });
}

const call = (name: string, args: Record<string, unknown> = {}): AgentStep => ({
  kind: 'call',
  calls: [{ name, args }],
});
const sayLast: AgentStep = { kind: 'say-last' };
const say = (text: string): AgentStep => ({ kind: 'say', text });

const plain = promptTemplate({
  ns: 'test',
  key: 'plain',
  sections: [section({ title: 'Task', key: 'task', template: 'Do the task.' })],
});

for (const http of [true, false]) {
  const named = http ? 'over HTTP' : 'by a child of the agent';

  describe(`acp(), tools ${named}`, () => {
    it('runs the agent: a denial, a read, a write, an answer', async () => {
      const { filesystem, prompt } = servedPrompt();
      const write = call('write_file', { file_path: 'a.txt', content: 'beta' });
      const script = {
        http,
        prompts: [[write, sayLast, call('read_file', { file_path: 'a.txt' }), write, say('DO'), say('NE')]],
      };
      const events: RunEvent[] = [];
      const observers = [{ onEvent: (event: RunEvent) => void events.push(event) }];
      const response = await agentOf(script).evaluate(prompt, { input: 'Write beta.', observers });
      expect(response.text).toBe('DONE');
      expect(response.finishReason).toBe('stop');
      expect((await filesystem.read('a.txt')).text).toBe('beta');
      const ends = events.flatMap((event) =>
        event.type === 'tool-call-end' ? [[event.toolName, event.invocation.outcome]] : [],
      );
      expect(ends).toEqual([
        ['write_file', 'denied'],
        ['read_file', 'committed'],
        ['write_file', 'committed'],
      ]);
      expect(events[0]).toMatchObject({ type: 'run-start', adapter: 'acp node' });
      expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'finished' });
    });

    it('commits calls that run at the same time as if one ran after the other', async () => {
      const { prompt } = servedPrompt();
      const calls = [1, 2, 3, 4].map((by) => ({ name: 'add', args: { by } }));
      const response = await agentOf({
        http,
        prompts: [[{ kind: 'call', calls }, call('add', { by: 0 }), sayLast]],
      }).evaluate(prompt);
      expect(response.text).toContain('The count is 10.');
    });

    it('takes a structured answer by the tool finish', async () => {
      const prompt = promptTemplate({
        ns: 'test',
        key: 'structured',
        output: z.object({ total: z.number() }),
        sections: [section({ title: 'Task', key: 'task', template: 'Count.' })],
      }).bind();
      const script = {
        http,
        prompts: [[call('finish', { total: 'two' }), call('finish', { total: 2 }), say('Done.')]],
      };
      expect((await agentOf(script).evaluate(prompt)).output).toEqual({ total: 2 });
    });

    it('aborts: the call that runs is rolled back, and the agent ends', async () => {
      const { filesystem, prompt, slow } = servedPrompt();
      const abort = new AbortController();
      const run = agentOf({ http, prompts: [[call('slow')]] }).evaluate(prompt, { signal: abort.signal });
      await slow.reached;
      abort.abort(new Error('no longer needed'));
      await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
      slow.open();
      expect(await filesystem.stat('slow.txt')).toBeUndefined();
    });
  });
}

/** A clock whose timers fire at once when they are set to at most this time, and never otherwise. */
const clockOf = (dueMs: number): Clock => ({
  now: () => 0,
  schedule: (delayMs, callback) => {
    if (delayMs <= dueMs) queueMicrotask(callback);
    return () => undefined;
  },
  yieldToTimers: () => new Promise((resolve) => setImmediate(resolve)),
});

describe('acp()', () => {
  const evaluate = (script: AgentScript, options: EvaluateOptions = {}, own: Partial<AcpOptions> = {}) =>
    agentOf(script, own).evaluate(plain.bind(), options);

  it('puts the prompt before the first message, and what comes next after it', async () => {
    const script = { prompts: [[{ kind: 'say-prompt' }], [{ kind: 'say-prompt' }]] } as const;
    let asked = 0;
    const response = await evaluate(script, {
      input: [{ type: 'text', text: 'One.' }],
      completion: {
        name: 'asked-twice',
        check: ({ text }) => {
          asked += 1;
          return text.includes('Continue')
            ? CompletionVerdict.complete()
            : CompletionVerdict.incomplete('Continue, please.');
        },
      },
    }).catch((error: unknown) => error);
    expect(response).toMatchObject({ text: expect.stringContaining('Continue, please.') });
    expect(asked).toBe(2);
  });

  it('streams what the model says and thinks; the answer is what follows the last call', async () => {
    const { prompt } = servedPrompt();
    const steps = [
      { kind: 'think', text: 'Hm.' },
      say('I add. '),
      call('add', { by: 1 }),
      say('It is '),
      say('one.'),
    ] as const;
    const deltas: string[] = [];
    let text = '';
    for await (const event of agentOf({ prompts: [steps] }).stream(prompt)) {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') deltas.push(event.text);
      if (event.type === 'run-result') text = event.response.text;
    }
    expect(deltas).toEqual(['Hm.', 'I add. ', 'It is ', 'one.']);
    expect(text).toBe('It is one.');
  });

  it('gives the agent a clean environment and an empty folder of its own', async () => {
    process.env['SECRET_OF_THE_HOST'] = 'secret';
    const { text } = await evaluate({ prompts: [[{ kind: 'say-environment' }]] });
    delete process.env['SECRET_OF_THE_HOST'];
    const { folder, names } = JSON.parse(text) as {
      readonly folder: string;
      readonly names: readonly string[];
    };
    const passed = ['HOME', 'LANG', 'LC_ALL', 'PATH', 'SCRIPT', 'WEAKINCENTIVES_STARTED_BY', 'TMPDIR', 'TZ'];
    expect(names.filter((name) => !passed.includes(name))).toEqual([]);
    expect(folder).toContain('wink-staged-');
    expect(existsSync(folder)).toBe(false);
  });

  /** On a prompt with file tools; what the agent does of its own is `npm test`. */
  const evaluateWithTools = (steps: AgentScript['prompts'][number]) => {
    const permissions: AcpOptions['permissions'] = ({ kind, title }) =>
      title === 'npm test' && kind === 'execute';
    return agentOf({ prompts: [[...steps, sayLast]] }, { permissions }).evaluate(servedPrompt().prompt);
  };

  it.each([
    ['rm -rf /', 'rejected'],
    ['SERVER_read_file', 'rejected'],
    ['SERVER_nothing', 'rejected'],
    ['SERVER_read_file; rm -rf /', 'rejected'],
    ['npm test', 'allowed'],
  ])('decides about the call %j: %s', async (title, outcome) => {
    const { text } = await evaluateWithTools([{ kind: 'own', title }]);
    expect(text).toBe(outcome);
  });

  it.each<readonly [what: string, outcome: string, steps: AgentScript['prompts'][number]]>([
    [
      'is a tool of the prompt',
      'allowed',
      [{ kind: 'announce', title: 'mcp.SERVER.read_file', tool: 'read_file' }],
    ],
    [
      'has the title of a tool of the prompt',
      'rejected',
      [{ kind: 'announce', title: 'mcp.SERVER.read_file' }],
    ],
    ['is a tool that the function allows', 'allowed', [{ kind: 'announce', title: 'npm test' }]],
    ['is another tool of the agent', 'rejected', [{ kind: 'announce', title: 'rm -rf /' }]],
    ['has ended', 'rejected', [{ kind: 'announce', title: 'npm test' }, { kind: 'end-call' }]],
    ['was never announced', 'rejected', []],
  ])('decides about a call that is named by its id and that %s: %s', async (_what, outcome, steps) => {
    const { text } = await evaluateWithTools([...steps, { kind: 'ask-by-id' }]);
    expect(text).toBe(outcome);
  });

  it('rejects the tools of the agent by default, and when the function throws', async () => {
    const script: AgentScript = { prompts: [[{ kind: 'own', title: 'npm test' }, sayLast]] };
    expect((await evaluate(script)).text).toBe('rejected');
    const permissions = (): boolean => {
      throw new Error('a mistake');
    };
    expect((await evaluate(script, {}, { permissions })).text).toBe('rejected');
  });

  it.each([
    [
      'an agent that ends',
      { prompts: [[{ kind: 'exit', code: 7 }]] },
      'The agent ended with exit code 7 before it had answered.',
    ],
    [
      'an agent that needs a login',
      { prompts: [], needsLogin: true },
      'Log in with the program of the agent, or pass its key in env.',
    ],
    [
      'an agent of another version',
      { prompts: [], protocolVersion: 2 },
      'The agent speaks version 2 of the Agent Client Protocol; version 1 is supported.',
    ],
  ] as const)('says what is wrong with %s', async (_name, script, message) => {
    const error = await evaluate(script as AgentScript).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(String(error)).toContain(message);
  });

  it('says that a program was not found', async () => {
    const error = await evaluate({ prompts: [] }, {}, { command: 'wink-no-such-agent' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toContain('the program "wink-no-such-agent" was not found');
  });

  it('ends an agent that starts no session in time', async () => {
    const run = evaluate({ prompts: [], startsNever: true }, { clock: clockOf(120_000) });
    await expect(run).rejects.toThrow('The agent did not start a session within 120000 ms.');
  });

  it.each([
    ['answers nothing', 'setInterval(() => {}, 1000)', clockOf(0)],
    [
      'answers nothing, and ignores the request to end',
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)",
      clockOf(1_000),
    ],
  ])('ends at once when it is aborted and the agent %s', async (_what, code, clock) => {
    const abort = new AbortController();
    const said = gate();
    const logger = { ...recordingLogger(), debug: () => void said.pass() };
    const args = ['-e', `${code}; process.stderr.write('it runs')`];
    const run = acp({ command: process.execPath, args }).evaluate(plain.bind(), {
      signal: abort.signal,
      clock,
      logger,
    });
    run.catch(() => undefined);
    await said.reached;
    abort.abort();
    // Timers that are set to longer never fire here.
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
  });

  it('kills an agent that does not stop when it is asked to', async () => {
    const { prompt, slow } = servedPrompt();
    const abort = new AbortController();
    const script = { prompts: [[call('slow')]], ignoresCancel: true };
    const run = agentOf(script).evaluate(prompt, { signal: abort.signal, clock: clockOf(2_000) });
    run.catch(() => undefined);
    await slow.reached;
    abort.abort();
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
    slow.open();
  });

  it('refuses what the protocol does not report or take, before it starts anything', async () => {
    const refused = async (options: EvaluateOptions): Promise<unknown> =>
      evaluate({ prompts: [] }, options, { command: 'wink-no-such-agent' }).catch((error: unknown) => error);
    for (const options of [
      { limits: { maxTurns: 3 } },
      { limits: { budget: { maxTotalTokens: 10 } } },
      { settings: { temperature: 0 } },
      { history: [{ type: 'user', content: [{ type: 'text', text: 'Before.' }] }] },
    ] as EvaluateOptions[])
      expect(await refused(options)).toBeInstanceOf(PromptValidationError);
    expect(() => acp({ command: '' })).toThrow(PromptValidationError);
  });
});
