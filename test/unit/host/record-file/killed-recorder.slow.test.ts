import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { childProgram } from '../../../support/child-program.ts';
import { draws } from '../../../support/draws.ts';
import { tempFolder } from '../temp-folder.ts';

const child = await childProgram('record-run');

/** Records until the child has printed so many lines, and kills it then. @returns how many calls it had committed by then at least. */
async function recordUntil(file: string, lines: number): Promise<number> {
  const started = spawn(process.execPath, [child, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(started, 'exit');
  let committed = 0;
  let count = 0;
  for await (const line of createInterface({ input: started.stdout })) {
    committed = Number(line);
    count += 1;
    if (count === lines) started.kill('SIGKILL');
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return committed;
}

it('a record whose process is killed is read up to a torn last line, with all calls that were committed before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (lines) => {
      const file = join(tempFolder(), 'run.jsonl');
      const committed = await recordUntil(file, lines);
      const record = await readRunRecord(readFileSync(file, 'utf8').split('\n'));
      const { commits } = record;
      expect(record.isComplete).toBe(false);
      expect(commits.length).toBeGreaterThanOrEqual(committed);
      // A prefix: each of them as it was, in order, and nothing of what comes after.
      const numbers = commits.map((_, index) => index + 1);
      expect(commits.map(({ call }) => call.params)).toEqual(numbers.map((number) => ({ number })));
      const notes = record.stateAt(commits.length).find(({ name }) => name === 'notes');
      expect(notes?.items.map(({ value }) => value)).toEqual(numbers.map((number) => ({ number })));
      const files = new Map(
        record.filesAt(commits.length).map(({ path, content }) => [path, content.text?.split('\n', 1)[0]]),
      );
      expect(files).toEqual(new Map(numbers.map((number) => [`${number}.txt`, `${number}`])));
    }),
    { numRuns: draws(8) },
  );
});
