import { resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AnyAgent,
  defineAgent,
  promptTemplate,
  type RunEvent,
  resumeRun,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import type { LoadedAgent } from '../../../../src/cli/agent/load-agent.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import type { OpenedFolder } from '../../../../src/cli/folder/open-folder.ts';
import type { Journals } from '../../../../src/cli/journal/open-journal.ts';
import { readRunInfo } from '../../../../src/cli/journal/run-info.ts';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import { resumeCommand } from '../../../../src/cli/resume-command.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import {
  eventsOf,
  type FakeEnvironment,
  fakeEnvironment,
  ofAgent,
  openedFolder,
  parts,
  request,
} from '../support.ts';
import { addRun, MemoryJournals } from './journals.ts';

/** What the tool does: ends the process, as it seems, or returns. */
let onPause: () => void;
let journals: MemoryJournals;

const pause = tool({
  name: 'pause',
  description: 'Waits.',
  effects: 'read',
  execute: async () => {
    onPause();
    return ToolResult.ok(null, 'Waited.');
  },
});
const template = promptTemplate({
  ns: 'tests',
  key: 'writer',
  sections: [
    section({ title: 'Task', key: 'task', template: () => 'Write.', tools: [pause] }),
    vfsToolsSection(),
  ],
});
const write = (path: string) => ({ name: 'write_file', arguments: { file_path: path, content: 'x\n' } });
const writer = (): AnyAgent =>
  defineAgent({
    template,
    name: 'the writer',
    adapter: scriptedAdapter([
      { toolCalls: [write('a.md')] },
      { toolCalls: [{ name: 'pause', arguments: {} }] },
      { toolCalls: [write('b.md')] },
      { text: 'All is written.' },
    ]),
  });

async function run(
  argv: readonly string[],
  environment: FakeEnvironment = fakeEnvironment(),
  more: Partial<CommandParts> = {},
  loaded: LoadedAgent = ofAgent(writer()),
): Promise<number> {
  const asked = request('run', 'agent.ts', 'demo', ...argv);
  return runCommand(asked, environment, parts(loaded, {}, { journals, ...more }));
}

async function resume(
  argv: readonly string[],
  environment: FakeEnvironment = fakeEnvironment(),
  more: Partial<CommandParts> = {},
  loaded: LoadedAgent = ofAgent(writer()),
): Promise<number> {
  const asked = readArguments(['resume', ...argv]);
  if (asked.kind !== 'resume') throw new Error(JSON.stringify(asked));
  return resumeCommand(asked, environment, parts(loaded, {}, { journals, ...more }));
}

/** Runs until the tool is called and stops the run by Ctrl-C there. */
async function interrupted(...argv: readonly string[]): Promise<FakeEnvironment> {
  const stop = new AbortController();
  onPause = () => stop.abort(new CliInterruption('interrupted', 130));
  const environment = fakeEnvironment({ signal: stop.signal });
  expect(await run(['--run-id', 'one', ...argv], environment)).toBe(130);
  onPause = () => undefined;
  return environment;
}

/** A folder whose changes are written at its end, which counts how often they are. */
function heldFolder(files: Readonly<Record<string, string>> = {}): {
  readonly folder: OpenedFolder;
  readonly flushes: () => number;
} {
  let flushes = 0;
  const held = {
    outsideChanges: () => [],
    apply: async () => {
      flushes += 1;
      return { kind: 'applied' } as const;
    },
  };
  return { folder: { ...openedFolder(files), mode: 'end', held }, flushes: () => flushes };
}

beforeEach(() => {
  onPause = () => undefined;
  journals = new MemoryJournals();
});

describe('wink run --durable', () => {
  it('keeps the run with how it was called, and says its name', async () => {
    const environment = fakeEnvironment();
    expect(await run(['--durable', '--run-id', 'one', '--max-turns', '9', '--json'], environment)).toBe(0);
    expect(environment.stderr.text()).toContain(
      'wink: run one is kept in a journal; should it be interrupted: wink resume one.\n',
    );
    expect(eventsOf(environment.stdout.text()).at(-1)).toMatchObject({ runId: 'one', outcome: 'done' });
    const [kept] = await journals.journal().runs();
    expect(kept).toMatchObject({ runId: 'one', status: 'finished', agent: 'the writer', commits: 3 });
    expect(kept && readRunInfo(kept)).toMatchObject({
      request: { kind: 'run', agent: resolve('agent.ts'), maxTurns: 9, workspace: resolve('demo') },
      isApplied: false,
    });
    expect(journals.opened).toBe(0);
  });

  it('makes a name of agent, day and a random part, which is another one each time', async () => {
    await run(['--durable']);
    await run(['--durable']);
    const names = (await journals.journal().runs()).map(({ runId }) => runId);
    expect(names[0]).toMatch(/^the-writer-\d{8}-[a-z2-9]{5}$/);
    expect(new Set(names).size).toBe(2);
  });

  it('refuses a name that is taken, and a model with a loop of its own', async () => {
    await run(['--durable', '--run-id', 'one']);
    await expect(run(['--durable', '--run-id', 'one'])).rejects.toThrow(
      'the journal has a run "one" already: wink resume one, or choose another --run-id.',
    );
    const { name, evaluate, stream } = scriptedAdapter([{ text: '' }]);
    const agent = defineAgent({ template, adapter: { name, evaluate, stream } });
    await expect(run(['--durable'], fakeEnvironment(), {}, ofAgent(agent))).rejects.toThrow(
      '--durable needs a model whose turns can be kept',
    );
    expect(journals.opened).toBe(0);
  });

  it('says that the journal could not keep that the changes are in the folder', async () => {
    const { folder, flushes } = heldFolder();
    const failing: Journals = {
      openExisting: journals.openExisting,
      pathsOf: journals.pathsOf,
      open: async (file) => {
        const journal = await journals.open(file);
        return {
          ...journal,
          append: async (batch, lease) => {
            // Only what is kept of a run that has ended has no rows.
            if (batch.rows.length === 0) throw new RangeError('The disk is full.');
            return journal.append(batch, lease);
          },
        };
      },
    };
    const environment = fakeEnvironment();
    const replaced = { open: async () => folder, journals: failing };
    expect(await run(['--durable', '--apply', '--run-id', 'one'], environment, replaced)).toBe(0);
    expect(flushes()).toBe(1);
    expect(environment.stdout.text().replaceAll(/\n {2}/g, ' ')).toContain(
      'the changes are in the folder, but the journal could not keep that, so a resume of one would write them again: The disk is full.\n',
    );
  });

  it('names the run and the command when it has failed', async () => {
    const agent = defineAgent({ template, adapter: scriptedAdapter([]) });
    const environment = fakeEnvironment();
    expect(await run(['--journal', 'my runs.db', '--run-id', 'one'], environment, {}, ofAgent(agent))).toBe(
      1,
    );
    expect(environment.stdout.text()).toContain("\n  Go on:  wink resume one --journal 'my runs.db'\n");
    expect(await journals.journal('my runs.db').runs()).toMatchObject([{ status: 'failed' }]);
  });
});

describe('the limit that a run continues with', () => {
  const usage = { inputTokens: 40, outputTokens: 20 };
  const spending = (): AnyAgent =>
    defineAgent({
      template,
      name: 'the writer',
      limits: { budget: { prices: { inputPerMillion: 10_000, outputPerMillion: 10_000 } } },
      adapter: scriptedAdapter([
        { toolCalls: [write('a.md')], usage },
        { toolCalls: [write('b.md')], usage },
        { text: 'All is written.', usage },
      ]),
    });
  const goOn = async (...argv: readonly string[]): Promise<string | undefined> => {
    const environment = fakeEnvironment();
    expect(await run(['--durable', '--run-id', 'one', ...argv], environment, {}, ofAgent(spending()))).toBe(
      1,
    );
    return / {2}Go on: {2}wink (.*)\n/.exec(environment.stdout.text())?.[1];
  };

  it.each([
    [['--max-tokens', '100'], 'resume one --max-tokens 200'],
    [['--max-cost', '1.1'], 'resume one --max-cost 2.20'],
    [['--max-turns', '2'], 'resume one --max-turns 4'],
  ])('after %j is twice as large: wink %s', async (argv, command) => {
    expect(await goOn(...argv)).toBe(command);
    // As it is printed, it is enough.
    expect(await resume(command.split(' ').slice(1), fakeEnvironment(), {}, ofAgent(spending()))).toBe(0);
  });
});

describe('wink resume', () => {
  it('continues after what was decided, without asking or calling again', async () => {
    expect((await interrupted('--durable')).stdout.text()).toContain('\n  Go on:  wink resume one\n');
    let pauses = 0;
    onPause = () => {
      pauses += 1;
    };
    const environment = fakeEnvironment();
    expect(await resume(['one', '--json'], environment)).toBe(0);
    const events = eventsOf(environment.stdout.text());
    const types = events.map(({ type }) => type) as readonly (RunEvent['type'] | 'command-result')[];
    expect(types.filter((type) => type === 'turn-start')).toHaveLength(3);
    expect(events.find(({ type }) => type === 'run-resumed')).toMatchObject({
      runId: 'one',
      turn: 2,
      commits: 1,
    });
    expect(pauses).toBe(1);
    expect(events.at(-1)).toMatchObject({
      text: 'All is written.',
      changes: [{ path: 'a.md' }, { path: 'b.md' }],
    });
    expect(environment.stderr.text()).toContain('turn 2: the run continues after 1 commit\n');
    expect(await journals.journal().runs()).toMatchObject([
      { status: 'finished', info: { isApplied: false } },
    ]);
  });

  it('continues a run that a program has resumed in between', async () => {
    const journal = journals.journal();
    await interrupted('--durable');
    const [begun] = await journal.runs();
    const adapter = scriptedAdapter(() => {
      throw new Error('The provider is down.');
    });
    const resumed = resumeRun({ journal, runId: 'one', adapter, prompt: template.bind(), retry: false });
    await expect(resumed).rejects.toThrow('The provider is down.');
    const [kept] = await journal.runs();
    expect(kept?.rows).toBeGreaterThan(begun?.rows ?? Number.POSITIVE_INFINITY);
    expect(kept).toMatchObject({ agent: 'the writer', status: 'failed', commits: 2 });
    expect(kept?.info).toEqual(begun?.info);
    const environment = fakeEnvironment();
    expect(await resume(['one', '--json'], environment)).toBe(0);
    expect(eventsOf(environment.stdout.text()).at(-1)).toMatchObject({ text: 'All is written.' });
  });

  it('does not prepare the session again, and concludes from what the run has made of it', async () => {
    const prepared: string[] = [];
    const loaded = ofAgent({
      ...writer(),
      prepare: ({ session }) => void prepared.push(session.id),
      conclude: ({ session }) => ({ summary: session.id }),
    });
    const stop = new AbortController();
    onPause = () => stop.abort(new CliInterruption('interrupted', 130));
    await run(['--durable', '--run-id', 'one'], fakeEnvironment({ signal: stop.signal }), {}, loaded);
    onPause = () => undefined;
    const environment = fakeEnvironment();
    await resume(['one'], environment, {}, loaded);
    expect(prepared).toHaveLength(1);
    expect(environment.stdout.text().toLowerCase()).toContain(`\n\n${prepared[0]}.\n`);
  });

  it('takes limits of now', async () => {
    await interrupted('--durable');
    expect(await resume(['one', '--max-turns', '3'])).toBe(1);
    expect(await resume(['one', '--max-turns', '9'])).toBe(0);
  });

  it('repeats what is redacted in events as it was', async () => {
    const variables = { SOME_KEY: 'key-of-a-server' };
    const content = `key = ${variables.SOME_KEY}\n`;
    const agent = (): LoadedAgent =>
      ofAgent(
        defineAgent({
          template,
          adapter: scriptedAdapter([
            { toolCalls: [{ name: 'write_file', arguments: { file_path: 'a.ini', content } }] },
            { toolCalls: [{ name: 'pause', arguments: {} }] },
            { text: 'Done.' },
          ]),
        }),
      );
    const stop = new AbortController();
    onPause = () => stop.abort(new CliInterruption('interrupted', 130));
    const first = fakeEnvironment({ signal: stop.signal, variables });
    await run(['--durable', '--run-id', 'one', '--json'], first, {}, agent());
    onPause = () => undefined;
    expect(first.stdout.text()).toContain('<SOME_KEY>');
    expect(first.stdout.text()).not.toContain(variables.SOME_KEY);
    expect(JSON.stringify(await journals.journal().read('one'))).toContain(variables.SOME_KEY);

    const folder = openedFolder({});
    const second = fakeEnvironment({ variables });
    expect(await resume(['one', '--json'], second, { open: async () => folder }, agent())).toBe(0);
    expect((await folder.filesystem.read('a.ini')).text).toBe(content);
    expect(second.stdout.text()).not.toContain(variables.SOME_KEY);
  });

  it('counts the tokens of before the interruption', async () => {
    const usage = { inputTokens: 100, outputTokens: 10 };
    const agent = (): LoadedAgent =>
      ofAgent(
        defineAgent({
          template,
          adapter: scriptedAdapter([
            { toolCalls: [write('a.md')], usage },
            { toolCalls: [{ name: 'pause', arguments: {} }], usage },
            { text: 'Done.', usage },
          ]),
        }),
      );
    const stop = new AbortController();
    onPause = () => stop.abort(new CliInterruption('interrupted', 130));
    await run(['--durable', '--run-id', 'one'], fakeEnvironment({ signal: stop.signal }), {}, agent());
    onPause = () => undefined;
    const environment = fakeEnvironment();
    expect(await resume(['one', '--json'], environment, {}, agent())).toBe(0);
    expect(eventsOf(environment.stdout.text()).at(-1)).toMatchObject({
      usage: { inputTokens: 300, outputTokens: 30 },
    });
  });

  it('writes the changes of a run once', async () => {
    const first = heldFolder();
    await run(['--durable', '--apply', '--run-id', 'one'], fakeEnvironment(), {
      open: async () => first.folder,
    });
    expect(first.flushes()).toBe(1);
    expect(await journals.journal().runs()).toMatchObject([
      { status: 'finished', info: { isApplied: true } },
    ]);

    const environment = fakeEnvironment();
    const modes: unknown[] = [];
    const open: CommandParts['open'] = async (_folder, _workspace, mode) => {
      modes.push(mode);
      return openedFolder({});
    };
    expect(await resume(['one'], environment, { open })).toBe(0);
    expect(modes).toEqual([undefined]);
    expect(environment.stderr.text()).toContain('wink: run one has ended; this is its answer.\n');
    expect(environment.stdout.text()).toContain('\nAll is written.\n');
    expect(await journals.journal().runs()).toMatchObject([{ info: { isApplied: true } }]);
  });

  it('writes at the end what was repeated in memory', async () => {
    await interrupted('--durable', '--apply');
    const { folder, flushes } = heldFolder();
    expect(await resume(['one'], fakeEnvironment(), { open: async () => folder })).toBe(0);
    expect(flushes()).toBe(1);
    expect((await folder.filesystem.read('a.md')).text).toBe('x\n');
  });

  it.each([
    ['another content', { 'a.md': 'mine\n' }, 3],
    ['what the run has written', { 'a.md': 'x\n', 'other.md': 'mine\n' }, 0],
  ])('writes nothing over a file of others: one that has %s', async (_what, files, code) => {
    await interrupted('--durable', '--apply');
    const { folder, flushes } = heldFolder(files);
    const environment = fakeEnvironment();
    expect(await resume(['one'], environment, { open: async () => folder })).toBe(code);
    expect(flushes()).toBe(code === 0 ? 1 : 0);
    expect(environment.stdout.text().includes('a.md: was created on disk during the run.')).toBe(code === 3);
  });

  it('refuses a changed prompt with --strict', async () => {
    await interrupted('--durable');
    const changed = promptTemplate({
      ns: 'tests',
      key: 'writer',
      sections: [...template.sections].reverse(),
    });
    const agent = defineAgent({
      template: changed,
      name: 'the writer',
      adapter: scriptedAdapter([{ text: '' }]),
    });
    await expect(resume(['one', '--strict'], fakeEnvironment(), {}, ofAgent(agent))).rejects.toThrow(
      'The run "one" was recorded with another prompt',
    );
  });

  it('refuses a run that another process has resumed just now', async () => {
    expect(await run(['--durable', '--run-id', 'one', '--max-turns', '1'])).toBe(1);
    const [kept] = await journals.journal().runs();
    await journals.journal().acquire(kept?.sessionId ?? '');
    await expect(resume(['one'])).rejects.toThrow('another process has resumed the run "one" and holds it.');
  });

  it('says that it had ended already, with its answer', async () => {
    await run(['--durable', '--run-id', 'one']);
    const environment = fakeEnvironment();
    await resume(['one'], environment);
    expect(environment.stdout.text()).toMatch(
      /^DONE {2}the writer on demo: it had ended already, \d+ m?s, just now\n\nAll is written\.\n\n/,
    );
    expect(environment.stdout.text()).toMatch(/\nlook: {3}wink view one\n$/);
  });

  it.each([
    ['none', 'the journal has no run "none": wink runs lists those that it has.'],
    ['busy', 'the run "busy" is still running; wink runs stop busy stops it.'],
    ['foreign', 'the run "foreign" was not begun by wink run: resume it with the program that began it.'],
    ['odd', 'what the journal has of the call of "odd" cannot be read.'],
  ])('refuses the run %s', async (name, message) => {
    const journal = journals.journal();
    const owner = { host: 'elsewhere', pid: 1, startedAt: '' };
    await addRun(journal, 'busy');
    await journal.acquire('s-busy');
    await addRun(journal, 'foreign', { info: { call: 'run' } });
    await addRun(journal, 'odd', {
      info: { call: ['--version'], process: owner, rows: 0, lease: { owner: 'a', epoch: 1 } },
    });
    await expect(resume([name])).rejects.toThrow(message);
    expect(journals.opened).toBe(0);
  });

  it('finds no run where there is no journal', async () => {
    await expect(resume(['one', '--journal', 'no.db'])).rejects.toThrow(
      'the journal has no run "one": wink runs --journal no.db lists those that it has.',
    );
  });
});
