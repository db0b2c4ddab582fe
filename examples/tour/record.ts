// The record that the tour leaves for `wink view`.
import { readFile, writeFile } from 'node:fs/promises';
import type { RunJournal } from 'weakincentives';
import { exportRecord, readRunRecord } from 'weakincentives/record';

/** In the working folder. The tour writes it anew each time: that of chapter 6 where there is a journal, else that of chapter 3. */
export const recordFile = 'tour.jsonl';

/** Writes the record of a run that a journal holds. */
export async function saveRecord(journal: RunJournal, runId: string): Promise<void> {
  let text = '';
  for await (const line of exportRecord({ journal, runId })) text += `${line}\n`;
  await writeFile(recordFile, text, { mode: 0o600 });
}

/** What the first call of the recorded run would have changed: files, and items of slices. */
export async function changesOfFirstCall(): Promise<string> {
  const lines = (await readFile(recordFile, 'utf8')).trimEnd().split('\n');
  const [attempt] = (await readRunRecord(lines)).calls[0]?.attempts ?? [];
  const files = attempt?.files.map(({ path }) => path) ?? [];
  const writes = attempt?.writes ?? [];
  const added = writes.map((each) => `${each.slice} +${each.op === 'append' ? each.items.length : 0}`);
  return [...files, ...added].join(', ');
}
