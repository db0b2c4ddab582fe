import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { promptTemplate, resumeRun, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { runsCommand } from '../../../../src/cli/runs/runs-command.ts';
import { addRun, MemoryJournals } from '../journal/journals.ts';
import { eventsOf, fakeEnvironment } from '../support.ts';

const day = 24 * 3_600_000;
let journals: MemoryJournals;

async function runs(...argv: readonly string[]): Promise<string> {
  const request = readArguments(['runs', ...argv]);
  if (request.kind !== 'runs') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment();
  expect(await runsCommand(request, environment, { journals, clock: { now: () => 10 * day } })).toBe(0);
  expect(journals.opened).toBe(0);
  return environment.stdout.text();
}

beforeEach(() => {
  journals = new MemoryJournals();
});

describe('the list of runs', () => {
  it('is empty without a journal', async () => {
    expect(await runs()).toBe('there are no runs.\n');
    expect(await runs('--json')).toBe('');
  });

  it('has a line for each, the last one first', async () => {
    const journal = journals.journal();
    await addRun(journal, 'older', { agent: 'coder\u001b', status: 'finished', workspace: '/w' });
    await addRun(journal, 'later', { updatedAtMs: day });
    const lines = (await runs()).split('\n');
    expect(lines[0]).toMatch(
      /^run {4}status {7}updated {12}turns {2}commits {2}pending {2}interrupted {2}agent {6,}folder$/,
    );
    expect(lines[1]).toMatch(/^later {2}interrupted {2}1970-01-02T00:00Z {2}2 {6}1 {8}0 {8}0 {12}demo$/);
    expect(lines[2]).toMatch(/^older {2}finished .* coder<U\+001B> {2}\/w$/);
  });

  it('holds as JSON what is known of a run, but not how it was called', async () => {
    await addRun(journals.journal(), 'one', { info: { call: ['--params={"secret":1}'] } });
    expect(eventsOf(await runs('--json'))).toEqual([
      {
        runId: 'one',
        sessionId: 's-one',
        status: 'interrupted',
        promptName: 'demo',
        startedAtMs: 0,
        updatedAtMs: 0,
        turns: 2,
        commits: 1,
        pending: 0,
        rows: 0,
        isReady: true,
      },
    ]);
  });

  it('can be that of one state, and has the last 50 unless more are asked for', async () => {
    const journal = journals.journal();
    for (let number = 0; number < 52; number += 1) {
      await addRun(journal, `run-${number}`, {
        updatedAtMs: number,
        status: number < 3 ? 'failed' : 'finished',
      });
    }
    const namesOf = async (...argv: readonly string[]) =>
      eventsOf(await runs('--json', ...argv)).map(({ runId }) => runId);
    expect(await namesOf('--status', 'failed')).toEqual(['run-2', 'run-1', 'run-0']);
    expect(await namesOf('--limit', '2')).toEqual(['run-51', 'run-50']);
    expect(await namesOf()).toHaveLength(50);
    expect(await namesOf('--limit', '52')).toHaveLength(52);
    const request = readArguments(['runs', 'list', '--limit', '51']);
    if (request.kind !== 'runs') throw new Error(JSON.stringify(request));
    const environment = fakeEnvironment();
    await runsCommand(request, environment, { journals });
    expect(environment.stderr.text()).toBe('wink: these are the last 51 runs: --limit N lists more.\n');
  });

  it('can be that of one folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wink-runs-'));
    await addRun(journals.journal(), 'here', { workspace: realpathSync(folder) });
    await addRun(journals.journal(), 'there', { workspace: '/elsewhere' });
    expect(await runs('--folder', folder, '--json')).toContain('"runId":"here"');
    expect(await runs('--folder', folder, '--json')).not.toContain('there');
    rmSync(folder, { recursive: true });
    await expect(runs('--folder', folder)).rejects.toThrow('cannot be used: no such file or directory.');
  });
});

describe('wink runs prune', () => {
  beforeEach(async () => {
    for (const age of [1, 3, 5, 7]) {
      await addRun(journals.journal(), `age-${age}`, { updatedAtMs: (10 - age) * day, status: 'finished' });
    }
  });

  it.each([
    [
      ['--older-than', '4d'],
      ['age-5', 'age-7'],
    ],
    [['--keep', '3'], ['age-7']],
    [
      ['--keep', '1', '--older-than', '96h'],
      ['age-5', 'age-7'],
    ],
    [['--keep', '3', '--older-than', '4d'], ['age-7']],
    [
      ['age-1', 'age-7', 'age-1'],
      ['age-1', 'age-7'],
    ],
  ])('removes with %j what is left over', async (argv, names) => {
    const before = await runs('--json');
    expect(await runs('prune', ...argv, '--dry-run')).toBe(
      names.map((name) => `would remove ${name}\n`).join(''),
    );
    expect(await runs('--json')).toBe(before);
    expect(await runs('prune', ...argv)).toBe(names.map((name) => `removed ${name}\n`).join(''));
    expect(eventsOf(await runs('--json')).map(({ runId }) => runId)).toEqual(
      ['age-1', 'age-3', 'age-5', 'age-7'].filter((name) => !names.includes(name)),
    );
  });

  it('says when there is nothing, and refuses an unknown name', async () => {
    expect(await runs('prune', '--keep', '4')).toBe('there is nothing to remove.\n');
    await expect(runs('prune', 'age-1', 'none')).rejects.toThrow(
      'the journal has no run "none": wink runs lists',
    );
    expect(eventsOf(await runs('--json'))).toHaveLength(4);
  });

  it('leaves what a person may still answer, and what is not in its folder, unless it is named', async () => {
    const journal = journals.journal();
    const owner = { host: 'elsewhere', pid: 1, startedAt: '' };
    const info = { call: ['run', '/a.ts', '--apply=end'], process: owner, rows: 0 };
    const held = { ...info, lease: { owner: 'a', epoch: 1 } };
    await addRun(journal, 'asks', { updatedAtMs: 0, status: 'suspended', pending: 2 });
    await addRun(journal, 'unwritten', { updatedAtMs: 0, status: 'finished', info: held });
    const left = [
      'left asks: it waits for 2 answers; to remove it: wink runs prune asks',
      'left unwritten: its changes were not written to its folder; to remove it: wink runs prune unwritten',
    ];
    const lines = async (...argv: readonly string[]) => (await runs('prune', ...argv)).trim().split('\n');
    expect((await lines('--older-than', '8d')).sort()).toEqual(left);
    expect((await lines('--older-than', '8d', '--dry-run')).sort()).toEqual(left);
    expect(await lines('asks', 'unwritten')).toEqual(['removed asks', 'removed unwritten']);
  });

  it('does not choose a run that is running', async () => {
    await addRun(journals.journal(), 'busy', { updatedAtMs: 0 });
    await journals.journal().acquire('s-busy');
    expect(await runs('prune', '--older-than', '8d')).toBe('there is nothing to remove.\n');
  });
});

describe('wink runs stop', () => {
  it('takes the lease of a run', async () => {
    const journal = journals.journal();
    await addRun(journal, 'one');
    const lease = await journal.acquire('s-one');
    expect(await runs('stop', 'one')).toBe('the run one was stopped\n');
    expect(lease.signal.aborted).toBe(true);
    expect(await runs('stop', 'one')).toBe('the run one is not running: interrupted.\n');
  });

  it('ends one for good, with who did it and why', async () => {
    const prompt = promptTemplate({
      ns: 'tests',
      key: 'talker',
      sections: [section({ title: 'Task', key: 'task', template: 'Talk.' })],
    }).bind();
    const journal = journals.journal();
    const failing = scriptedAdapter(() => {
      throw new Error('The provider is down.');
    });
    await failing.evaluate(prompt, { journal, runId: 'one', retry: false }).catch(() => undefined);
    expect(await runs('stop', 'one', '--for-good', '--by', 'ann', '--reason', 'obsolete')).toBe(
      'the run one was stopped for good\n',
    );
    const resumed = resumeRun({ adapter: scriptedAdapter([]), prompt, journal, runId: 'one' });
    await expect(resumed).rejects.toThrow('The run "one" was cancelled by "ann": obsolete.');
    expect(await runs()).toMatch(/one +cancelled/);
    expect(await runs('stop', 'one', '--for-good')).toBe('the run one is over already: cancelled.\n');
  });

  it('refuses an unknown run', async () => {
    await expect(runs('stop', 'none')).rejects.toThrow('the journal has no run "none": wink runs lists');
  });
});
