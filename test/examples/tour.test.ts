import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { type Ending, ending, fingerprint, root, startNode } from '../cli/wink.ts';

const hasSqlite = isBuiltin('node:sqlite');
const program = join(root, '.build/examples/tour/tour.js');

/** Where the tour runs: it has the folder that the agent works on, and gets the record. */
let here = '';
let files = '';
beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  here = mkdtempSync(join(tmpdir(), 'wink-tour-'));
  files = join(here, 'examples/tour/folder');
  cpSync(join(root, 'examples/tour/folder'), files, { recursive: true });
});
afterEach(() => rmSync(here, { recursive: true, force: true }));

const tour = (): Promise<Ending> =>
  ending(startNode(['--disable-warning=ExperimentalWarning', program], { cwd: here }));

describe('the tour', () => {
  it('prints the same on every machine, leaves one record and the folder as it was', async () => {
    const before = fingerprint(files);
    for (const _again of [false, true]) {
      const { code, stdout, stderr } = await tour();
      expect([code, stderr], stdout).toEqual([0, '']);
      const lines = stdout.split('\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      const text = stdout.replace(/\d+\.\d s\./, '2.8 s.').replace(/\(\d+ kB\)/, '(46 kB)');
      const name = hasSqlite ? 'tour' : 'tour-without-sqlite';
      const golden = fileURLToPath(new URL(`../fixtures/golden/${name}.txt`, import.meta.url));
      await expect(text).toMatchFileSnapshot(golden);
      expect(fingerprint(files)).toBe(before);
    }
    const record = join(here, 'tour.jsonl');
    const { calls } = await readRunRecord(readFileSync(record, 'utf8').trimEnd().split('\n'));
    const ends = calls.map(({ toolName, reason }) => `${toolName} ${reason}`);
    expect(ends).toContain(hasSqlite ? 'charge in-doubt' : 'publish_report threw');
    expect(statSync(record).mode & 0o777).toBe(0o600);
  });

  it('ends with 1 and says which guarantee does not hold', async () => {
    // Complete from the start, so that the report is published at once.
    writeFileSync(join(files, 'REVIEW.md'), 'Status: draft\n- discounts.md: read\n- zones.md: read\n');
    const { code, stdout } = await tour();
    expect(code).toBe(1);
    expect(stdout).toContain(
      '3  A tool fails half-way\n     publish_report                            committed\n',
    );
    expect(stdout).toContain('   DOES NOT HOLD: AssertionError');
    expect(stdout).toContain(hasSqlite ? '\n5 of 6 hold, ' : '\n3 of 4 hold, ');
  });
});
