import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { agentText, eventsOf, hasScript, leftOnTerminal, onTerminal, writing } from './agents.ts';
import { type Ending, ending, fingerprint, fixture, reviewAgent, root, run, start } from './wink.ts';

/** Outside of the repository: nothing here finds the package by looking around. */
let folder = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-run-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe('wink run', () => {
  it('runs an agent of the repository offline', async () => {
    const before = fingerprint(fixture);
    const { code, stdout, stderr } = await run([
      'run',
      'test/support/agents/summarise.ts',
      '--workspace',
      fixture,
    ]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^DONE {2}summarise on fixture: /);
    expect(stdout).toContain('+Kinds of files: .js, .md\n');
    expect(stdout).toContain('SUMMARY.md is written.\n');
    expect(fingerprint(fixture)).toBe(before);
  });

  it('holds the conversation to so many turns with --max-conversation-turns', async () => {
    const lists = `adapter: scriptedAdapter((conversation, { turn }) => turn > 5
      ? { text: \`Told of \${conversation.filter(({ type }) => type === 'assistant').length} turns.\` }
      : { toolCalls: [{ name: 'ls' }] })`;
    const agent = put('window/agent.ts', agentText(lists));
    const words = ['run', agent, '--workspace', join(folder, 'window'), '--json'];
    const whole = await run(words);
    expect(whole.code, whole.stderr).toBe(0);
    expect(eventsOf(whole.stdout).at(-1)).toMatchObject({ outcome: 'done', text: 'Told of 5 turns.' });
    const held = await run([...words, '--max-conversation-turns', '4']);
    expect(held.code, held.stderr).toBe(0);
    const events = eventsOf(held.stdout);
    expect(events.filter(({ type }) => type === 'turns-dropped')).toMatchObject([{ turn: 5, turns: 3 }]);
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'Told of 2 turns.' });
  });

  it('runs a TypeScript agent from a folder outside, and writes what it changed with --apply', async () => {
    const agent = put('apply/agent.ts', agentText(writing));
    const work = join(folder, 'apply/work');
    mkdirSync(work);
    const first = await run(['run', agent, '--workspace', work, '--params', '{"topic":"dogs"}', '--apply']);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain('Changes: 1 file, written to the folder.\n');
    expect(readFileSync(join(work, 'out/about.md'), 'utf8')).toBe('About.\n');
    expect(readdirSync(join(work, 'out'))).toEqual(['about.md']);
  });

  it('reviews a copy of the fixture and writes the report with --apply', async () => {
    const copy = join(folder, 'copy');
    cpSync(fixture, copy, { recursive: true });
    const first = await run(['run', reviewAgent, '--workspace', copy, '--apply']);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain('Changes: 1 file, written to the folder.\n');
    expect(readFileSync(join(copy, 'REVIEW.md'), 'utf8')).toContain('`src/zones.js` has 456 lines');
  });

  it('prints events with --json and writes the same to --log', async () => {
    const agent = put('json/agent.ts', agentText(writing));
    const log = join(folder, 'json/run.jsonl');
    const { code, stdout } = await run(['run', agent, '--json', '--log', log], { cwd: join(folder, 'json') });
    expect(code).toBe(0);
    expect(readFileSync(log, 'utf8')).toBe(stdout);
    const events = eventsOf(stdout);
    expect(events[0]).toMatchObject({ type: 'run-start', promptName: 'about' });
    expect(events.at(-1)).toMatchObject({
      type: 'command-result',
      exitCode: 0,
      changes: [{ path: 'out/about.md' }],
    });
    expect(stdout).not.toContain(folder);
    expect(existsSync(join(folder, 'json/out'))).toBe(false);
  });

  it('says with 1 what failed and where', async () => {
    const agent = put('failing.ts', agentText(`adapter: scriptedAdapter([{ toolCalls: [{ name: 'ls' }] }])`));
    const { code, stdout, stderr } = await run(['run', agent], { cwd: folder });
    expect(code).toBe(1);
    expect(stdout, stderr).toMatch(/^FAILED {2}about.*: 2 turns, 1 call, /);
    expect(stdout).toContain('evaluation-request-failed, phase request\n');
  });

  it('says with 1 that the deadline passed', async () => {
    const endless = `adapter: scriptedAdapter(async (_conversation) => {
      await new Promise((resolve) => setImmediate(resolve));
      return { toolCalls: [{ name: 'ls' }] };
    }), limits: { maxTurns: 1_000_000_000 }`;
    const { code, stdout } = await run(['run', put('endless.ts', agentText(endless)), '--deadline', '0.3s'], {
      cwd: dirname(put('endless/x', '')),
    });
    expect(code).toBe(1);
    expect(stdout.match(/deadline .*passed|passed .*deadline/gi)).toEqual(['deadline passed']);
    expect(stdout).toContain('The deadline passed before the run was finished.');
  });

  describe('answers bad input with one line and 2', () => {
    beforeAll(() => {
      put('bad/agent.ts', agentText('workspace: false'));
      put('bad/own.ts', agentText(`adapter: scriptedAdapter([{ text: 'ok' }]), workspace: false`));
      put('bad/nothing.ts', 'export const other = 1;');
      put('bad/object.mjs', 'export default { kind: "agent" };');
      put('bad/syntax.ts', 'export default (');
      put('bad/throws.js', 'throw new Error("no luck");');
    });

    it.each<[readonly string[], RegExp]>([
      [['run', 'absent.ts'], /the agent "absent.ts" cannot be read: no such file or directory\./],
      [['run', 'revieww'], /there is no agent "revieww": name a file \(.*\) that exports one\./],
      [
        ['run', 'nothing.ts'],
        /"nothing.ts" exports no agent: it exports "other"; export one made by defineAgent\(\)/,
      ],
      [['run', 'object.mjs'], /what it exports as "default" was not made by defineAgent\(\)/],
      [
        ['run', 'syntax.ts'],
        /the agent "syntax.ts" cannot be loaded: ParseError: Unexpected token \(syntax.ts:1:\d+\)\./,
      ],
      [['run', 'throws.js'], /the agent "throws.js" cannot be loaded: no luck\./],
      [['run', 'agent.ts'], /about has no model, and none is selected: add --model openai:NAME .*--base-url/],
      [['run', 'agent.ts', '--model', 'rule-based'], /about has no model of its own/],
      [
        ['run', 'agent.ts', '--model', 'openai:gpt-x'],
        /--model openai:gpt-x needs a key: set OPENAI_API_KEY/,
      ],
      [['run', 'agent.ts', '--base-url', 'http://127.0.0.1:1'], /--base-url names a server, not a model/],
      [['run', 'own.ts', '--params', '{topic:1}'], /--params is not JSON: /],
      [
        ['run', 'own.ts', '--params', '{"topic":1}'],
        /the params of about are invalid: section "task": topic: /,
      ],
      [
        ['run', 'own.ts', '--params', '{"tropic":"x"}'],
        /declares "tropic"; its params are "topic" \(section "task"\)\./,
      ],
      [
        ['run', 'own.ts', '--deadline', 'soon'],
        /--deadline is "soon"; it must be a time such as 30s, 10m or 1h, above 0 and at most 596h\./,
      ],
      [
        ['run', 'own.ts', '--log', 'absent/run.jsonl'],
        /the log "absent\/run.jsonl" cannot be written: no such/,
      ],
      [['run', 'own.ts', '--apply'], /about does not use a workspace: leave out --apply\./],
      [['run', reviewAgent, '--workspace', 'absent'], /there is no folder "absent"\./],
    ])('%j', async (args, message) => {
      const { code, stdout, stderr } = await run(args, { cwd: join(folder, 'bad') });
      expect(code, stderr).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^wink: [^\n]+\n$/);
    });

    it('with the stack behind it when --verbose asks for it', async () => {
      const { code, stderr } = await run(['run', 'throws.js', '--verbose'], { cwd: join(folder, 'bad') });
      expect(code).toBe(2);
      expect(stderr).toMatch(/no luck\.\nUsageError: [\s\S]*\nError: no luck\n {4}at /);
    });
  });

  it('stops on Ctrl-C: the running call is rolled back, what was done before is shown, and the end is 130', async () => {
    const waiting = `adapter: scriptedAdapter([
      { toolCalls: [{ name: 'write_file', arguments: { file_path: 'first.md', content: 'first\\n' } }] },
      { toolCalls: [{ name: 'write_slowly' }] },
    ])`;
    const slow = `
      const slowly = tool({
        name: 'write_slowly', description: 'Writes and waits.', effects: 'state',
        execute: async (_params, { filesystem, progress }) => {
          await filesystem.write('half.md', 'half\\n');
          progress('half is written');
          // It neither listens to the signal nor ever ends, and holds a timer: none of that may keep the command.
          setInterval(() => undefined, 1000);
          return new Promise<ReturnType<typeof ToolResult.error>>(() => undefined);
        },
      });
    `;
    const text = agentText(waiting, slow).replace(
      'sections: [task,',
      'sections: [task, section({ title: "S", key: "s", template: () => "Slow.", tools: [slowly] }),',
    );
    const work = dirname(put('stop/work/a.md', 'a'));
    const child = start(['run', put('stop/agent.ts', text), '--workspace', work, '--apply', '--json']);
    const ended = ending(child);
    let seen = '';
    let isAsked = false;
    child.stdout.on('data', (data: Buffer) => {
      seen += data.toString();
      // Once: a second one would end the process where it stands.
      if (!isAsked && seen.includes('half is written')) isAsked = child.kill('SIGINT');
    });
    const { code, stdout, stderr } = await ended;
    expect(code, stderr).toBe(130);
    expect(stderr).toContain('wink: interrupted.\nwink: no changes were written to the folder.\n');
    const events = eventsOf(stdout);
    const aborted = events.filter(({ type }) => type === 'tool-call-end').at(-1);
    expect(aborted).toMatchObject({ invocation: { toolName: 'write_slowly', outcome: 'aborted' } });
    expect(events.at(-1)).toMatchObject({
      outcome: 'interrupted',
      exitCode: 130,
      changes: [{ path: 'first.md' }],
      application: { kind: 'skipped' },
    });
    expect(readdirSync(work)).toEqual(['a.md']);
  });

  it('ends quietly when the reader of its events goes away', async () => {
    const child = start(['run', reviewAgent, '--workspace', fixture, '--json']);
    const ended = ending(child);
    child.stdout.destroy();
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(
      stderr.split('\n').filter((line) => line !== '' && !/^wink: (\S+ on \S+ with|turn \d)/.test(line)),
    ).toEqual([]);
  });

  describe.skipIf(!hasScript)('asks at the terminal (needs script of util-linux)', () => {
    const asking = `
      const protectConfig = { name: 'protect-config', checkChanges: () => PolicyDecision.ask('It changes the configuration.') };
    `;
    const agent = (): string =>
      put(
        'asking/agent.ts',
        agentText(writing, asking)
          .replace('import { defineAgent,', 'import { PolicyDecision, defineAgent,')
          .replace("key: 'about', sections", "key: 'about', policies: [protectConfig], sections"),
      );

    /** Runs the agent in a pseudo terminal and types when it asks. */
    async function answered(typed: string): Promise<{ readonly work: string } & Ending> {
      const work = mkdtempSync(join(folder, 'asked-'));
      const child = spawn('script', onTerminal(['run', agent(), '--workspace', work, '--apply']), {
        env: { PATH: process.env['PATH'], TERM: 'xterm', NO_COLOR: '1' },
      });
      let seen = '';
      let isTyped = false;
      child.stdout.on('data', (data: Buffer) => {
        seen += data.toString();
        if (isTyped || !seen.includes('Allow it? [y/N] ')) return;
        isTyped = true;
        child.stdin.write(typed);
      });
      return { work, ...(await ending(child)) };
    }

    it('and keeps the changes after a yes', async () => {
      const { code, stdout, work } = await answered('y\n');
      expect(code, stdout).toBe(0);
      const left = leftOnTerminal(stdout);
      const question = left.slice(left.indexOf('write_file has run'), left.indexOf('Allow it?'));
      expect(question).toBe(
        [
          'write_file has run and wants to commit its changes: the policy "protect-config" asks for approval.',
          '  It changes the configuration.',
          '  file_path: out/about.md',
          '  content: About.<U+000A>',
          '--- /dev/null',
          '+++ b/out/about.md',
          '@@ -0,0 +1,1 @@',
          '+About.',
          '',
        ].join('\n'),
      );
      expect(left).toContain(
        'committed; approved for protect-config (its changes): It changes the configuration.',
      );
      expect(readFileSync(join(work, 'out/about.md'), 'utf8')).toBe('About.\n');
    });

    it('and drops them after anything else', async () => {
      const { code, stdout, work } = await answered('\n');
      expect(code, stdout).toBe(0);
      expect(stdout).toContain('the user at the terminal declined.');
      expect(readdirSync(work)).toEqual([]);
    });

    it('and stops on Ctrl-C with 130', async () => {
      const { code, stdout, work } = await answered('\u0003');
      expect(code, stdout).toBe(130);
      expect(stdout).toContain('The run was interrupted from the keyboard; what was running is rolled back.');
      expect(stdout).toContain('rolled back: the run was stopped');
      expect(readdirSync(work)).toEqual([]);
    });

    it('but not where nobody types: it is denied', async () => {
      const { code, stdout } = await run(['run', agent(), '--workspace', dirname(put('unasked/a.md', 'a'))]);
      expect(code).toBe(0);
      expect(stdout).toContain('no approver is available: the agent has no approve function');
    });
  });

  it.skipIf(!hasScript)('shows one line of progress on a terminal (needs script of util-linux)', () => {
    const { status, stdout } = spawnSync('script', onTerminal(['run', reviewAgent, '--workspace', fixture]), {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], TERM: 'xterm' },
    });
    expect(status).toBe(0);
    expect(stdout).toContain('\r\u001b[2K');
    expect(stdout).toMatch(/review on fixture {2}(turn \d+\/\d+ {2})?\d:\d\d/);
    // What was good only while it ran is taken away; the report is what stays, in colours.
    const report = stdout.slice(stdout.lastIndexOf('\u001b[2K') + '\u001b[2K'.length);
    expect(report.startsWith('\u001b[32mDONE\u001b[39m  review on fixture: ')).toBe(true);
    expect(report).not.toMatch(/turn \d+\/\d+ {2}\d:/);
  });
});

describe('wink run with a model behind --base-url', () => {
  let server: LLMock;
  beforeAll(async () => {
    server = new LLMock({ port: 0 });
    await server.start();
  });
  afterAll(() => server.stop());

  it('runs the agent on it, without a key', async () => {
    server.on(
      { hasToolResult: false },
      { toolCalls: [{ name: 'write_file', arguments: { file_path: 'by-model.md', content: 'Model.\n' } }] },
    );
    server.on({ hasToolResult: true }, { content: 'The model is done.' });
    const work = dirname(put('model/work/a.md', 'a'));
    const agent = put('model/agent.ts', agentText("input: 'Write it.'"));
    const { code, stdout, stderr } = await run([
      ...['run', agent, '--workspace', work, '--model', 'openai:gpt-test'],
      ...['--base-url', `${server.url}/v1`, '--apply'],
    ]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('model:  openai:gpt-test\n');
    expect(stdout).toContain('The model is done.\n');
    expect(readFileSync(join(work, 'by-model.md'), 'utf8')).toBe('Model.\n');
    expect(server.getRequests()).toHaveLength(2);
  });

  it('reviews a folder with it and shows no key that the server repeats', async () => {
    server.reset();
    server.on({}, { error: { message: 'bad key sk-test-0123456789' }, status: 401 });
    const { code, stdout, stderr } = await run(
      [
        'run',
        reviewAgent,
        '--workspace',
        fixture,
        '--model',
        'openai:gpt-test',
        '--base-url',
        `${server.url}/v1`,
      ],
      { variables: { OPENAI_API_KEY: 'sk-test-0123456789' } },
    );
    expect(code).toBe(1);
    expect(stdout, stderr).toMatch(/FAILED {2}review[^]*phase request\n/);
    expect(`${stdout}${stderr}`).not.toContain('sk-test-0123456789');
  });

  it('shows no secret in plan, progress and answer, nor in the keys of an output', async () => {
    const secret = 'a-token-0123456789';
    const agent = put(
      'secret/agent.ts',
      `
import { defineAgent, jsonSchema, promptTemplate } from 'weakincentives';
import { planningToolsSection } from 'weakincentives/tools';
import { scriptedAdapter } from 'weakincentives/testing';
const secret = process.env['SERVICE_TOKEN'] ?? '';
const output = jsonSchema<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } });
export default defineAgent({
  template: promptTemplate({ ns: 'tests', key: 'secret', sections: [planningToolsSection()], output }),
  workspace: false,
  adapter: () => scriptedAdapter([
    { toolCalls: [{ name: 'planning_setup_plan', arguments: { objective: secret, initial_steps: [\`use \${secret}\`] } }] },
    { text: JSON.stringify({ [secret]: secret }) },
  ]),
});
`,
    );
    const options = { cwd: join(folder, 'secret'), variables: { SERVICE_TOKEN: secret } };
    const shown = await run(['run', agent], options);
    expect(shown.stdout).toContain('[ ] 1 use <SERVICE_TOKEN>\n');
    expect(shown.stdout).toContain('{"<SERVICE_TOKEN>":"<SERVICE_TOKEN>"}\n');
    const verbose = await run(['run', agent, '--verbose'], options);
    expect(verbose.stderr).toContain('plan: <SERVICE_TOKEN>\n');
    expect(`${verbose.stdout}${verbose.stderr}`).not.toContain(secret);
    const told = await run(['run', agent, '--json'], options);
    expect(eventsOf(told.stdout).at(-1)).toMatchObject({ output: { '<SERVICE_TOKEN>': '<SERVICE_TOKEN>' } });
    expect(`${shown.stdout}${shown.stderr}${told.stdout}${told.stderr}`).not.toContain(secret);
  });

  it('asks nobody because of a key in the environment', async () => {
    server.reset();
    const variables = { OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: `${server.url}/v1` };
    const own = put('model/own.ts', agentText(writing));
    expect((await run(['run', own], { cwd: join(folder, 'model'), variables })).code).toBe(0);
    const none = put('model/none.ts', agentText('workspace: false'));
    expect((await run(['run', none], { cwd: join(folder, 'model'), variables })).code).toBe(2);
    expect(server.getRequests()).toEqual([]);
  });
});

describe('the folder of the project', () => {
  it('is as it was', () => {
    expect(existsSync(join(root, 'SUMMARY.md'))).toBe(false);
  });
});
