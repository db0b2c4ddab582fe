import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import { forkCommand } from '../../../src/cli/fork-command.ts';
import { resumeCommand } from '../../../src/cli/resume-command.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { MemoryJournals } from './journal/journals.ts';
import { fakeEnvironment, ofAgent, parts, request } from './support.ts';

const template = promptTemplate({
  ns: 'tests',
  key: 'later',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
});
const agent = (): AnyAgent =>
  defineAgent({ template, workspace: false, adapter: scriptedAdapter([{ text: 'done' }]) });
const later = JSON.stringify({ type: 'undone', t: 9, must: true });
const refusal = /is a row "undone", .* A later version wrote it: read the run with that version\.\n$/;

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wink-later-'));
  file = join(folder, 'run.jsonl');
  const lines: string[] = [];
  const recorder = runRecorder({ write: (line) => void lines.push(line), runId: 'one' });
  await scriptedAdapter([{ text: 'done' }]).evaluate(template.bind(), { observers: [recorder] });
  await recorder.flush();
  await writeFile(file, `${[...lines, later].join('\n')}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Journals with the run "one", whose last row a later version wrote. */
async function journalsWithLater(): Promise<MemoryJournals> {
  const journals = new MemoryJournals();
  const asked = request('run', 'agent.ts', '--durable', '--run-id', 'one');
  expect(await runCommand(asked, fakeEnvironment(), parts(ofAgent(agent()), {}, { journals }))).toBe(0);
  const journal = journals.journal();
  const read = journal.read.bind(journal);
  journal.read = async (runId, from) => {
    const rows = await read(runId, from);
    return [...rows, { seq: (rows.at(-1)?.seq ?? 0) + 1, type: 'undone', line: later }];
  };
  return journals;
}

describe('a record with a row that a reader must know', () => {
  it.each([
    ['view', () => ['view', file, '--no-open']],
    ['query', () => ['query', file]],
    ['replay', () => ['replay', file, 'agent.ts']],
  ])('is refused by wink %s with one line and the exit code 2', async (_command, argv) => {
    const environment = fakeEnvironment();
    expect(await runCli(argv(), environment)).toBe(2);
    expect(environment.stderr.text()).toMatch(refusal);
    expect(environment.stderr.text().trim().split('\n')).toHaveLength(1);
    expect(environment.stdout.text()).toBe('');
  });
});

describe('a run of a journal with a row that a reader must know', () => {
  it.each([
    ['resume', resumeCommand, ['resume', 'one']],
    ['fork', forkCommand, ['fork', 'one', '--at', '0']],
  ] as const)('is refused by wink %s, and nothing is said of continuing', async (_name, command, argv) => {
    const journals = await journalsWithLater();
    const answer: typeof runCommand = async (_request, environment) => {
      const asked = readArguments(argv);
      // The command of this request.
      return (command as (...given: unknown[]) => Promise<number>)(
        asked,
        environment,
        parts(ofAgent(agent()), {}, { journals }),
      );
    };
    const environment = fakeEnvironment();
    // What a command throws is worded in one place.
    expect(await runCli(['run', 'agent.ts'], environment, answer)).toBe(2);
    expect(environment.stderr.text()).toMatch(refusal);
    expect(environment.stderr.text()).not.toMatch(/unexpected|to continue/);
    expect(await journals.journal().runs()).toMatchObject([{ runId: 'one', status: 'finished' }]);
  });
});
