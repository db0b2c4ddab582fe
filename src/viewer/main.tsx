import { RunFold } from '../record/index.ts';
import type { RecordPlace } from './model/commands.ts';
import { followRecord, messageOf, takeToken } from './view/feed.ts';
import { showProblem, startPage } from './view/start.tsx';

/** The record is in the page, or a server sends it. */
function main(): void {
  const meta = document.querySelector<HTMLMetaElement>('meta[name^=wink-]');
  const place = { name: meta?.content ?? 'run.jsonl', isRun: meta?.name === 'wink-run' };
  const text = document.getElementById('record')?.textContent ?? '';
  if (text.trim() !== '') return showRecord(text, place);
  const token = location.protocol === 'http:' ? takeToken() : undefined;
  if (token === undefined) showProblem('This page holds no record. Make one with wink view RUN.');
  else void followRecord(token, place, new RunFold());
}

/** Of a damaged record what comes before the damage. */
function showRecord(text: string, place: RecordPlace): void {
  const fold = new RunFold();
  let damage: string | undefined;
  try {
    for (const line of linesOf(text)) fold.add(line);
  } catch (error) {
    damage = messageOf(error);
  }
  try {
    startPage(fold.record(), place, location.hash).damage.value = damage;
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
