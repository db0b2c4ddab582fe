import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineAgent, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { readRunRecord } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { journalWithInfo } from '../../../../src/cli/journal/run-info.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { queryCommand } from '../../../../src/cli/query/query-command.ts';
import { replayCommand } from '../../../../src/cli/replay/replay-command.ts';
import { runsCommand } from '../../../../src/cli/runs/runs-command.ts';
import { viewCommand } from '../../../../src/cli/view/view-command.ts';
import { viewerPage } from '../../../../src/cli/view/viewer-page.ts';
import { eventsOf, type FakeEnvironment, fakeEnvironment } from '../support.ts';
import { keptRequest, MemoryJournals } from './journals.ts';

const secret = 'hunter2-hunter2';
const variables = { DEMO_API_KEY: secret };
const page = viewerPage(
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><meta name="wink-file" content="run.jsonl"><script id="record"></script><script>run()</script>',
);

const say = tool({
  name: 'say',
  description: 'Says it.',
  effects: 'read',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ToolResult.ok(null, text),
});
const adapter = scriptedAdapter([
  { toolCalls: [{ name: 'say', arguments: { text: secret } }] },
  { text: `It is ${secret}.` },
]);
const agent = defineAgent({
  name: 'demo',
  adapter,
  template: promptTemplate({
    ns: 'test',
    key: 'demo',
    sections: [section({ title: 'Task', key: 'task', template: 'Say it.', tools: [say] })],
  }),
});

let journals: MemoryJournals;
let folder: string;

/** Keeps a run named `first`. */
async function keepRun(file?: string): Promise<void> {
  const info = {
    request: keptRequest('run', '/agents/demo.ts', '--params={}'),
    isApplied: false,
  };
  await adapter.evaluate(agent.template.bind(), {
    journal: journalWithInfo(journals.journal(file), info),
    runId: 'first',
  });
}

beforeEach(() => {
  journals = new MemoryJournals();
  folder = mkdtempSync(join(tmpdir(), 'wink-journaled-'));
});
afterEach(() => {
  expect(journals.opened).toBe(0);
  rmSync(folder, { recursive: true });
});

interface Answered {
  readonly code: number;
  readonly environment: FakeEnvironment;
}

async function answer(...argv: readonly string[]): Promise<Answered> {
  const request = readArguments(argv);
  const environment = {
    ...fakeEnvironment({ variables }),
    secretNames: 'redact' in request && Array.isArray(request.redact) ? request.redact : [],
  };
  const by = async (): Promise<number> => {
    switch (request.kind) {
      case 'query':
        return queryCommand(request, environment, { journals });
      case 'replay':
        return replayCommand(request, environment, {
          journals,
          load: async (name) => {
            expect(name).toBe('/agents/demo.ts');
            return { agent, folder: '/agents' };
          },
        });
      case 'view':
        return viewCommand(request, environment, {
          journals,
          readPage: async () => page,
          open: async () => undefined,
        });
      case 'runs':
        return runsCommand(request, environment, { journals });
      default:
        throw new Error(JSON.stringify(request));
    }
  };
  return { code: await by(), environment };
}

describe('a run of the journal', () => {
  it.each([
    ['the journal of the user', undefined],
    ['a named one', 'runs.db'],
  ])('in %s is queried as its record is', async (_what, file) => {
    await keepRun(file);
    const journal = file === undefined ? [] : ['--journal', file];
    const { code, environment } = await answer('query', 'first', '--json', ...journal);
    expect(code).toBe(0);
    const tables = JSON.parse(environment.stdout.text()) as readonly { table: string; rows: number }[];
    expect(tables.find(({ table }) => table === 'calls')).toMatchObject({ rows: 1 });
  });

  it.each(['query', 'view'])('is what --redact of %s is for, and no file', async (command) => {
    const file = join(folder, 'run.jsonl');
    writeFileSync(file, '');
    await expect(answer(command, file, '--redact', 'DEMO_API_KEY')).rejects.toThrow(
      /run\.jsonl" is a file, which was redacted when it was written: --redact is for the name of a run in a journal\.$/,
    );
  });

  it('is replayed with the agent that it was begun with', async () => {
    await keepRun();
    const { code, environment } = await answer('replay', 'first', '--json');
    expect(environment.stderr.text()).toBe('wink: replaying the agent /agents/demo.ts.\n');
    expect(eventsOf(environment.stdout.text())).not.toEqual([]);
    expect(code).toBe(0);
  });

  it('is shown without what is secret, and leaves no file but the page', async () => {
    await keepRun();
    const out = join(folder, 'first.html');
    const { code } = await answer('view', 'first', '--out', out);
    expect(code).toBe(0);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain('"runId":"first"');
    expect(text).toContain('DEMO_API_KEY');
    expect(text).not.toContain(secret);
    await expect(answer('view', 'first', '--follow')).rejects.toThrow('--follow shows a record in a file');
  });

  it('is exported to a new file for its owner only', async () => {
    await keepRun();
    const out = join(folder, 'first.jsonl');
    const { code, environment } = await answer('runs', 'export', 'first', '--out', out);
    expect(code).toBe(0);
    expect(environment.stdout.text()).toBe(`wrote the record of first to ${out}\n`);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const text = readFileSync(out, 'utf8');
    expect(text).not.toContain(secret);
    expect(await readRunRecord(text.split('\n'))).toMatchObject({ isComplete: true, isRedacted: true });
    await expect(answer('runs', 'export', 'first', '--out', out)).rejects.toThrow('it exists already.');
    expect(readFileSync(out, 'utf8')).toBe(text);
  });

  it('is not asked for where there is a file of its name', async () => {
    await keepRun();
    const file = join(folder, 'run');
    writeFileSync(file, 'text');
    await expect(answer('query', file)).rejects.toThrow('cannot be queried');
    await expect(answer('query', file, '--journal', 'runs.db')).rejects.toThrow('the journal has no run');
  });

  it('that is nowhere is refused', async () => {
    await keepRun('runs.db');
    await expect(answer('query', 'first')).rejects.toThrow('there is no run and no record "first"');
    await expect(answer('view', 'second', '--journal', 'runs.db')).rejects.toThrow(
      'the journal has no run "second": wink runs --journal runs.db lists those that it has.',
    );
    const out = join(folder, 'none.jsonl');
    await expect(answer('runs', 'export', 'second', '--out', out)).rejects.toThrow('has no run "second"');
    expect(existsSync(out)).toBe(false);
  });

  it('that cannot be looked for, since the journal cannot be read, may be a file that is not there', async () => {
    journals.openExisting = async () => {
      throw new UsageError('the journal cannot be read.');
    };
    await expect(answer('query', 'first')).rejects.toThrow(
      /^there is no file "first", and no run of that name can be looked up: the journal cannot be read\.$/,
    );
    await expect(answer('query', 'first', '--journal', 'runs.db')).rejects.toThrow(
      /^the journal cannot be read\.$/,
    );
  });

  it.each([
    [['runs', 'export', 'first'], 'say where the record is written: wink runs export RUN --out FILE.'],
    [['runs', 'export', '--out', 'a'], 'name one run: wink runs export RUN; "wink runs" lists them.'],
    [['runs', '--out', 'a'], '--out is not an option of wink runs list.'],
    [['view', 'first', '--journal='], '--journal is empty.'],
    [['query', 'first', '--journal='], '--journal is empty.'],
    [['replay', 'first', '--journal='], '--journal is empty.'],
  ])('is not asked for by %j', (argv, message) => {
    expect(readArguments(argv)).toMatchObject({ kind: 'usage-error', message });
  });
});
