import { RunFold } from '../record/index.ts';
import { followRecord, messageOf, takeToken } from './view/feed.ts';
import { showProblem, startPage } from './view/start.tsx';

/** The record is in the page, or a server sends it. */
function main(): void {
  const file = document.querySelector<HTMLMetaElement>('meta[name=wink-file]')?.content ?? 'run.jsonl';
  const text = document.getElementById('record')?.textContent ?? '';
  if (text.trim() !== '') return showRecord(text, file);
  const token = location.protocol === 'http:' ? takeToken() : undefined;
  if (token === undefined) showProblem('This page holds no record. Make one with wink view RUN.');
  else void followRecord(token, file, new RunFold());
}

/** Of a damaged record what comes before the damage. */
function showRecord(text: string, file: string): void {
  const fold = new RunFold();
  let damage: string | undefined;
  try {
    for (const line of linesOf(text)) fold.add(line);
  } catch (error) {
    damage = messageOf(error);
  }
  try {
    startPage(fold.record(), file, location.hash).damage.value = damage;
  } catch (error) {
    showProblem(damage ?? messageOf(error));
  }
}

/** The lines of a record, one at a time: the whole is in memory already. */
function* linesOf(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    yield text.slice(from, end < 0 ? text.length : end);
    from = end < 0 ? text.length : end + 1;
  }
}

main();
