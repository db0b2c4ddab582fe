import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyAgent,
  defineAgent,
  jsonSchema,
  PolicyDecision,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { columnsOf } from '../../../../../src/cli/process/plain-text.ts';
import { runCommand } from '../../../../../src/cli/run-command.ts';
import { MemoryJournals } from '../../journal/journals.ts';
import { capturedStream, eventsOf, fakeEnvironment, ofAgent, parts, request } from '../../support.ts';

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ name, arguments: args });

const deploy = tool({
  name: 'deploy',
  description: 'Deploys.',
  inputSchema: jsonSchema({
    type: 'object',
    properties: { target: { type: 'string' }, pieces: { type: 'integer' } },
    required: ['target'],
    additionalProperties: false,
  }),
  execute: (params) =>
    JSON.stringify(params).includes('prod')
      ? ToolResult.error('connect ECONNREFUSED 10.0.0.7:443')
      : ToolResult.ok(null, 'deployed'),
});

const usage = { inputTokens: 2800, outputTokens: 60 };

const releaseTemplate = promptTemplate({
  ns: 'golden',
  key: 'release',
  sections: [
    section({ title: 'Task', key: 'task', template: 'Release.', tools: [deploy] }),
    vfsToolsSection(),
  ],
});

/** Its deployments to production fail alike until the limit. */
const release: AnyAgent = defineAgent({
  name: 'release',
  template: releaseTemplate,
  adapter: scriptedAdapter((_conversation, { turn }) =>
    turn === 1
      ? {
          toolCalls: [
            call('write_file', { file_path: 'CHANGES.md', content: '# 1.2\n' }),
            call('deploy', { target: 'staging' }),
          ],
          usage,
        }
      : { toolCalls: [call('deploy', { target: 'prod' })], usage },
  ),
});

const question: ToolPolicy = {
  name: 'protect-src',
  checkChanges: (_call, changes) =>
    changes.some(({ path }) => path.startsWith('src/'))
      ? PolicyDecision.ask('Sources need a person.')
      : PolicyDecision.allow(),
};

/** It waits for a person who allows its change. */
const coder: AnyAgent = defineAgent({
  name: 'coder',
  template: promptTemplate({
    ns: 'golden',
    key: 'coder',
    policies: [question],
    sections: [section({ title: 'Task', key: 'task', template: 'Mend it.' }), vfsToolsSection()],
  }),
  adapter: scriptedAdapter([
    { toolCalls: [call('read_file', { file_path: 'src/gone.sh' })], usage },
    { toolCalls: [call('read_file', { file_path: 'src/sum.sh' })], usage },
    {
      toolCalls: [
        call('edit_file', { file_path: 'src/sum.sh', old_string: '$1 - $2', new_string: '$1 + $2' }),
        call('write_file', { file_path: 'NOTES.md', content: 'Mended.\n' }),
      ],
      usage,
    },
    { text: 'Mended.' },
  ]),
});

const longAnswer = Array.from({ length: 15 }, (_, at) => `${at + 1}. 変更の行 🚀`).join('\n');

/** It does its work, with arguments that do not fit in between. */
const writer: AnyAgent = defineAgent({
  name: '作家',
  template: releaseTemplate,
  adapter: scriptedAdapter([
    { toolCalls: [call('deploy', { target: 'staging', pieces: 'many', size: 1 })], usage },
    { toolCalls: [call('write_file', { file_path: '文書/変更履歴.md', content: '# 1.2\n' })], usage },
    { text: longAnswer, usage },
  ]),
});

const files = { 'src/sum.sh': 'echo $(( $1 - $2 ))\n' };
let journals: MemoryJournals;

async function report(agent: AnyAgent, columns: number, ...argv: readonly string[]) {
  const environment = fakeEnvironment({
    stdout: capturedStream({ columns, isTerminal: true }),
    variables: { NO_COLOR: '1' },
    now: () => 0,
  });
  const asked = request('run', 'agent.ts', 'demo', ...argv);
  const code = await runCommand(asked, environment, parts(ofAgent(agent), files, { journals }));
  return { code, text: environment.stdout.text(), errors: environment.stderr.text() };
}

beforeEach(() => {
  // How long the calls took is part of the report.
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: 0 });
  journals = new MemoryJournals();
});

afterEach(() => void vi.useRealTimers());

const durable = ['--durable', '--run-id', 'c1'];

describe.each([40, 80, 200])('the report of a run at %i columns', (columns) => {
  it.each([
    ['failed', release, durable, 1],
    ['waiting', coder, durable, 4],
    ['done', writer, [], 0],
  ] as const)('%s', async (name, agent, argv, exitCode) => {
    const { code, text } = await report(agent, columns, ...argv);
    expect(code).toBe(exitCode);
    // Commands are there to be copied, and lines of the answer are the model's.
    const ownLines = text.split('\n').filter((line) => !/wink |^[-+]/.test(line));
    for (const line of ownLines) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
    const golden = new URL(`../../../../fixtures/golden/report/${name}-${columns}.txt`, import.meta.url);
    await expect(text).toMatchFileSnapshot(golden.pathname);
  });
});

describe('the end of a run', () => {
  it('says why on the standard output, and nothing twice', async () => {
    const { text, errors } = await report(release, 80, ...durable);
    expect(text.split('\n')[0]).toMatch(/^FAILED {2}release on demo: 6 turns, 7 calls, /);
    expect(text.match(/failed in 5 turns/g)).toHaveLength(1);
    expect(errors).not.toContain('failed in 5 turns');
    expect(errors).not.toContain('to continue it');
  });

  it('shows the whole answer, table and diff with --full', async () => {
    const done = await report(writer, 80, '--full');
    expect(done.text).toContain('15. 変更の行 🚀');
    const failed = await report(release, 80, '--full');
    expect(failed.text).toContain('+# 1.2');
    expect(failed.text).not.toContain('5 x deploy  target');
  });

  it('has the same facts in the last event', async () => {
    const { text } = await report(release, 80, '--json', ...durable);
    expect(eventsOf(text).at(-1)).toMatchObject({
      type: 'command-result',
      outcome: 'failed',
      ending: {
        kind: 'failed',
        sentence: 'deploy failed in 5 turns with the same arguments and the same reason:',
        message: 'connect ECONNREFUSED 10.0.0.7:443',
        code: 'evaluation-failures-repeated',
        phase: 'tool',
        call: { number: '7', turn: 6, toolName: 'deploy', arguments: 'target=prod' },
        problems: [
          {
            toolName: 'deploy',
            arguments: 'target=prod',
            count: 5,
            calls: ['3', '4', '5', '6', '7'],
            turns: [2, 3, 4, 5, 6],
            outcome: 'rolled-back',
            reason: 'connect ECONNREFUSED 10.0.0.7:443',
          },
        ],
      },
    });
  });
});
