import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  binding,
  Filesystem,
  openToolRuntime,
  PolicyDecision,
  promptTemplate,
  type RunJournal,
  Session,
  suspendApproval,
  type ToolPolicy,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { readRunRecord } from 'weakincentives/record';
import { vfsToolsSection } from 'weakincentives/tools';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { forkCommand } from '../../../../src/cli/fork-command.ts';
import { describeInterruptedRuns } from '../../../../src/cli/journal/interrupted-runs.ts';
import { journalWithInfo } from '../../../../src/cli/journal/run-info.ts';
import { queryCommand } from '../../../../src/cli/query/query-command.ts';
import { replayCommand } from '../../../../src/cli/replay/replay-command.ts';
import { resumeCommand } from '../../../../src/cli/resume-command.ts';
import { approvalsCommand } from '../../../../src/cli/runs/approvals-command.ts';
import { rewindCommand } from '../../../../src/cli/runs/rewind-command.ts';
import { runsCommand } from '../../../../src/cli/runs/runs-command.ts';
import { settleFolder } from '../../../../src/cli/runs/settle-folder.ts';
import { viewCommand } from '../../../../src/cli/view/view-command.ts';
import { viewerPage } from '../../../../src/cli/view/viewer-page.ts';
import { findRun } from '../../../../src/core/runtime/index.ts';
import { eventsOf, fakeEnvironment } from '../support.ts';
import { keptRequest, MemoryJournals } from './journals.ts';

const page = viewerPage(
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><meta name="wink-file" content="run.jsonl"><script id="record"></script><script>run()</script>',
);

let journals: MemoryJournals;
let root: string;
let stateDirectory: string;

/** How a server of this command would say that it was called. */
const served = (apply: string) => ({
  request: keptRequest('serve', '/agents/demo.ts', `--apply=${apply}`),
  isApplied: false,
});

const open: typeof openFolder = (folder, workspace, mode, options) =>
  openFolder(folder, workspace, mode, { ...options, stateDirectory });

const writing = (callId: string, path: string, content: string) => ({
  callId,
  name: 'write_file',
  arguments: { file_path: path, content },
});

/** Serves two calls on the folder, in turns that overlap. */
async function serve(journal: RunJournal, runId = 'one'): Promise<void> {
  await using filesystem = await openHostFilesystem({ root, stateDirectory });
  const prompt = promptTemplate({ ns: 'tests', key: 'served', sections: [vfsToolsSection()] }).bind(
    {},
    { resources: [binding(Filesystem, { instance: filesystem })] },
  );
  const session = new Session({ id: `s-${runId}` });
  await using runtime = await openToolRuntime(prompt, { journal, runId, session, agentName: 'demo' });
  await runtime.call(writing('first', 'a.md', 'one\n'));
  await Promise.all([
    runtime.call(writing('second', 'b.md', 'two\n')),
    runtime.runCalls([writing('third', 'c.md', 'three\n')]),
  ]);
}

const names = (): readonly string[] => readdirSync(root).sort();

/** The request of a command line of this kind. */
function requestOf<Kind extends ReturnType<typeof readArguments>['kind']>(
  kind: Kind,
  ...argv: readonly string[]
): Extract<ReturnType<typeof readArguments>, { readonly kind: Kind }> {
  const asked = readArguments(argv);
  if (asked.kind !== kind) throw new Error(JSON.stringify(asked));
  // Compared right above.
  return asked as Extract<typeof asked, { readonly kind: Kind }>;
}

beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-served-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  root = join(folder, 'work');
  stateDirectory = join(folder, 'state');
  mkdirSync(root);
  journals = new MemoryJournals();
});

describe('the run of a tool runtime', () => {
  beforeEach(async () => {
    await serve(journals.journal());
    expect(names()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('is listed', async () => {
    const environment = fakeEnvironment();
    await runsCommand(requestOf('runs', 'runs'), environment, { journals });
    expect(environment.stdout.text()).toMatch(/^one +finished .* 3 +3 +0 +0 +demo +\S+work$/m);
    const json = fakeEnvironment();
    await runsCommand(requestOf('runs', 'runs', '--json'), json, { journals });
    expect(eventsOf(json.stdout.text())).toMatchObject([
      { runId: 'one', isToolRuntime: true, commits: 3, turns: 3 },
    ]);
  });

  it.each([
    ['by id', 'first', ['a.md']],
    ['by number', '2', 3],
    ['to before the first', '0', []],
  ])('is taken back to after a call %s', async (_how, to, left) => {
    const environment = fakeEnvironment();
    const code = await rewindCommand(
      requestOf('rewind', 'rewind', 'one', '--to', to, '--apply'),
      environment,
      {
        journals,
        open,
      },
    );
    expect(code, environment.stdout.text()).toBe(0);
    if (Array.isArray(left)) expect(names()).toEqual(left);
    else expect(names()).toHaveLength(left - 1);
  });

  it('is shown, and queried', async () => {
    const file = join(root, '..', 'run.html');
    const environment = fakeEnvironment();
    const view = requestOf('view', 'view', 'one', '--out', file);
    expect(await viewCommand(view, environment, { journals, readPage: async () => page })).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('c.md');
    const tables = fakeEnvironment();
    expect(await queryCommand(requestOf('query', 'query', 'one'), tables, { journals })).toBe(0);
    expect(tables.stdout.text()).toContain('\ncalls  3 rows\n');
  });

  it('is exported', async () => {
    const file = join(root, '..', 'run.jsonl');
    await runsCommand(requestOf('runs', 'runs', 'export', 'one', '--out', file), fakeEnvironment(), {
      journals,
    });
    const record = await readRunRecord(readFileSync(file, 'utf8').trimEnd().split('\n'));
    expect(record).toMatchObject({ isToolRuntime: true, isComplete: true, isRedacted: true });
    expect(record.calls.map(({ callId }) => callId).toSorted()).toEqual(['first', 'second', 'third']);
  });

  it('cannot be resumed, forked or replayed, and says what can be done', async () => {
    const instead =
      'wink runs settle one brings its last commit to the folder, wink rewind one --to CALL takes calls back.';
    const parts = { journals };
    await expect(
      resumeCommand(requestOf('resume', 'resume', 'one'), fakeEnvironment(), parts),
    ).rejects.toThrow(
      `the run "one" has the calls of another program's loop, so it cannot continue: ${instead}`,
    );
    await expect(
      forkCommand(requestOf('fork', 'fork', 'one', '--at', '1'), fakeEnvironment(), parts),
    ).rejects.toThrow(instead);
    await expect(
      replayCommand(requestOf('replay', 'replay', 'one', 'agent.ts'), fakeEnvironment(), parts),
    ).rejects.toThrow('the run "one" cannot be replayed: the loop around its calls is not in the record.');
    expect(journals.opened).toBe(0);
  });

  it('names the journal that the commands need', async () => {
    await serve(journals.journal('j.db'), 'two').catch(() => undefined);
    await expect(
      resumeCommand(requestOf('resume', 'resume', 'two', '--journal', 'j.db'), fakeEnvironment(), {
        journals,
      }),
    ).rejects.toThrow('wink runs settle two --journal j.db brings');
  });
});

describe('the run of a server of this command', () => {
  it('is taken back and shown as any other', async () => {
    await serve(journalWithInfo(journals.journal(), served('each')));
    const tables = fakeEnvironment();
    expect(await queryCommand(requestOf('query', 'query', 'one'), tables, { journals })).toBe(0);
    const environment = fakeEnvironment();
    const rewind = requestOf('rewind', 'rewind', 'one', '--to', '1', '--apply');
    expect(await rewindCommand(rewind, environment, { journals, open })).toBe(0);
    expect(names()).toEqual(['a.md']);
  });

  it('has nothing to take back where its changes were kept in memory', async () => {
    for (const apply of ['end', 'never']) {
      const runId = `of-${apply}`;
      await serve(journalWithInfo(journals.journal(), served(apply)), runId);
      const environment = fakeEnvironment();
      await rewindCommand(requestOf('rewind', 'rewind', runId, '--to', '0', '--apply'), environment, {
        journals,
        open,
      });
      expect(environment.stdout.text()).toBe(
        `the changes of ${runId} are not in the folder, so there is nothing to put back.\n`,
      );
    }
    expect(existsSync(join(root, 'a.md'))).toBe(true);
    const run = await findRun(journals.journal(), 'of-end');
    if (run === undefined) throw new Error('There is no run.');
    expect(await settleFolder(journals.journal(), run, open)).toEqual({
      lines: [
        'the changes of of-end are not in the folder: they were to be written at its end, and it cannot continue.',
      ],
      exitCode: 1,
    });
  });

  it('is named to the next one only while the folder lacks its last commit', async () => {
    const journal = journals.journal();
    const summary = {
      ...({ status: 'running', promptName: 'served', isToolRuntime: true, workspace: root } as const),
      startedAtMs: 0,
      updatedAtMs: 0,
      turns: 2,
      commits: 2,
      pending: 0,
    };
    const lease = await journal.acquire('s-killed');
    await journal.append({ runId: 'killed', rows: [], summary }, lease);
    await lease.release();
    const described = (pending: readonly { runId: string; commit: number; paths: string[] }[]) =>
      describeInterruptedRuns({ workspace: root, pending, journalNames: undefined, journals });
    expect(await described([])).toEqual([]);
    expect(await described([{ runId: 'killed', commit: 2, paths: ['a.md'] }])).toEqual([
      'run killed was interrupted after 2 commits, the last of which is not in the folder: wink runs settle killed',
    ]);
  });

  it('has its questions answered while it continues', async () => {
    const journal = journals.journal();
    await using filesystem = await openHostFilesystem({ root, stateDirectory });
    const asks: ToolPolicy = { name: 'asks', check: () => PolicyDecision.ask('It writes.') };
    const prompt = promptTemplate({
      ns: 'tests',
      key: 'served',
      sections: [vfsToolsSection()],
      policies: [asks],
    }).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });
    const kept = journalWithInfo(journal, served('each'));
    await using runtime = await openToolRuntime(prompt, {
      journal: kept,
      runId: 'one',
      approve: suspendApproval(),
      agentName: 'demo',
    });
    expect((await runtime.call(writing('first', 'a.md', 'one\n'))).isError).toBe(true);
    const listed = fakeEnvironment();
    await approvalsCommand(requestOf('approvals', 'approvals', '--folder', root), listed, { journals });
    expect(listed.stdout.text()).toContain('one.ask-1: demo on ');
    expect(listed.stdout.text()).toContain('1. write_file wants to run\n   It writes.');
    const answered = fakeEnvironment();
    const request = requestOf('approvals', 'approvals', 'answer', 'one.ask-1', '--yes', '--by', 'ann');
    await approvalsCommand(request, answered, { journals });
    expect(answered.stdout.text()).toContain(
      'answered yes by ann\nthe answer counts for one call: when the same call is made again\n',
    );
    expect((await runtime.call(writing('again', 'a.md', 'one\n'))).isError).not.toBe(true);
    expect(names()).toEqual(['a.md']);
  });

  it('is stopped without a way to continue', async () => {
    const journal = journals.journal();
    await using filesystem = await openHostFilesystem({ root, stateDirectory });
    const prompt = promptTemplate({ ns: 'tests', key: 'served', sections: [vfsToolsSection()] }).bind(
      {},
      { resources: [binding(Filesystem, { instance: filesystem })] },
    );
    await using runtime = await openToolRuntime(prompt, {
      journal: journalWithInfo(journal, served('each')),
      runId: 'one',
    });
    const rewind = requestOf('rewind', 'rewind', 'one', '--to', '0', '--apply');
    await expect(rewindCommand(rewind, fakeEnvironment(), { journals, open })).rejects.toThrow(
      'the run "one" is still running.',
    );
    const environment = fakeEnvironment();
    await runsCommand(requestOf('runs', 'runs', 'stop', 'one'), environment, { journals });
    expect(environment.stdout.text()).toBe('the run one was stopped\n');
    await expect(runtime.call(writing('late', 'a.md', 'late'))).rejects.toMatchObject({ code: 'run-lost' });
    expect(names()).toEqual([]);
  });
});
