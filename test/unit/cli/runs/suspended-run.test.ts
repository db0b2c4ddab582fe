import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AnyAgent,
  type ApprovalHandler,
  defineAgent,
  FilesystemError,
  PolicyDecision,
  promptTemplate,
  section,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import type { CommandParts } from '../../../../src/cli/agent/command-parts.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { readRunInfo } from '../../../../src/cli/journal/run-info.ts';
import { resumeCommand } from '../../../../src/cli/resume-command.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { approvalsCommand } from '../../../../src/cli/runs/approvals-command.ts';
import { MemoryJournals } from '../journal/journals.ts';
import { eventsOf, type FakeEnvironment, fakeEnvironment, ofAgent, parts, request } from '../support.ts';
import { write } from './suspended.ts';

/** The environment, the input and the end of the processes that were started. */
interface StartedCommand {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: unknown;
}
type ProcessEnd = Awaited<ReturnType<CommandParts['startProcess']>['ended']>;

const ended: ProcessEnd = { exitCode: 0, signal: undefined, timedOut: false, startFailure: undefined };
let journals: MemoryJournals;
let started: StartedCommand[];
/** Called when a process is started. */
let onStart: () => Promise<ProcessEnd>;

const startProcess: CommandParts['startProcess'] = (
  { command, args },
  { env, input, onStdout, timeoutMs },
) => {
  started.push({ words: [command, ...args], env, input: typeof input === 'string' && JSON.parse(input) });
  expect(timeoutMs).toBe(30_000);
  onStdout?.(new TextEncoder().encode('notified\n'));
  return { ended: onStart(), stop: () => undefined };
};

const template = promptTemplate({
  ns: 'tests',
  key: 'writer',
  policies: [{ name: 'reviews', checkChanges: () => PolicyDecision.ask('Is TOP-SECRET right?') }],
  sections: [section({ title: 'Task', key: 'task', template: 'Write.' }), vfsToolsSection()],
});
const writer = (approve?: ApprovalHandler): AnyAgent =>
  defineAgent({
    template,
    name: 'the writer',
    adapter: scriptedAdapter([{ toolCalls: [write('a.md', 'x\n')] }, { text: 'All is written.' }]),
    ...(approve === undefined ? {} : { approve }),
  });

async function run(
  argv: readonly string[],
  environment: FakeEnvironment = fakeEnvironment(),
  agent: AnyAgent = writer(),
): Promise<number> {
  const asked = request('run', 'agent.ts', 'demo', '--run-id', 'one', ...argv);
  return runCommand(asked, environment, parts(ofAgent(agent), {}, { journals, startProcess }));
}

async function resume(argv: readonly string[], environment = fakeEnvironment()): Promise<number> {
  const asked = readArguments(['resume', 'one', ...argv]);
  if (asked.kind !== 'resume') throw new Error(JSON.stringify(asked));
  return resumeCommand(asked, environment, parts(ofAgent(writer()), {}, { journals, startProcess }));
}

async function answer(): Promise<void> {
  const asked = readArguments(['approvals', 'answer', 'one', '--yes']);
  if (asked.kind !== 'approvals') throw new Error(JSON.stringify(asked));
  expect(await approvalsCommand(asked, fakeEnvironment(), { journals })).toBe(0);
}

/** A terminal that says no to what it is asked, and counts. */
function terminal(): { readonly environment: FakeEnvironment; readonly asked: () => number } {
  let asked = 0;
  const ask = async (): Promise<string> => {
    asked += 1;
    return 'n';
  };
  return { environment: fakeEnvironment({ ask }), asked: () => asked };
}

const statusOf = async (): Promise<string | undefined> => (await journals.journal().runs())[0]?.status;

beforeEach(() => {
  journals = new MemoryJournals();
  started = [];
  onStart = async () => ended;
});

describe('a question in wink run --durable', () => {
  it('suspends without a terminal, and continues after the answer', async () => {
    const environment = fakeEnvironment();
    expect(await run(['--durable'], environment)).toBe(4);
    expect(environment.stdout.text()).toMatch(
      /\n {2}Yes: {4}wink approvals answer one [0-9a-f]{8} --yes --resume\n/,
    );
    expect(environment.stdout.text()).toMatch(/^WAITING {2}the writer on demo: 1 question, /);
    await answer();
    const next = fakeEnvironment();
    expect(await resume([], next)).toBe(0);
    expect(next.stdout.text()).toContain('\nAll is written.\n');
    expect(started).toEqual([]);
  });

  it('is put to the terminal, unless --suspend is given', async () => {
    const asking = terminal();
    expect(await run(['--durable'], asking.environment)).toBe(0);
    expect(asking.asked()).toBe(1);
    journals = new MemoryJournals();
    const silent = terminal();
    expect(await run(['--durable', '--suspend'], silent.environment)).toBe(4);
    expect(silent.asked()).toBe(0);
  });

  it('is put to the agent, unless --suspend is given, and suspends with --json at a terminal', async () => {
    const agent = writer(() => ({ approved: true }));
    expect(await run(['--durable'], fakeEnvironment(), agent)).toBe(0);
    journals = new MemoryJournals();
    expect(await run(['--durable', '--suspend'], fakeEnvironment(), agent)).toBe(4);
    journals = new MemoryJournals();
    const { environment, asked } = terminal();
    expect(await run(['--durable', '--json'], environment)).toBe(4);
    expect(asked()).toBe(0);
    expect(eventsOf(environment.stdout.text()).at(-1)).toMatchObject({ exitCode: 4, outcome: 'suspended' });
  });

  it('is denied without a journal, as ever', async () => {
    const asked = request('run', 'agent.ts', 'demo', '--json');
    const environment = fakeEnvironment();
    expect(await runCommand(asked, environment, parts(ofAgent(writer()), {}, { journals }))).toBe(0);
    expect(environment.stdout.text()).toContain('no approver is available');
  });

  it('is asked at the terminal that resumes the run', async () => {
    await run(['--durable']);
    const { environment, asked } = terminal();
    expect(await resume([], environment)).toBe(0);
    expect(asked()).toBe(1);
    expect(await statusOf()).toBe('finished');
  });

  it('keeps its options for the resume', async () => {
    await run(['--durable', '--suspend', '--expires', '7d', '--on-suspend', 'notify "me"']);
    const [kept] = await journals.journal().runs();
    expect(kept && readRunInfo(kept)?.request).toMatchObject({
      suspension: { isForced: true, expiresMs: 7 * 24 * 3_600_000, command: 'notify "me"' },
    });
    const { environment, asked } = terminal();
    expect(await resume(['--on-suspend', 'other'], environment)).toBe(4);
    expect(asked()).toBe(0);
    expect(started.map(({ words }) => words)).toEqual([
      ['sh', '-c', 'notify "me"'],
      ['sh', '-c', 'other'],
    ]);
  });
});

describe('the command of --on-suspend', () => {
  it('gets the questions, redacted, when run and journal are free', async () => {
    let opened = -1;
    onStart = async () => {
      opened = journals.opened;
      await answer();
      return ended;
    };
    const environment = fakeEnvironment({ variables: { API_KEY: 'TOP-SECRET', PATH: '/bin' } });
    expect(await run(['--durable', '--on-suspend', 'notify'], environment)).toBe(4);
    expect(opened).toBe(0);
    expect(started).toEqual([
      {
        words: ['sh', '-c', 'notify'],
        env: { API_KEY: 'TOP-SECRET', PATH: '/bin', WINK_RUN_ID: 'one' },
        input: {
          runId: 'one',
          questions: [
            expect.objectContaining({
              number: 1,
              toolName: 'write_file',
              reason: 'Is <API_KEY> right?',
              changes: [{ path: 'a.md', kind: 'created', entry: 'file', addedLines: 1, removedLines: 0 }],
            }),
          ],
        },
      },
    ]);
    expect(environment.stderr.text()).toMatch(/notified\n$/);
    expect(await resume([])).toBe(0);
  });

  const failures: readonly (readonly [string, () => Promise<ProcessEnd>])[] = [
    ['exit code 3', async () => ({ ...ended, exitCode: 3 })],
    ['it took longer than 30 s', async () => ({ ...ended, exitCode: undefined, timedOut: true })],
    ['it was ended by SIGTERM', async () => ({ ...ended, exitCode: undefined, signal: 'SIGTERM' })],
    [
      'it is run by the program "sh", which no folder of PATH has; install a shell of that name',
      async () => ({ ...ended, startFailure: 'not-found' }),
    ],
    [
      'it is run by the program "sh", which the operating system refuses to start; check its permissions',
      async () => ({ ...ended, startFailure: 'not-executable' }),
    ],
    ['no memory', () => Promise.reject(new FilesystemError('argument-invalid', 'no memory.'))],
  ];
  it.each(failures)('may fail: %s', async (why, end) => {
    onStart = end;
    const environment = fakeEnvironment();
    expect(await run(['--durable', '--on-suspend', 'notify'], environment)).toBe(4);
    expect(environment.stderr.text()).toContain(
      `wink: the command of --on-suspend failed: ${why}; the run is suspended all the same.\n`,
    );
    expect(await statusOf()).toBe('suspended');
  });

  it('is not run when no question is open', async () => {
    expect(await run(['--durable', '--on-suspend', 'notify'], terminal().environment)).toBe(0);
    expect(started).toEqual([]);
  });
});

describe('the options of a suspension', () => {
  it.each([
    [['--suspend'], '--suspend requires --durable or --journal.'],
    [['--expires', '1d'], '--expires requires --durable or --journal.'],
    [['--durable', '--expires', '5s'], '--expires is "5s"; it must be a time such as 30m, 12h or 30d.'],
    [['--durable', '--expires', '0m'], '--expires must be at least 1m.'],
    [['--durable', '--on-suspend', ' '], 'the command of --on-suspend is empty.'],
  ])('%j is refused', (argv, message) => {
    expect(readArguments(['run', 'agent.ts', ...argv])).toMatchObject({ kind: 'usage-error', message });
  });
});
