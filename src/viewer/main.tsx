import { RunFold } from '../record/index.ts';
import { followRecord, takeToken } from './view/feed.ts';
import { showProblem, startPage } from './view/start.tsx';

/** The record is in the page, or a server sends it. */
function main(): void {
  const file = document.querySelector<HTMLMetaElement>('meta[name=wink-file]')?.content ?? 'run.jsonl';
  const text = document.getElementById('record')?.textContent ?? '';
  if (text.trim() !== '') {
    try {
      const fold = new RunFold();
      for (const line of linesOf(text)) fold.add(line);
      startPage(fold.record(), file, location.hash);
    } catch (error) {
      showProblem(error instanceof Error ? error.message : String(error));
    }
    return;
  }
  const token = location.protocol === 'http:' ? takeToken() : undefined;
  if (token === undefined) showProblem('This page holds no record. Make one with wink view RUN.');
  else void followRecord(token, file, new RunFold());
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
