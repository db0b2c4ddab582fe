import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventStream, json, openWireServer, type WireReply } from '../support/conformance/wire-server.ts';
import { functionCall, message, response } from '../support/openai-responses.ts';
import { toEvents, toServerSentEvents } from '../support/openai-stream.ts';
import { agentText, eventsOf, hasScript, leftOnTerminal, onTerminal } from './agents.ts';
import { ending, reviewAgent, run, start } from './wink.ts';

type Body = Readonly<Record<string, unknown>>;

let folder = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-models-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const typesOf = (stdout: string): readonly unknown[] => eventsOf(stdout).map(({ type }) => type);
const writes = functionCall('call_1', 'write_file', { file_path: 'by-model.md', content: 'Model.\n' });

/** An answer as the request asks for it: whole, or piece by piece. */
function answer(body: Body, told: Body): WireReply {
  return body['stream'] === true ? eventStream(toServerSentEvents(toEvents(told))) : json(told);
}

describe('wink run --model anthropic:NAME', () => {
  let server: LLMock;
  beforeAll(async () => {
    server = new LLMock({ port: 0 });
    await server.start();
    server.on(
      { hasToolResult: false },
      { toolCalls: [{ name: 'write_file', arguments: { file_path: 'by-model.md', content: 'Model.\n' } }] },
    );
    server.on({ hasToolResult: true }, { content: 'The model is done.' });
  });
  afterAll(() => server.stop());

  it.each([
    ['a server of one’s own, without a key', {}],
    ['what the environment names', { ANTHROPIC_API_KEY: 'sk-ant-0123456789' }],
    ['a token in the environment', { ANTHROPIC_AUTH_TOKEN: 'token-0123456789' }],
  ])('asks %s', async (_what, variables) => {
    const work = mkdtempSync(join(folder, 'anthropic-'));
    const agent = put('anthropic/agent.ts', agentText("input: 'Write it.'"));
    const isOwn = Object.keys(variables).length === 0;
    const { code, stdout, stderr } = await run(
      [
        ...['run', agent, '--workspace', work, '--apply', '--model', 'anthropic:claude-test'],
        ...['--max-output-tokens', '700', ...(isOwn ? ['--base-url', server.url] : [])],
      ],
      { variables: isOwn ? {} : { ...variables, ANTHROPIC_BASE_URL: server.url } },
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('model:  anthropic:claude-test\n');
    expect(stdout).toContain('The model is done.\n');
    expect(readFileSync(join(work, 'by-model.md'), 'utf8')).toBe('Model.\n');
    // Nobody looks at the pieces, so none are asked for.
    expect(server.getRequests().at(-1)?.body).toMatchObject({ model: 'claude-test', max_tokens: 700 });
    expect(server.getRequests().at(-1)?.body).not.toMatchObject({ stream: true });
  });
});

describe('what cannot be asked of Anthropic', () => {
  it.each<[readonly string[], RegExp]>([
    [[], /^wink: --model anthropic:claude-test needs a key: set ANTHROPIC_API_KEY, or name a server .*\n$/],
    [
      ['--base-url', 'http://127.0.0.1:9', '--effort', 'minimal'],
      /^wink: The Anthropic adapter has no setting "reasoningEffort: minimal": .*\n$/,
    ],
  ])('is bad input: %j', async (more, line) => {
    const agent = put('refused/agent.ts', agentText("workspace: false, input: 'Write it.'"));
    const { code, stdout, stderr } = await run(['run', agent, '--model', 'anthropic:claude-test', ...more]);
    expect(stderr).toMatch(line);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });
});

describe('wink run with a model that streams', () => {
  const args = (url: string, work: string): readonly string[] => [
    ...['run', put('streams/agent.ts', agentText("input: 'Write it.'")), '--workspace', work, '--apply'],
    ...['--model', 'openai:gpt-test', '--base-url', `${url}/v1`, '--json'],
  ];
  const isAnswered = (body: Body): boolean =>
    JSON.stringify(body['input']).includes('"function_call_output"');

  it('tells the pieces of answers with --deltas, and asks for whole ones without', async () => {
    const bodies: Body[] = [];
    await using server = await openWireServer(
      (body) => {
        bodies.push(body);
        return answer(body, response([isAnswered(body) ? message('All is written.') : writes]));
      },
      () => undefined,
    );
    const work = mkdtempSync(join(folder, 'deltas-'));
    const pieces = await run([...args(server.url, work), '--deltas', '--effort', 'low']);
    expect(pieces.code, pieces.stderr).toBe(0);
    const told = eventsOf(pieces.stdout).filter(({ type }) => type === 'text-delta');
    expect(told.length).toBeGreaterThan(1);
    expect(told.map(({ text }) => text).join('')).toBe('All is written.');
    expect(bodies.map(({ stream, reasoning }) => ({ stream, reasoning }))).toEqual([
      { stream: true, reasoning: { effort: 'low' } },
      { stream: true, reasoning: { effort: 'low' } },
    ]);

    const whole = await run(args(server.url, work));
    expect(whole.code, whole.stderr).toBe(0);
    expect(typesOf(whole.stdout)).toEqual(
      typesOf(pieces.stdout).filter((type) => type !== 'text-delta' && type !== 'reasoning-delta'),
    );
    expect(bodies.slice(2).map(({ stream }) => stream)).not.toContain(true);
  });

  it('stops on Ctrl-C in the middle of an answer: the request is left, the folder as it was, and the end is 130', async () => {
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const halfAnswered = toServerSentEvents(toEvents(response([message('Half of the answer')])).slice(0, -4));
    await using server = await openWireServer(
      (body) => (isAnswered(body) ? eventStream(halfAnswered, 'open') : answer(body, response([writes]))),
      leave,
    );
    const work = mkdtempSync(join(folder, 'stopped-'));
    const child = start([...args(server.url, work), '--deltas']);
    const ended = ending(child);
    let seen = '';
    let isAsked = false;
    child.stdout.on('data', (data: Buffer) => {
      seen += data.toString();
      if (!isAsked && seen.includes('"text-delta"')) isAsked = child.kill('SIGINT');
    });
    const { code, stdout, stderr } = await ended;
    await left;
    expect(code, stderr).toBe(130);
    expect(stderr).toContain('wink: interrupted.\nwink: no changes were written to the folder.\n');
    expect(eventsOf(stdout).slice(-2)).toMatchObject([
      { type: 'run-end', outcome: 'failed' },
      { type: 'command-result', outcome: 'interrupted', changes: [{ path: 'by-model.md' }] },
    ]);
    expect(readdirSync(work)).toEqual([]);
  });

  it('asks again when an answer breaks off, and what was told of it is void', async () => {
    let requests = 0;
    await using server = await openWireServer(
      (body) => {
        requests += 1;
        const told = toEvents(response([message('All is well.')]));
        return requests === 1
          ? eventStream(toServerSentEvents(told.slice(0, -4)), 'broken')
          : answer(body, response([message('All is well.')]));
      },
      () => undefined,
    );
    const work = mkdtempSync(join(folder, 'broken-'));
    const { code, stdout, stderr } = await run([...args(server.url, work), '--deltas']);
    expect(code, stderr).toBe(0);
    expect(requests).toBe(2);
    const events = eventsOf(stdout);
    const again = events.findIndex(({ type }) => type === 'model-call-retry');
    expect(events[again]).toMatchObject({ reason: 'server-error' });
    expect(events.slice(0, again).map(({ type }) => type)).toContain('text-delta');
    const after = events.slice(again).filter(({ type }) => type === 'text-delta');
    expect(after.map(({ text }) => text).join('')).toBe('All is well.');
    expect(events.at(-1)).toMatchObject({ type: 'command-result', outcome: 'done', text: 'All is well.' });
  });

  it.each([
    ['never answers', ''],
    [
      'goes silent after its first events',
      toServerSentEvents(toEvents(response([message('Half')])).slice(0, 3)),
    ],
  ])(
    'asks a server that %s again after --timeout, and says with 1 that it gave no sign',
    async (_what, sent) => {
      let requests = 0;
      await using server = await openWireServer(
        () => {
          requests += 1;
          return eventStream(sent, 'open');
        },
        () => undefined,
      );
      const work = mkdtempSync(join(folder, 'silent-'));
      const { code, stdout, stderr } = await run([
        ...args(server.url, work),
        '--deltas',
        '--timeout',
        '0.2s',
      ]);
      expect(code, stderr).toBe(1);
      expect(stderr).toContain('The provider gave no sign for 200 ms (timeoutMs).');
      const events = eventsOf(stdout);
      const retries = events.filter(({ type }) => type === 'model-call-retry');
      expect(retries.map(({ reason }) => reason)).toEqual(Array.from({ length: 4 }, () => 'timeout'));
      // On a busy machine one may be given up before it has reached the server.
      expect(requests).toBeLessThanOrEqual(1 + retries.length);
      expect(events.find(({ type }) => type === 'run-end')).toMatchObject({
        outcome: 'failed',
        error: { code: 'evaluation-request-failed' },
      });
    },
  );

  it('ends with 1 after --idle-timeout, without asking again', async () => {
    let requests = 0;
    await using server = await openWireServer(
      () => {
        requests += 1;
        return eventStream('', 'open');
      },
      () => undefined,
    );
    const work = mkdtempSync(join(folder, 'idle-'));
    const { code, stdout, stderr } = await run([...args(server.url, work), '--idle-timeout', '0.3s']);
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('no activity for 300 ms (limits.idleTimeoutMs)');
    expect(requests).toBeLessThan(2);
    expect(eventsOf(stdout).find(({ type }) => type === 'run-end')).toMatchObject({
      outcome: 'failed',
      error: { code: 'evaluation-idle' },
    });
  });

  it('says with 1 that an answer failed in the middle of the stream', async () => {
    const failure = { type: 'error', code: 'invalid_prompt', message: 'That will not do.', param: null };
    await using server = await openWireServer(
      () => eventStream(toServerSentEvents([...toEvents(response([message('Half')])).slice(0, -4), failure])),
      () => undefined,
    );
    const work = mkdtempSync(join(folder, 'failed-'));
    const { code, stdout, stderr } = await run([...args(server.url, work), '--deltas']);
    expect(code).toBe(1);
    expect(stdout, stderr).toMatch(/That will not do/);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(readdirSync(work)).toEqual([]);
  });
});

describe.skipIf(!hasScript)(
  'wink run on a terminal with a provider of its own (needs script of util-linux)',
  () => {
    const agent = (): string =>
      put(
        'remote/agent.ts',
        `
import { defineAgent, promptTemplate, section } from 'weakincentives';
import { hostedMcpTool, webSearchTool } from 'weakincentives/tools';
const task = section({
  title: 'Task', key: 'task', template: 'Write it.',
  hostedTools: [hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example' } }), webSearchTool()],
});
export default defineAgent({
  template: promptTemplate({ ns: 'tests', key: 'remote', sections: [task] }), workspace: false, input: 'Continue.',
});
`,
      );

    it.each([
      ['y', { approve: true }],
      ['n', { approve: false, reason: 'the user at the terminal declined.' }],
    ])('asks what the provider may run, and takes %j', async (typed, answered) => {
      const asked = {
        id: 'mcpr_1',
        type: 'mcp_approval_request',
        server_label: 'wiki',
        name: 'write_page',
        arguments: '{"page":"Cats"}',
      };
      const searched = {
        id: 'ws_1',
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'cats', queries: ['cats'], sources: [] },
      };
      const written = message('The page is written.', {
        content: [
          {
            type: 'output_text',
            text: 'The page is written.',
            annotations: [
              {
                type: 'url_citation',
                start_index: 0,
                end_index: 8,
                url: 'https://cats.example',
                title: 'Cats',
              },
            ],
          },
        ],
      });
      const bodies: Body[] = [];
      await using server = await openWireServer(
        (body) => {
          bodies.push(body);
          return answer(body, response(bodies.length === 1 ? [asked] : [searched, written]));
        },
        () => undefined,
      );
      const model = ['--model', 'openai:gpt-test', '--base-url', `${server.url}/v1`];
      const child = spawn('script', onTerminal(['run', agent(), ...model]), {
        env: { PATH: process.env['PATH'], TERM: 'xterm', NO_COLOR: '1' },
      });
      let seen = '';
      let isTyped = false;
      child.stdout.on('data', (data: Buffer) => {
        seen += data.toString();
        if (isTyped || !seen.includes('Allow it? [y/N] ')) return;
        isTyped = true;
        child.stdin.write(`${typed}\n`);
      });
      const { code, stdout } = await ending(child);
      expect(code, stdout).toBe(0);
      const left = leftOnTerminal(stdout);
      const question = left.slice(left.indexOf('The provider wants'), left.indexOf('Allow it?'));
      expect(question).toBe(
        [
          'The provider wants to run write_page of wiki.',
          '  It runs outside of policies and transactions and cannot be rolled back.',
          '  page: Cats',
          '',
        ].join('\n'),
      );
      expect(bodies[1]?.['stream']).toBe(true);
      expect(JSON.stringify(bodies[1]?.['input'])).toContain('"approval_request_id":"mcpr_1"');
      expect(bodies[1]?.['input']).toContainEqual(expect.objectContaining(answered));
      const report = left.slice(left.indexOf('DONE  remote'));
      expect(report).toMatch(/h\d +web_search +cats +run by the provider/);
      expect(report).toContain('Sources\n  1  Cats - https://cats.example\n');
      expect(report.includes('not approved for the provider: the user at the terminal declined.')).toBe(
        typed === 'n',
      );
      // What was shown while it was written is taken away.
      expect(left.split('The page is written.')).toHaveLength(2);
    });
  },
);

describe('wink run --model ai-sdk:PACKAGE:NAME', () => {
  const provider = (more: string): string => `
const model = (modelId) => ({
  specificationVersion: 'v4', provider: 'mine.chat', modelId, supportedUrls: {},
  doGenerate: async () => {
    const key = process.env['MINE_API_KEY'];
    if (key === undefined) throw Object.assign(new Error('The key is missing: set MINE_API_KEY.'), { name: 'AI_LoadAPIKeyError' });
    return {
      content: [{ type: 'text', text: \`I am \${modelId} with \${key}.\` }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 3 }, outputTokens: { total: 2 } },
      warnings: [],
    };
  },
  doStream: async () => { throw new Error('Nobody wants pieces.'); },
});
export const createMine = () => mine;
export const mine = Object.assign(model, { specificationVersion: 'v4', languageModel: model });
${more}
`;
  const args = (model: string): readonly string[] => [
    ...['run', join(folder, 'packages/agent.ts'), '--model', `ai-sdk:${model}`],
  ];

  beforeAll(() => {
    const install = (name: string, code: string): void => {
      put(
        `packages/node_modules/${name}/package.json`,
        JSON.stringify({ name, type: 'module', exports: { '.': { import: './index.js' } } }),
      );
      put(`packages/node_modules/${name}/index.js`, code);
    };
    put('packages/agent.ts', agentText("workspace: false, input: 'Who are you?'"));
    install('@mine/provider', provider('export default mine;'));
    install('two-providers', provider('export const other = { languageModel: model };'));
    install('no-provider', 'export const languageModel = 1;');
    install('broken', 'throw new Error("no luck");');
    install(
      'silent',
      provider('mine.languageModel = (id) => ({ ...model(id), doGenerate: () => new Promise(() => {}) });'),
    );
  });

  it('asks a model of a package beside the agent, and shows no key of it', async () => {
    const variables = { MINE_API_KEY: 'mine-0123456789' };
    const { code, stdout, stderr } = await run(args('@mine/provider:tiny:1b'), { variables });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('model:  ai-sdk:@mine/provider:tiny:1b\n');
    expect(stdout).toContain('I am tiny:1b with <MINE_API_KEY>.\n');
    expect(stdout).toContain('Spent 3 input tokens, 2 output tokens.');
    expect(stdout).not.toContain('mine-0123456789');
  });

  it.each([
    ['@mine/provider:tiny', /^wink: The key is missing: set MINE_API_KEY\.\n$/],
    // Found where the command itself is installed.
    ['@ai-sdk/google:gemini-test', /^wink: .*GOOGLE_GENERATIVE_AI_API_KEY.*\n$/],
    [
      '@mine/absent:tiny',
      /^wink: The package "@mine\/absent" is not installed .* Install it with "npm install @mine\/absent"\.\n$/,
    ],
    ['no-provider:tiny', /^wink: the package "no-provider" exports no provider of the AI SDK\.\n$/],
    ['two-providers:tiny', /^wink: the package "two-providers" exports several providers \(mine, other\): /],
    ['broken:tiny', /^wink: the model of the package "broken" cannot be created: no luck\.\n$/],
    [
      '../packages:tiny',
      /^wink: --model is "ai-sdk:\.\.\/packages:tiny"; with ai-sdk it must name a package/,
    ],
  ])('answers %s with one line and 2', async (model, line) => {
    const { code, stdout, stderr } = await run(args(model));
    expect(stderr).toMatch(line);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });

  it('asks a model of a package again after --timeout', async () => {
    const { code, stdout, stderr } = await run([...args('silent:tiny'), '--json', '--timeout', '0.1s']);
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('The provider gave no sign for 100 ms (timeoutMs).');
    expect(typesOf(stdout).filter((type) => type === 'model-call-retry')).toHaveLength(4);
  });

  it('takes no package from the folder that is worked on', async () => {
    const reviewing = ['run', reviewAgent, 'packages', '--model', 'ai-sdk:@mine/provider:tiny'];
    const { code, stderr } = await run(reviewing, { cwd: folder });
    expect(stderr).toContain('The package "@mine/provider" is not installed');
    expect(code).toBe(2);
  });
});
