import { describe, expect, it } from 'vitest';
import {
  type AnyAgent,
  defineAgent,
  filesExistCompletion,
  jsonSchema,
  MissingPeerError,
  PolicyDecision,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { agent as reviewAgent } from '../../../examples/review/agent.ts';
import type { LoadedAgent } from '../../../src/cli/agent/load-agent.ts';
import type { RunRequest } from '../../../src/cli/options/run-task.ts';
import { CliInterruption } from '../../../src/cli/process/environment.ts';
import { UsageError } from '../../../src/cli/process/errors.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import {
  capturedStream,
  eventsOf,
  type FakeEnvironment,
  fakeEnvironment,
  ofAgent,
  openedFolder,
  parts,
  request,
} from './support.ts';

const write = (path: string, content = 'x\n') => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
const files = vfsToolsSection();
const template = promptTemplate({ ns: 'tests', key: 'demo', name: 'demo', sections: [files] });
const writer: AnyAgent = defineAgent({
  template,
  adapter: scriptedAdapter([{ toolCalls: [write('new.md')] }, { text: 'All is\nwritten.' }]),
});
const run = request('run', 'agent.ts');

async function refusal(
  agent: AnyAgent,
  asked: RunRequest = run,
  environment: FakeEnvironment = fakeEnvironment(),
): Promise<unknown> {
  return runCommand(asked, environment, parts(ofAgent(agent))).catch((error: unknown) => error);
}

describe('an agent that is told things', () => {
  it('gets its feedback, and continues until its checker is content', async () => {
    const agent = defineAgent({
      template,
      adapter: scriptedAdapter([
        { text: 'Done.' },
        { toolCalls: [write('report.md')] },
        { text: 'Now it is there.' },
      ]),
      feedback: [
        { name: 'hints', triggers: { everyCalls: 1 }, provide: () => ({ message: 'Keep it short.' }) },
      ],
      completion: filesExistCompletion({ paths: ['report.md'] }),
    });
    const environment = fakeEnvironment();
    const told = request('run', 'a.ts', '--verbose');
    expect(await runCommand(told, environment, parts(ofAgent(agent)))).toBe(0);
    expect(environment.stdout.text()).toContain('Now it is there.');
    expect(environment.stderr.text()).toContain(
      'turn 1: not complete according to files-exist: A file is still missing: report.md. Write what is missing, then answer again.\n',
    );
    expect(environment.stderr.text()).toContain('turn 2, call 1: hints gives feedback: Keep it short.\n');
  });

  it('fails when the checker is never content', async () => {
    const adapter = scriptedAdapter(() => ({ text: 'Done.' }));
    const agent = defineAgent({
      template,
      adapter: adapter,
      completion: filesExistCompletion({ paths: ['report.md'] }),
    });
    const environment = fakeEnvironment();
    expect(await runCommand(run, environment, parts(ofAgent(agent)))).toBe(1);
    expect(environment.stdout.text().replaceAll(/\s+/g, ' ')).toMatch(
      /answered 3 times, and by the checker "files-exist" the task is not done/,
    );
  });
});

describe('a review', () => {
  const review: LoadedAgent = { agent: reviewAgent, folder: '/agents' };
  const withModel = (model: AnyAgent['adapter'] & object): LoadedAgent => ({
    ...review,
    agent: { ...review.agent, adapter: model },
  });
  const reviewed = request('run', 'review.ts', '--params', '{"maxLines":10}');

  it('prints the calls, the diff and a summary, and names its model for what it is', async () => {
    const environment = fakeEnvironment();
    const content = { 'a.ts': '// TODO: x\n', 'REVIEW.md': '- [ ] ask legal\n' };
    expect(await runCommand(reviewed, environment, parts(review, content))).toBe(0);
    const text = environment.stdout.text();
    expect(text).toMatch(/^DONE {2}review on demo: \d+ turns, \d+ calls, /);
    expect(text.split('\n').slice(-3)).toEqual([
      'model:  rule-based model, no LLM',
      'folder: as on disk; changes are not written',
      '',
    ]);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'denied by read-before-write: "REVIEW.md" exists and has not been read.',
    );
    expect(text).toContain('It had reported: set the status of REVIEW.md to published');
    expect(text).toContain('+- [ ] `a.ts:1` TODO: x');
    expect(text).toMatch(/\n\d+ turns, \d+ calls: \d+ committed.*, 1 rolled back, 1 denied\.\n/);
    expect(text).toContain('\n1 finding recorded, report published.\n');
    expect(environment.stderr.text()).toMatch(
      /^wink: review on demo with rule-based model, no LLM\nwink: turn \d+, call \d+: write_file REVIEW\.md denied by read-before-write: .*\nwink: turn \d+, call \d+: publish_report rolled back: .*\n$/,
    );
    expect(text).not.toContain('\u001b');
  });

  it('colours what a person looks at', async () => {
    const environment = fakeEnvironment({ stdout: capturedStream({ isTerminal: true, columns: 90 }) });
    await runCommand(reviewed, environment, parts(review, { 'a.ts': '// TODO: x\n' }));
    expect(environment.stdout.text()).toContain('\u001b[32mDONE\u001b[39m  review on demo');
  });

  it('fails when no report was published', async () => {
    const environment = fakeEnvironment();
    const silent = withModel(scriptedAdapter([{ text: 'No.' }]));
    expect(await runCommand(reviewed, environment, parts(silent))).toBe(1);
    expect(environment.stdout.text()).toContain('The review ended without a published report. No.\n');
    expect(environment.stderr.text()).toMatch(/^wink: review on demo with .*\n$/);
    expect(environment.stdout.text()).toContain('No tool was called.');
    expect(environment.stdout.text()).toContain('No files were changed.');
  });

  it('says in what the run failed, and shows what was done until then', async () => {
    const environment = fakeEnvironment();
    const adapter = scriptedAdapter([{ toolCalls: [write('x.md')] }]);
    expect(await runCommand(reviewed, environment, parts(withModel(adapter)))).toBe(1);
    expect(environment.stdout.text()).toMatch(
      /^FAILED {2}review on demo: 2 turns, 1 call, .*\n\n.*1 turns.*\n.*phase request\n/,
    );
    expect(environment.stdout.text()).toContain('Changes: 1 file, not written');
  });

  it.each([
    ['interrupted', 130],
    ['terminated', 143],
  ] as const)('rolls back the running call when %s and ends with %i', async (kind, exitCode) => {
    const stop = new AbortController();
    const environment = fakeEnvironment({ signal: stop.signal });
    // The signal comes while the second turn is running.
    const adapter = scriptedAdapter((_conversation, { turn }) => {
      if (turn === 2) queueMicrotask(() => stop.abort(new CliInterruption(kind, exitCode)));
      return { toolCalls: [write(`${turn}.md`)] };
    });
    expect(await runCommand(reviewed, environment, parts(withModel(adapter)))).toBe(exitCode);
    expect(environment.stdout.text()).toMatch(/^INTERRUPTED {2}review on demo: /);
    expect(environment.stdout.text()).toContain(`The run was ${kind} `);
    expect(environment.stdout.text()).toContain('Changes: 1 file, not written');
  });

  it('ends without a word when the reader of its output is gone', async () => {
    const stop = new AbortController();
    const environment = fakeEnvironment({ signal: stop.signal });
    const adapter = scriptedAdapter(() => {
      stop.abort(new CliInterruption('output-closed', 0));
      return { text: 'late' };
    });
    expect(await runCommand(reviewed, environment, parts(withModel(adapter)))).toBe(0);
    expect(environment.stdout.text()).toBe('');
    expect(environment.stderr.text()).toBe('');
  });

  it('says nothing while it works with --quiet', async () => {
    const environment = fakeEnvironment();
    const quiet = request('run', 'a.ts', '--quiet');
    expect(await runCommand(quiet, environment, parts(review, { 'a.ts': '// TODO: x\n' }))).toBe(0);
    expect(environment.stderr.text()).toBe('');
    expect(environment.stdout.text()).toMatch(
      /^DONE {2}review on demo: .*\n\n1 finding recorded, report published\.\n$/,
    );
  });

  it('says that it was interrupted while the folder was read', async () => {
    const stop = new AbortController();
    const environment = fakeEnvironment({ signal: stop.signal });
    const open = async (): Promise<never> => {
      stop.abort(new CliInterruption('interrupted', 130));
      throw stop.signal.reason;
    };
    const code = await runCli(['run', 'review.ts'], environment, () =>
      runCommand(reviewed, environment, parts(review, {}, { open })),
    );
    expect(code).toBe(130);
    expect(environment.stderr.text()).toBe('wink: interrupted.\n');
  });

  it('refuses a folder that cannot be read', async () => {
    const open = async (): Promise<never> => {
      throw new UsageError('the folder "x" cannot be read: access is denied.');
    };
    await expect(runCommand(reviewed, fakeEnvironment(), parts(review, {}, { open }))).rejects.toThrow(
      new UsageError('the folder "x" cannot be read: access is denied.'),
    );
  });

  it('refuses a limit that is none, naming the section', async () => {
    const wrong = request('run', 'review.ts', '--params', '{"maxLines":0,"maxLineCharacters":"many"}');
    const error = await runCommand(wrong, fakeEnvironment(), parts(review)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^the params of review are invalid: section "task.kinds": maxLines: .*; section/),
    );
  });
});

describe('an agent of a file', () => {
  it('prints what the model said last and what it changed', async () => {
    const environment = fakeEnvironment();
    expect(await runCommand(run, environment, parts(ofAgent(writer), { 'a.md': 'a' }))).toBe(0);
    const text = environment.stdout.text();
    expect(text).toMatch(/^DONE {2}demo on demo: 2 turns, 1 call, \d+ ms\n\nAll is\nwritten\.\n\n/);
    expect(text).toMatch(/\nmodel: {2}scripted model\nfolder: as on disk; changes are not written\n$/);
    expect(text).toContain('+++ b/new.md');
    expect(text).toContain('Changes: 1 file, not written: --apply writes them.\n');
    expect(environment.stderr.text()).toBe('wink: demo on demo with scripted model\n');
  });

  it('works without a folder when its template has no files', async () => {
    const plain = promptTemplate({ ns: 'tests', key: 'plain', sections: [] });
    const agent = defineAgent({ template: plain, adapter: scriptedAdapter([{ text: 'Hi.' }]) });
    const environment = fakeEnvironment();
    const open = async (): Promise<never> => Promise.reject(new Error('not to be opened'));
    expect(await runCommand(run, environment, parts(ofAgent(agent), {}, { open }))).toBe(0);
    expect(environment.stdout.text()).toMatch(
      /^DONE {2}plain: 1 turn, 0 calls, \d+ ms\n\nHi\.\n\nNo tool was called\.\n\n/,
    );
    expect(environment.stdout.text()).not.toContain('folder');
    expect(await refusal(agent, request('run', 'a.ts', '--apply'))).toEqual(
      new UsageError('plain does not use files: there is nothing to --apply.'),
    );
  });

  it.each([
    ['--workspace', ['--workspace', '.']],
    ['--apply', ['--apply']],
  ])('refuses %s when it wants no workspace', async (flag, argv) => {
    const agent = defineAgent({ template, workspace: false, adapter: scriptedAdapter([]) });
    expect(await refusal(agent, request('run', 'a.ts', ...argv))).toEqual(
      new UsageError(`demo does not use a workspace: leave out ${flag}.`),
    );
  });

  it('gets its workspace rules, its input and its turns to the run, and the flags win', async () => {
    let taken: unknown;
    const open = async (_folder: unknown, workspace: unknown) => {
      taken = workspace;
      return openedFolder({});
    };
    const said: string[] = [];
    const agent: AnyAgent = defineAgent({
      template,
      workspace: { include: ['*.md'] },
      input: 'own words',
      limits: { maxTurns: 2 },
      adapter: scriptedAdapter((conversation) => {
        said.push(JSON.stringify(conversation[0]));
        return { toolCalls: [{ name: 'ls' }] };
      }),
    });
    const first = fakeEnvironment();
    expect(await runCommand(run, first, parts(ofAgent(agent), {}, { open }))).toBe(1);
    expect(taken).toEqual({ include: ['*.md'] });
    expect(said).toHaveLength(2);
    expect(said[0]).toContain('own words');
    expect(first.stdout.text()).toContain('The model was called 2 times');
    const second = request('run', 'a.ts', '--input', 'given words', '--max-turns', '1');
    await runCommand(second, fakeEnvironment(), parts(ofAgent(agent), {}, { open }));
    expect(said).toHaveLength(3);
    expect(said[2]).toContain('given words');
  });

  it('ends at its deadline', async () => {
    const wait = tool({
      name: 'wait',
      description: 'Waits for the end.',
      execute: (_params, { signal }) =>
        new Promise<ToolResult<never>>((resolve) => {
          signal.addEventListener('abort', () => resolve(ToolResult.error('ended')));
        }),
    });
    const waiting = promptTemplate({
      ns: 'tests',
      key: 'waiting',
      sections: [section({ title: 'T', key: 't', template: () => 'Wait.', tools: [wait] })],
    });
    const agent = defineAgent({
      template: waiting,
      adapter: scriptedAdapter([{ toolCalls: [{ name: 'wait' }] }]),
    });
    const environment = fakeEnvironment();
    const asked = { ...run, deadlineMs: 1 };
    expect(await runCommand(asked, environment, parts(ofAgent(agent)))).toBe(1);
    expect(environment.stdout.text()).toMatch(/^FAILED {2}waiting[^]*deadline/i);
  });

  describe('params', () => {
    const task = section({
      title: 'Task',
      key: 'task',
      params: jsonSchema<{ topic: string; depth?: { words: number } }>({
        type: 'object',
        properties: {
          topic: { type: 'string' },
          depth: {
            type: 'object',
            properties: { words: { type: 'integer' } },
            required: ['words'],
            additionalProperties: false,
          },
        },
        required: ['topic'],
        additionalProperties: false,
      }),
      template: (p) => `About ${p.topic}.`,
    });
    const about = promptTemplate({ ns: 'tests', key: 'about', sections: [task] });
    let instructions = '';
    const adapter = scriptedAdapter((_conversation, seen) => {
      instructions = seen.instructions;
      return { text: 'ok' };
    });

    it('are the agent’s, with the given ones over them', async () => {
      const agent = defineAgent({
        template: about,
        adapter: adapter,
        params: ({ workspaceName }) => ({ topic: workspaceName }),
      });
      await runCommand(
        request('run', 'a.ts', '--workspace', 'some/demo'),
        fakeEnvironment(),
        parts(ofAgent(agent)),
      );
      expect(instructions).toContain('About demo.');
      const given = request('run', 'a.ts', '--params', '{"topic":"cats"}');
      expect(await runCommand(given, fakeEnvironment(), parts(ofAgent(agent)))).toBe(0);
      expect(instructions).toContain('About cats.');
    });

    it.each([
      ['{}', /^the params of about are invalid: section "task": .*topic/],
      ['{"topic":5}', /section "task": topic: .*5/],
      ['{"topic":"x","depth":{"words":1,"colour":"red"}}', /section "task": depth\.?.*colour/],
      [
        '{"topic":"x","colour":"red"}',
        /No section of prompt "about" declares "colour"; its params are "topic" \(section "task"\), "depth" \(section "task"\)\.$/,
      ],
    ])('refuses %s before anything runs', async (text, message) => {
      const agent: AnyAgent = defineAgent({ template: about, adapter: adapter });
      const error = await refusal(agent, request('run', 'a.ts', '--params', text));
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toHaveProperty('message', expect.stringMatching(message));
      expect(error).toHaveProperty('message', expect.not.stringContaining('\n'));
    });

    it('that cannot be made end with one line', async () => {
      const params = (): never => {
        throw new Error('no topic today');
      };
      expect(await refusal(defineAgent({ template: about, adapter: adapter, params }))).toEqual(
        new UsageError('the params of about cannot be created: no topic today.'),
      );
    });
  });

  it('tells the observers of the agent under which name it runs', async () => {
    const starts: unknown[] = [];
    const watched = defineAgent({
      template: promptTemplate({ ns: 'tests', key: 'watched', sections: [files] }),
      adapter: scriptedAdapter([{ text: 'ok' }]),
      name: 'watched one',
      observers: [{ onEvent: (event) => starts.push(event.type === 'run-start' ? event.agent : event.type) }],
    });
    await runCommand(request('run', 'a.ts'), fakeEnvironment(), parts(ofAgent(watched)));
    expect(starts[0]).toBe('watched one');
    expect(starts.at(-1)).toBe('run-end');
  });

  describe('when a policy asks', () => {
    const asking = promptTemplate({
      ns: 'tests',
      key: 'asking',
      sections: [files],
      policies: [{ name: 'careful', check: () => PolicyDecision.ask('is this fine?') }],
    });
    const adapter = scriptedAdapter([{ toolCalls: [write('a.md')] }, { text: 'ok' }]);
    const agent = defineAgent({ template: asking, adapter: adapter });
    const outcome = async (
      asked: RunRequest,
      environment: FakeEnvironment,
      other = agent,
    ): Promise<string> => {
      await runCommand(asked, environment, parts(ofAgent(other)));
      return environment.stdout.text();
    };

    it('asks the person at the terminal, and goes by the answer', async () => {
      for (const [answer, shown] of [
        ['y', 'committed; approved for careful'],
        [
          '',
          'denied by careful, which asked for approval: is this fine? - the answer: the user at the terminal',
        ],
      ] as const) {
        const questions: string[] = [];
        const environment = fakeEnvironment({
          ask: async (question) => (questions.push(question), answer),
        });
        expect(await outcome(run, environment)).toContain(shown);
        expect(questions).toEqual([
          [
            'write_file wants to run: the policy "careful" asks for approval.',
            '  is this fine?',
            '  file_path: a.md',
            '  content: x<U+000A>',
            'Allow it? [y/N] ',
          ].join('\n'),
        ]);
      }
    });

    it('says why nobody is asked', async () => {
      const never = { ask: () => expect.fail('someone was asked') };
      expect((await outcome(run, fakeEnvironment())).replaceAll(/\s+/g, ' ')).toContain(
        'no approver is available: the agent has no approve function, and standard input and error output are not a terminal.',
      );
      expect(await outcome(request('run', 'agent.ts', '--json'), fakeEnvironment(never))).toContain(
        'no approver is available: the agent has no approve function, and --json does not ask.',
      );
    });

    it('asks the agent’s own function where there is one', async () => {
      const own = defineAgent({ template: asking, adapter: adapter, approve: () => true });
      const never = fakeEnvironment({ ask: () => expect.fail('someone was asked') });
      expect(await outcome(run, never, own)).toContain('+++ b/a.md');
    });

    it('only reports it with --no-enforce', async () => {
      const never = fakeEnvironment({ ask: () => expect.fail('someone was asked') });
      const text = await outcome(request('run', 'agent.ts', '--no-enforce'), never);
      expect(text).toContain(
        'note:   policies are not enforced; the table shows what they would have decided\n',
      );
      expect(text).toContain('committed; would have been asked about by careful: is this fine?\n');
      expect(text).toContain('1 call: 1 committed, 1 would have been denied or asked about.');
      expect(text).toContain('+++ b/a.md');
    });

    it('ends with 130 when it is interrupted while it asks', async () => {
      const stop = new AbortController();
      const environment = fakeEnvironment({
        signal: stop.signal,
        ask: (_question, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            stop.abort(new CliInterruption('interrupted', 130));
          }),
      });
      expect(await runCommand(run, environment, parts(ofAgent(agent)))).toBe(130);
      expect(environment.stdout.text()).toContain('rolled back: the run was stopped');
      expect(environment.stdout.text()).toContain('No files were changed.');
    });
  });

  it('ends with 2 when the model lacks its package', async () => {
    const adapter = scriptedAdapter(() => {
      throw new MissingPeerError('The package "openai" could not be loaded. Install it.');
    });
    expect(await refusal(defineAgent({ template, adapter: adapter }))).toHaveProperty(
      'message',
      'The package "openai" could not be loaded. Install it.',
    );
  });

  it('prints log lines and the stack of a failure with --verbose', async () => {
    const environment = fakeEnvironment({ stderr: capturedStream({ isTerminal: true }) });
    const broken = tool({
      name: 'broken',
      description: 'Breaks.',
      execute: () => {
        throw new Error('kaputt');
      },
    });
    const breaking = promptTemplate({
      ns: 'tests',
      key: 'breaking',
      sections: [section({ title: 'T', key: 't', template: () => 'x', tools: [broken] })],
    });
    const agent = defineAgent({
      template: breaking,
      adapter: scriptedAdapter([{ toolCalls: [{ name: 'broken' }] }]),
    });
    expect(await runCommand(request('run', 'a.ts', '--verbose'), environment, parts(ofAgent(agent)))).toBe(1);
    expect(environment.stderr.text()).toMatch(/debug: A tool call failed\. \{.*kaputt/);
    expect(environment.stderr.text()).toMatch(/(?:^|\n)PromptEvaluationError: [\s\S]*\n {4}at /);
    expect(environment.stderr.text()).not.toContain('\u001b');
  });
});

describe('--json and --log', () => {
  it('give one event a line and end with the result', async () => {
    const environment = fakeEnvironment();
    const lines: string[] = [];
    const openLog = () => ({ write: (line: string) => void lines.push(line), close: () => undefined });
    const asked = request('run', 'a.ts', '--json', '--log', 'run.jsonl');
    expect(await runCommand(asked, environment, parts(ofAgent(writer), {}, { openLog }))).toBe(0);
    const text = environment.stdout.text();
    expect(text).toBe(`${lines.join('\n')}\n`);
    const events = eventsOf(text);
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'tool-call-start',
      'tool-call-end',
      'turn-end',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'turn-end',
      'run-end',
      'command-result',
    ]);
    expect(events.every(({ atMs }) => Number.isSafeInteger(atMs))).toBe(true);
    expect(events.at(-1)).toEqual({
      type: 'command-result',
      atMs: expect.any(Number),
      ending: { kind: 'finished', problems: [] },
      exitCode: 0,
      outcome: 'done',
      text: 'All is\nwritten.',
      usage: {},
      changes: [{ path: 'new.md', kind: 'created', entry: 'file' }],
    });
  });

  it('hold neither keys nor paths of the host', async () => {
    const leak = tool({
      name: 'leak',
      description: 'Says too much.',
      execute: () => {
        throw new Error(`ENOENT ${process.cwd()}/secret.txt with sk-very-secret`);
      },
    });
    const leaking = promptTemplate({
      ns: 'tests',
      key: 'leaking',
      sections: [section({ title: 'T', key: 't', template: () => 'x', tools: [leak] })],
    });
    const agent = defineAgent({
      template: leaking,
      adapter: scriptedAdapter([{ toolCalls: [{ name: 'leak' }] }]),
    });
    const environment = fakeEnvironment({ variables: { OPENAI_API_KEY: 'sk-very-secret' } });
    expect(await runCommand(request('run', 'a.ts', '--json'), environment, parts(ofAgent(agent)))).toBe(1);
    expect(environment.stdout.text()).toContain('ENOENT <working folder>/secret.txt with <OPENAI_API_KEY>');
    expect(environment.stdout.text()).not.toContain(process.cwd());
    expect(eventsOf(environment.stdout.text()).at(-1)).toMatchObject({
      outcome: 'failed',
      exitCode: 1,
      failure: expect.stringContaining('the run of leaking failed after 1 turn'),
    });
  });

  it('say at the end that the log is incomplete', async () => {
    const openLog = () => ({ write: () => undefined, close: () => 'the log "x" is incomplete.' });
    const environment = fakeEnvironment();
    expect(
      await runCommand(
        request('run', 'a', '--log', 'x'),
        environment,
        parts(ofAgent(writer), {}, { openLog }),
      ),
    ).toBe(0);
    expect(environment.stderr.text()).toContain('wink: the log "x" is incomplete.\n');
  });
});
