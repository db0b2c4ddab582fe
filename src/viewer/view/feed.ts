import type { RunRecord } from '../../record/index.ts';
import { showProblem, showWaiting, startPage } from './start.tsx';
import type { Store } from './store.ts';

/** Where a served page keeps its token: so that it survives a reload, and is gone with the tab. */
const tokenKey = 'wink-token';
const tokenPattern = /^#token=([\w-]{20,})$/;

/** The token of a served page, which the fragment of the first address holds. It is taken out of the address at once. */
export function takeToken(): string | undefined {
  const token = tokenPattern.exec(location.hash)?.[1];
  if (token === undefined) return sessionStorage.getItem(tokenKey) ?? undefined;
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(null, '', location.pathname);
  return token;
}

/** What reads lines into a record. */
export type ReadLines = (lines: readonly string[]) => RunRecord;

/** At most this much of the time goes into reading the record again, however long it becomes. */
const pausePerReadMs = 4;
const minPauseMs = 200;

/** Follows a record that a server sends line by line, until the server ends. */
export async function followRecord(token: string, file: string, read: ReadLines): Promise<void> {
  const lines: string[] = [];
  let store: Store | undefined;
  let timer: number | undefined;
  let pauseMs = minPauseMs;
  const fragment = location.hash;
  const show = (): void => {
    timer = undefined;
    const startedAtMs = performance.now();
    try {
      const record = read(lines);
      if (store === undefined) {
        store = startPage(record, file, fragment);
        store.feed.value = 'live';
      } else store.record.value = record;
      if (record.isComplete) store.feed.value = 'ended';
    } catch (error) {
      if (store === undefined) showProblem(error instanceof Error ? error.message : String(error));
    }
    pauseMs = Math.max(minPauseMs, pausePerReadMs * (performance.now() - startedAtMs));
  };
  showWaiting();
  try {
    const response = await fetch('/rows', { headers: { 'x-wink-token': token }, cache: 'no-store' });
    if (!response.ok || response.body === null) {
      showProblem(`The command answered ${response.status}. Open the address that it printed.`);
      return;
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const parts = (rest + chunk.value).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts.filter((line) => line !== ''));
      if (lines.length > 0) timer ??= setTimeout(show, store === undefined ? 0 : pauseMs);
    }
    if (rest !== '') lines.push(rest);
  } catch {
    // The server has ended; what it sent is shown.
  }
  clearTimeout(timer);
  if (lines.length > 0) show();
  if (store === undefined) showProblem('The command that serves this page has ended.');
  else if (store.feed.value === 'live') store.feed.value = 'lost';
}
