import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';

const nothingSaid = {
  kind: 'run',
  workspace: undefined,
  params: {},
  input: undefined,
  model: undefined,
  baseUrl: undefined,
  settings: {},
  contextOverflow: undefined,
  sandbox: undefined,
  mcpFile: undefined,
  maxConversationTurns: undefined,
  maxTurns: undefined,
  maxRepeatedFailures: undefined,
  budget: {},
  deadlineMs: undefined,
  timeoutMs: undefined,
  idleTimeoutMs: undefined,
  logFile: undefined,
  recordFile: undefined,
  suspension: { isForced: false, expiresMs: undefined, command: undefined },
  apply: undefined,
  isEnforced: true,
  isJson: false,
  hasDeltas: false,
  isVerbose: false,
  hasTelemetry: false,
  isFull: false,
  isQuiet: false,
  isWatched: false,
};

describe('readArguments', () => {
  it('takes an agent, with the current folder when none is named', () => {
    expect(readArguments(['run', 'a.ts'])).toEqual({ ...nothingSaid, agent: 'a.ts' });
  });

  it('takes --otel', () => {
    expect(readArguments(['run', 'a.ts', '--otel'])).toEqual({
      ...nothingSaid,
      agent: 'a.ts',
      hasTelemetry: true,
    });
  });

  it('takes a folder and options in any order', () => {
    const request = readArguments(['run', '--max-turns', '50', 'a.ts', '--full', 'some/dir']);
    expect(request).toEqual({
      ...nothingSaid,
      agent: 'a.ts',
      workspace: 'some/dir',
      maxTurns: 50,
      isFull: true,
    });
    expect(readArguments(['run', 'a.ts', '--workspace', 'some/dir'])).toMatchObject({
      workspace: 'some/dir',
    });
  });

  it('takes prices without one for cached input', () => {
    expect(readArguments(['run', 'a.ts', '--prices', '3/15'])).toMatchObject({
      budget: { prices: { inputPerMillion: 3, outputPerMillion: 15 } },
    });
  });

  it.each([
    ['--max-tokens', '0'],
    ['--max-tokens', '1e3'],
    ['--max-cost', '0'],
    ['--max-cost', '-1'],
    ['--max-cost', '1.2345678'],
    ['--prices', '3'],
    ['--prices', '3/'],
    ['--prices', '1/2/3/4'],
    ['--prices', 'a/b'],
  ])('refuses %s %s', (name, text) => {
    const refused = readArguments(['run', 'a.ts', `${name}=${text}`]);
    expect(refused).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(`${name} is "${text}"`),
    });
  });

  it('takes texts of several lines as values, and SQL that begins with a comment', () => {
    const lines = readArguments(['run', 'a.ts', 'dir', '--input=Go.\nNow.\n', '--params={"a":\n1}']);
    expect(lines).toMatchObject({ kind: 'run', input: 'Go.\nNow.\n', params: { a: 1 } });
    const sql = '-- All.\nSELECT 1 = 1';
    expect(readArguments(['query', 'last', sql])).toMatchObject({ kind: 'query', sql: ` ${sql}` });
  });

  it('takes every option of run', () => {
    const argv = ['run', 'a.ts', '--workspace', 'w', '--params', '{"a":[1]}', '--input', 'hi'];
    const more = ['--model', 'openai:gpt:x', '--base-url', 'http://127.0.0.1:1/v1', '--apply', '--json'];
    const rest = [
      '--log',
      'l.jsonl',
      '--max-turns',
      '7',
      '--max-repeated-failures',
      '3',
      '--deadline',
      '1.5h',
      '--timeout',
      '45s',
      '--idle-timeout',
      '2m',
      '--verbose',
      '--no-enforce',
    ];
    const settings = [
      '--max-output-tokens',
      '500',
      '--effort',
      'low',
      '--context-overflow',
      'error',
      '--max-conversation-turns',
      '2',
      '--sandbox',
      'podman:localhost/tools:1',
      '--mcp',
      'servers.json',
      '--deltas',
    ];
    const budget = ['--max-tokens', '1000', '--max-cost', '2.50', '--prices', '1.25/0.125/10'];
    expect(readArguments([...argv, ...more, ...rest, ...budget, ...settings])).toEqual({
      kind: 'run',
      suspension: { isForced: false, expiresMs: undefined, command: undefined },
      agent: 'a.ts',
      workspace: 'w',
      params: { a: [1] },
      input: 'hi',
      model: { kind: 'openai', model: 'gpt:x' },
      baseUrl: 'http://127.0.0.1:1/v1',
      settings: { maxOutputTokens: 500, reasoningEffort: 'low' },
      contextOverflow: 'error',
      maxConversationTurns: 2,
      maxTurns: 7,
      maxRepeatedFailures: 3,
      budget: {
        maxTotalTokens: 1_000,
        maxCost: 2.5,
        prices: { inputPerMillion: 1.25, cachedInputPerMillion: 0.125, outputPerMillion: 10 },
      },
      deadlineMs: 5_400_000,
      timeoutMs: 45_000,
      idleTimeoutMs: 120_000,
      logFile: 'l.jsonl',
      recordFile: undefined,
      apply: 'end',
      sandbox: { kind: 'podman', image: 'localhost/tools:1' },
      mcpFile: 'servers.json',
      hasTelemetry: false,
      isEnforced: false,
      isJson: true,
      hasDeltas: true,
      isVerbose: true,
      isFull: false,
      isQuiet: false,
      isWatched: false,
    });
  });

  it.each([
    ['openai:gpt-5', { kind: 'openai', model: 'gpt-5' }],
    ['anthropic:claude-opus-4-5', { kind: 'anthropic', model: 'claude-opus-4-5' }],
    [
      'ai-sdk:@ai-sdk/google:gemini-2.5-pro',
      { kind: 'ai-sdk', package: '@ai-sdk/google', model: 'gemini-2.5-pro' },
    ],
    ['ai-sdk:@a/b/sub.path:org/x:free', { kind: 'ai-sdk', package: '@a/b/sub.path', model: 'org/x:free' }],
    ['ai-sdk:ollama-ai:llama3:8b', { kind: 'ai-sdk', package: 'ollama-ai', model: 'llama3:8b' }],
    ['rule-based', { kind: 'rule-based' }],
  ])('reads the model %s', (text, model) => {
    expect(readArguments(['run', 'a.ts', '--model', text])).toMatchObject({ model });
  });

  const times = [
    ['--deadline', 'deadlineMs'],
    ['--timeout', 'timeoutMs'],
    ['--idle-timeout', 'idleTimeoutMs'],
  ] as const;
  it.each(times)('reads the time of %s, for resume and fork too', (option, member) => {
    const read = { '30s': 30_000, '10m': 600_000, '1h': 3_600_000, '0.001s': 1, '596h': 2_145_600_000 };
    for (const [text, milliseconds] of Object.entries(read)) {
      expect(readArguments(['run', 'a.ts', option, text])).toMatchObject({ [member]: milliseconds });
      expect(readArguments(['resume', 'r', option, text])).toMatchObject({
        limits: { [member]: milliseconds },
      });
      expect(readArguments(['fork', 'r', '--at', '1', option, text])).toMatchObject({
        resume: { limits: { [member]: milliseconds } },
      });
    }
  });

  it.each(times)('refuses what is not a time by its name: %s', (option) => {
    // Without a unit, nothing, below zero, not a number, of another unit, and longer than timers wait.
    for (const text of ['10', '0s', '0.0001s', '-1s', 'NaN', 'Infinitys', '1e3s', '10ms', '1d', '', '597h'])
      expect(readArguments(['run', 'a.ts', `${option}=${text}`])).toEqual(
        expect.objectContaining({
          kind: 'usage-error',
          message: `${option} is "${text}"; it must be a time such as 30s, 10m or 1h, above 0 and at most 596h.`,
        }),
      );
  });

  it('takes how long a model waits for its provider where a replay continues it', () => {
    const replay = ['replay', 'r.jsonl', '--timeout', '45s'];
    expect(readArguments([...replay, '--on-drift', 'continue'])).toMatchObject({ timeoutMs: 45_000 });
    expect(readArguments(replay)).toHaveProperty(
      'message',
      '--timeout is for --on-drift continue: otherwise the answers are those of the record.',
    );
  });

  it.each([
    [['--record', 'r.jsonl', 'a.ts'], { agent: 'a.ts', recordFile: 'r.jsonl' }],
    [['a.ts', '--record=r.jsonl'], { agent: 'a.ts', recordFile: 'r.jsonl' }],
    [['a.ts', '--record'], { agent: 'a.ts', recordFile: '' }],
    [['--record', '--json', 'a.ts'], { agent: 'a.ts', recordFile: '', isJson: true }],
    [['--record=', 'a.ts', 'd'], { agent: 'a.ts', workspace: 'd', recordFile: '' }],
    [['a.ts', '--', '--record'], { workspace: '--record', recordFile: undefined }],
  ])('reads where the record goes: %j', (argv, expected) => {
    expect(readArguments(['run', ...argv])).toMatchObject(expected);
  });

  it('takes a folder that begins with a dash behind two dashes', () => {
    expect(readArguments(['run', 'a.ts', '--', '-odd'])).toMatchObject({ workspace: '-odd' });
  });

  it.each([['--help'], ['-h'], ['run', '--help']])('answers %s %s with help', (...argv) => {
    expect(readArguments(argv)).toMatchObject({
      kind: 'help',
      isError: false,
      text: expect.stringContaining('Usage: wink '),
    });
  });

  it.each([['--version'], ['-V']])('answers %s with the version', (...argv) => {
    expect(readArguments(argv)).toEqual({ kind: 'version' });
  });

  it.each([
    [['inspect'], 'unknown command "inspect"'],
    [['run'], 'no agent given: name a file (.ts, .mts, .js, .mjs) that exports one.'],
    [['review'], 'unknown command "review".'],
    [['rnu'], 'unknown command "rnu". Did you mean "run"?'],
    [['agent.ts'], 'unknown command "agent.ts". Did you mean "wink run agent.ts"?'],
    [['--max-turns', '50', 'run'], '"--max-turns" comes before the command'],
    [['run', 'a.ts', 'a', 'b'], 'wink run takes AGENT, DIR: 2 at most, not 3.'],
    [['run', 'a.ts', 'a', '--workspace', 'b'], 'named twice'],
    [['run', 'a.ts', ''], 'empty'],
    [['run', 'a.ts', '--workspace', ''], 'empty'],
    [['run', 'a.ts', '--log', ''], 'empty'],
    [['run', '--bogus'], 'unknown option "--bogus"'],
    [['run', '-x'], 'unknown option "-x"'],
    [['run', 'a.ts', '--max-lines', '5'], 'unknown option "--max-lines"'],
    [['run', 'a.ts', '--max-turns'], 'option "--max-turns" needs a value: --max-turns N.'],
    [['run', 'a.ts', '--max-turns', '0'], 'whole number from 1 on'],
    [['run', 'a.ts', '--max-turns', '1.5'], 'whole number from 1 on'],
    [['run', 'a.ts', '--max-turns', 'many'], 'whole number from 1 on'],
    [['run', 'a.ts', '--max-turns', '-1'], 'For one that begins with a dash write --max-turns=-1.'],
    [['run', 'a.ts', '--max-repeated-failures', '0'], 'whole number from 1 on'],
    [['run', 'a.ts', '--max-turns', '0x10'], 'whole number from 1 on'],
    [
      ['run', 'a.ts', '--model', 'gpt'],
      'it must be openai:NAME, anthropic:NAME, ai-sdk:PACKAGE:NAME, claude-agent, acp:COMMAND or rule-',
    ],
    [['run', 'a.ts', '--model', 'openai: '], 'it must be openai:NAME, anthropic:NAME'],
    [['run', 'a.ts', '--model', 'gemini:pro'], 'it must be openai:NAME, anthropic:NAME'],
    [['run', 'a.ts', '--model', 'ai-sdk:@ai-sdk/google'], 'it must name a package and a model of it'],
    [['run', 'a.ts', '--model', 'ai-sdk:./evil.js:x'], 'it must name a package and a model of it'],
    [['run', 'a.ts', '--model', 'ai-sdk:/tmp/evil:x'], 'it must name a package and a model of it'],
    [['run', 'a.ts', '--model', 'ai-sdk:@a/../../evil:x'], 'it must name a package and a model of it'],
    [['run', 'a.ts', '--model', 'ai-sdk:fs:x'], 'it must name a package and a model of it'],
    [['run', 'a.ts', '--effort', 'lots'], '--effort is "lots"; it must be none, minimal, low'],
    [['run', 'a.ts', '--max-output-tokens', '0'], 'whole number from 1 on'],
    [['run', 'a.ts', '--context-overflow', 'drop'], 'it must be error or drop-tool-results'],
    [
      ['run', 'a.ts', '--max-conversation-turns', '1'],
      '--max-conversation-turns is "1"; it must be a whole number from 2 on',
    ],
    [['run', 'a.ts', '--max-conversation-turns', '2.5'], 'whole number from 2 on'],
    [['run', 'a.ts', '--max-conversation-turns', 'all'], 'whole number from 2 on'],
    [['run', 'a.ts', '--deltas'], '--deltas requires --json or --log'],
    [
      ['run', 'a.ts', '--quiet', '--json'],
      'only the outcome, and --json something else: leave out one of them',
    ],
    [['resume', 'r', '--full', '--quiet'], 'only the outcome, and --full something else'],
    [['fork', 'r', '--at', '1', '--quiet', '--verbose'], 'only the outcome, and --verbose something else'],
    [['run', 'a.ts', '--base-url', 'localhost:80'], 'it must be a URL such as'],
    [['run', 'a.ts', '--base-url', 'file:///etc'], 'it must be a URL such as'],
    [['run', 'a.ts', '--params', '{a:1}'], '--params is not JSON: '],
    [
      ['run', 'a.ts', '--params', '{"id":9007199254740993}'],
      '--params has the integer 9007199254740993 as "id", which a number does not hold; write it as text, in quotes.',
    ],
    [['run', 'a.ts', '--params', '[1]'], '--params must be a JSON object'],
    [['run', 'a.ts', '--params', 'null'], '--params must be a JSON object'],
    [['run', '--full=yes'], 'option "--full" takes no value, and got "yes".'],
  ])('refuses %j in one line', (argv, message) => {
    const request = readArguments(argv);
    expect(request.kind).toBe('usage-error');
    expect(request).toHaveProperty('message', expect.stringContaining(message));
    expect(request).toHaveProperty('message', expect.not.stringContaining('\n'));
  });

  it.each([
    [[], undefined],
    [['--apply'], 'end'],
    [['--apply=end'], 'end'],
    [['--apply=each'], 'each'],
    [['--apply', '--apply=each'], 'each'],
  ])('takes %j for when to write', (argv, apply) => {
    expect(readArguments(['run', ...argv, 'a.ts'])).toMatchObject({ agent: 'a.ts', apply });
    expect(readArguments(['run', 'a.ts', ...argv])).toMatchObject({ agent: 'a.ts', apply });
    expect(readArguments(['run', 'a.ts', ...argv, '--', '--apply'])).toMatchObject({
      workspace: '--apply',
      apply,
    });
  });

  it.each([
    [['--sandbox', 'docker'], '--sandbox is "docker"; it must be bubblewrap, virtual or podman:IMAGE.'],
    [
      ['--sandbox', 'podman'],
      '--sandbox is "podman"; name the image too, such as podman:docker.io/library/node:22-slim.',
    ],
    [['--apply='], '--apply is ""; it must be end or each.'],
    [['--apply=true'], '--apply is "true"; it must be end or each.'],
    [['--apply', 'each'], '"each" is read as a folder. To write to the folder use --apply=each.'],
  ])('refuses %j', (argv, message) => {
    expect(readArguments(['run', 'a.ts', ...argv])).toMatchObject({ kind: 'usage-error', message });
  });
});
