import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Ending, ending, root, startNode } from './wink.ts';

let folder = '';
let work = '';
beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-start-'));
  work = join(folder, 'work.js');
  mkdirSync(work);
  writeFileSync(join(work, 'a.py'), '# TODO: here\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `npm start -- WORDS` runs, in the folder of the project as npm does. */
const start = (...words: readonly string[]): Promise<Ending> =>
  ending(startNode([join(root, 'scripts/start.mjs'), ...words], { cwd: root }));

describe('npm start with words', () => {
  it('lets the agent of examples/review review a folder, whatever its name, with all options', async () => {
    const record = join(folder, 'review.jsonl');
    const { code, stdout, stderr } = await start('--record', record, work);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('review on work.js');
    expect(stdout).toContain('+- [ ] `a.py:1` TODO: here');
    expect(existsSync(record)).toBe(true);
  });

  it('runs the agent that is named, before or after options', async () => {
    const agent = 'test/support/agents/summarise.ts';
    for (const words of [
      [agent, work, '--max-turns', '90'],
      ['--max-turns', '90', agent, work],
    ]) {
      const { code, stdout, stderr } = await start(...words);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('summarise on work.js');
    }
  });

  it.each([
    [['nowhere'], 'nowhere'],
    [['nowhere.ts'], 'nowhere.ts'],
    [['--aply'], '--apply'],
  ])('says in one sentence what is wrong with %s, and ends with 2', async (words, named) => {
    const { code, stdout, stderr } = await start(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^wink: /);
    expect(stderr).toContain(named);
  });
});
