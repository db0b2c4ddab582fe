import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JournalBatch, MemoryFilesystem, resumeRun, Session } from 'weakincentives';
import { draws } from '../support/draws.ts';
import { journalAfter, watchedJournal } from '../support/journals.ts';
import {
  type RandomRun,
  randomAdapter,
  randomPrompt,
  randomRuns,
  randomSlices,
  startFiles,
  startRandomly,
} from '../support/random-runs.ts';

const limits = { maxRepeatedFailures: 1_000 };

/** What a run leaves that does not depend on when it ran. */
async function endOf(text: string, session: Session, files: MemoryFilesystem): Promise<unknown> {
  const { paths } = await files.glob('**/*');
  const contents = await Promise.all(paths.map(async (path) => [path, (await files.read(path)).text]));
  const directories = (await files.list('.')).map(({ name }) => name);
  const slices = randomSlices.map((slice) => session.slice(slice).all());
  return { text, contents, directories, slices };
}

async function whole(run: RandomRun): Promise<{ batches: readonly JournalBatch[]; end: unknown }> {
  const journal = watchedJournal();
  const { session, filesystem, prompt } = startRandomly('session');
  const { text } = await randomAdapter(run).evaluate(prompt, {
    session,
    journal,
    limits,
    runId: 'run',
    input: 'Go.',
  });
  return { batches: journal.batches, end: await endOf(text, session, filesystem) };
}

async function resumed(run: RandomRun, batches: readonly JournalBatch[]): Promise<unknown> {
  const journal = await journalAfter(batches, 'session');
  const session = new Session({ id: 'session' });
  for (const slice of randomSlices) session.install(slice);
  const filesystem = new MemoryFilesystem({ files: startFiles });
  const ended = await resumeRun({
    journal,
    session,
    limits,
    adapter: randomAdapter(run),
    prompt: randomPrompt(filesystem),
    runId: 'run',
  });
  if (ended.finishReason === 'suspended') throw new Error('A run without questions was suspended.');
  return endOf(ended.text, session, filesystem);
}

test('a run that is resumed after any flush ends as the whole one did', async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const { batches, end } = await whole(run);
      for (let count = 1; count <= batches.length; count += 1)
        expect(await resumed(run, batches.slice(0, count)), `after ${count} of ${batches.length}`).toEqual(
          end,
        );
    }),
    { numRuns: draws(60) },
  );
});
