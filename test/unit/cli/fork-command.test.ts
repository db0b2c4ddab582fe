import { beforeEach, describe, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { exportRecord, type RunRecord, readRunRecord } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import { forkCommand } from '../../../src/cli/fork-command.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { addRun, MemoryJournals } from './journal/journals.ts';
import { type FakeEnvironment, fakeEnvironment, ofAgent, parts, request } from './support.ts';

let journals: MemoryJournals;

const write = (path: string, content: string) => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
/** Writes two files, the second of which says which model it is. */
const writer = (model: string): AnyAgent =>
  defineAgent({
    template: promptTemplate({
      ns: 'tests',
      key: 'writer',
      sections: [section({ title: 'Task', key: 'task', template: 'Write.' }), vfsToolsSection()],
    }),
    name: 'the writer',
    adapter: scriptedAdapter([
      { toolCalls: [write('a.md', model)] },
      { toolCalls: [write('b.md', model)] },
      { text: `Written by ${model}.` },
    ]),
  });

async function fork(argv: readonly string[], environment: FakeEnvironment = fakeEnvironment()) {
  const asked = readArguments(['fork', ...argv]);
  if (asked.kind !== 'fork') throw new Error(JSON.stringify(asked));
  const code = await forkCommand(asked, environment, parts(ofAgent(writer('new')), {}, { journals }));
  return { code, environment };
}

const recordOf = (runId: string): Promise<RunRecord> =>
  readRunRecord(exportRecord({ journal: journals.journal(), runId }));

const filesOf = (record: RunRecord): unknown =>
  record.filesAt(record.commits.length).map(({ path, content }) => [path, content.text]);

beforeEach(async () => {
  journals = new MemoryJournals();
  const asked = request('run', 'agent.ts', 'demo', '--durable', '--run-id', 'one');
  const code = await runCommand(asked, fakeEnvironment(), parts(ofAgent(writer('old')), {}, { journals }));
  expect(code).toBe(0);
});

describe('wink fork', () => {
  it.each([
    ['0', ['new', 'new']],
    ['1', ['old', 'new']],
    ['2', ['old', 'old']],
  ])('continues after commit %s', async (at, [first, second]) => {
    const { code, environment } = await fork(['one', '--at', at, '--run-id', 'two', '--json']);
    expect(code, environment.stderr.text()).toBe(0);
    expect(environment.stderr.text()).toContain(
      'wink: the fork of one is kept as two; should it be interrupted: wink resume two\n',
    );
    const record = await recordOf('two');
    expect(filesOf(record)).toEqual([
      ['a.md', first],
      ['b.md', second],
    ]);
    expect(record.root).toMatchObject({ outcome: 'finished', text: 'Written by new.' });
    expect((await recordOf('one')).root.text).toBe('Written by old.');
    expect(journals.opened).toBe(0);
  });

  it('continues after a call, under a new name', async () => {
    const [call] = (await recordOf('one')).calls;
    expect((await fork(['one', `--at=${call?.id}`])).code).toBe(0);
    const runs = await journals.journal().runs();
    const forked = runs.find(({ runId }) => runId !== 'one');
    expect((await recordOf(forked?.runId ?? '')).base).toEqual({ runId: 'one', seq: 1 });
  });

  it.each([
    [['other', '--at', '1'], 'the journal has no run "other": wink runs lists those that it has.'],
    [['one', '--at', '7'], 'it has 2 commits, and none has the number 7'],
    [['one', '--at', 'x'], 'it has made no call "x"'],
    [['one', '--at', '1', '--run-id', 'one'], 'The journal has a run "one" already'],
    [['foreign', '--at', '1'], 'was not begun by wink run'],
    [['one', '--at', '1', '--workspace', 'x'], 'works on no folder: leave out --workspace'],
  ])('refuses %j', async (argv, message) => {
    await addRun(journals.journal(), 'foreign');
    await expect(fork(argv)).rejects.toThrow(message);
    expect(await journals.journal().runs()).toHaveLength(2);
    expect(journals.opened).toBe(0);
  });

  it('reads the options of wink resume, also with values that look like others', () => {
    expect(
      readArguments([
        'fork',
        '--model',
        'openai:x',
        'one',
        '--on-suspend',
        '--at',
        '--at=2',
        '--workspace',
        'd',
      ]),
    ).toMatchObject({ kind: 'usage-error' });
    expect(
      readArguments(['fork', '--on-suspend=--at', 'one', '--at=call-1', '--workspace', 'd', '--strict']),
    ).toMatchObject({
      kind: 'fork',
      at: 'call-1',
      workspace: 'd',
      newRunId: undefined,
      resume: { kind: 'resume', runId: 'one', suspension: { command: '--at' }, isStrict: true },
    });
  });

  it.each([
    [['fork', 'one'], 'say where the fork begins'],
    [['fork', 'one', '--at='], '--at is empty.'],
    [['fork', '--at', '1'], 'no run given: wink fork RUN --at CALL'],
    [['fork', 'one', 'two', '--at', '1'], 'wink fork takes RUN: 1 at most, not 2.'],
    [['fork', 'one', '--at', '1', '--workspace='], '--workspace is empty.'],
    [['fork', 'one', '--at', '1', '--apply'], 'unknown option "--apply"'],
    [['fork', 'one', '--at', '1', '--run-id=-x'], '--run-id is "-x"'],
  ])('does not read %j', (argv, message) => {
    expect(readArguments(argv)).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    });
  });
});
