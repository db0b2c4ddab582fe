import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { ending, fixture, reviewAgent, run, stateHome, command as wink } from './wink.ts';

let folder = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-record-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n');

describe('wink run --record', () => {
  it('records the run in a file, and says once how to open it', async () => {
    const file = join(folder, 'review.jsonl');
    const { code, stderr, stdout } = await run(['run', '--record', file, reviewAgent, fixture]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^wink: recorded, [\d.]+ [KM]B: .*\.jsonl$/m)]);
    expect(stderr).not.toContain('wink view');
    expect(stdout).toContain(`\nlook:   wink view ${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const record = await readRunRecord(linesOf(file));
    expect(record).toMatchObject({ isComplete: true, isTorn: false, module: reviewAgent });
    expect(record.root).toMatchObject({ agent: 'review', outcome: 'finished' });
    const outcomes = new Set(record.calls.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(new Set(['committed', 'denied', 'rolled-back']));
    const conflicting = record.calls.filter(({ attempts }) => attempts[0]?.outcome === 'superseded');
    expect(conflicting.length).toBeGreaterThanOrEqual(6);
    // Each names a call that changed what it had read.
    for (const { attempts } of conflicting) expect(attempts[0]?.conflicts[0]?.by).not.toEqual([]);
    const report = record.filesAt(record.commits.length).find(({ path }) => path === 'REVIEW.md');
    expect(report?.content.text).toContain('- [x] `src/zones.js:3` TODO: read the zones from a file');
  });

  it('makes a file of its own in the folder of records when none is named', async () => {
    const { code, stderr } = await run(['run', reviewAgent, fixture, '--record']);
    expect(code).toBe(0);
    const [, file = ''] = /recorded, .*: (\S+)\n/.exec(stderr) ?? [];
    expect(file.startsWith(join(stateHome, 'weakincentives/records/review-'))).toBe(true);
    expect((await readRunRecord(linesOf(file))).isComplete).toBe(true);
    expect(statSync(join(stateHome, 'weakincentives/records')).mode & 0o777).toBe(0o700);
  });

  it('is refused inside the folder that the agent works on, also by another way to it', async () => {
    const work = join(folder, 'work');
    mkdirSync(work);
    symlinkSync(work, join(folder, 'link'));
    for (const file of [join(work, 'r.jsonl'), join(folder, 'link/r.jsonl')]) {
      const { code, stderr } = await run(['run', reviewAgent, work, '--record', file]);
      expect(code).toBe(2);
      expect(stderr).toContain('would be inside the folder that the agent works on');
    }
  });

  it('is refused over a file that exists, and in a folder that does not', async () => {
    const file = join(folder, 'there.jsonl');
    writeFileSync(file, 'mine');
    const taken = await run(['run', reviewAgent, fixture, '--record', file]);
    expect([taken.code, taken.stderr]).toEqual([
      2,
      expect.stringContaining('exists; name a file that does not'),
    ]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const nowhere = await run(['run', reviewAgent, fixture, '--record', join(folder, 'none/r.jsonl')]);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be written: no such file or directory.'),
    ]);
  });

  it('leaves no file of a run that did not begin', async () => {
    const file = join(folder, 'never.jsonl');
    const { code } = await run([
      'run',
      reviewAgent,
      fixture,
      '--record',
      file,
      '--log',
      join(folder, 'no/x'),
    ]);
    expect(code).toBe(2);
    expect(() => statSync(file)).toThrow(/ENOENT/);
  });

  it('continues when the file can hold no more, and says that the record is incomplete', async () => {
    const file = join(folder, 'full.jsonl');
    const command = [
      'ulimit -f 160; exec "$@"',
      'sh',
      process.execPath,
      wink,
      'run',
      reviewAgent,
      fixture,
      '--record',
      file,
    ];
    const { code, stderr, stdout } = await ending(spawn('sh', ['-c', ...command], { cwd: folder }));
    expect([code, stdout]).toEqual([0, expect.stringContaining('DONE  ')]);
    expect(stderr).toContain(`wink: the record "${file}" is incomplete: EFBIG`);
    const record = await readRunRecord(linesOf(file));
    expect(record).toMatchObject({ isComplete: false, isTorn: true });
    expect(record.commits.length).toBeGreaterThan(0);
  });

  it('hides what wink run hides, and says so', async () => {
    const file = join(folder, 'hidden.jsonl');
    const secret = 'k-2f9a71c3';
    await run(['run', reviewAgent, fixture, '--record', file], { variables: { OPENAI_API_KEY: secret } });
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(fixture);
    expect((await readRunRecord(text.split('\n'))).isRedacted).toBe(true);
  });
});
