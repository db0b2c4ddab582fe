import type { RunFold } from '../../record/index.ts';
import type { RecordPlace } from '../model/commands.ts';
import { showProblem, showWaiting, startPage } from './start.tsx';
import type { Store } from './store/store.ts';

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

/** At most a fifth of the time goes into reading the record again, however long it becomes. */
const pausePerReadMs = 4;
const minPauseMs = 200;

/** Follows a record that a server sends, until the server ends. */
export async function followRecord(token: string, place: RecordPlace, fold: RunFold): Promise<void> {
  let store: Store | undefined;
  let timer: number | undefined;
  let pauseMs = 0;
  const fragment = location.hash;
  const show = (): void => {
    timer = undefined;
    const startedAtMs = performance.now();
    const record = fold.record();
    if (store === undefined) store = startPage(record, place, fragment);
    else store.record.value = record;
    store.feed.value = record.isComplete ? 'ended' : 'live';
    pauseMs = Math.max(minPauseMs, pausePerReadMs * (performance.now() - startedAtMs));
  };
  showWaiting();
  let problem = 'The command that serves this page has ended.';
  let damage: string | undefined;
  try {
    for await (const line of linesFrom(token)) {
      try {
        fold.add(line);
      } catch (error) {
        damage = messageOf(error);
        break;
      }
      timer ??= setTimeout(show, pauseMs);
    }
  } catch (error) {
    // A connection that ends is how a server ends; anything else is said.
    if (!(error instanceof TypeError)) problem = messageOf(error);
  }
  if (timer !== undefined) {
    clearTimeout(timer);
    show();
  }
  if (store === undefined) return showProblem(damage ?? problem);
  store.damage.value = damage;
  if (store.feed.value === 'live') store.feed.value = damage === undefined ? 'lost' : 'ended';
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The lines of the record as the server sends them. A line that is not complete when it ends is left out. */
async function* linesFrom(token: string): AsyncGenerator<string> {
  const response = await fetch('/rows', { headers: { 'x-wink-token': token }, cache: 'no-store' });
  if (!response.ok || response.body === null)
    throw new Error(`The command answered ${response.status}: open the address that it printed.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  // Parts of a line that is longer than what arrives at once.
  let parts: string[] = [];
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = chunk.value.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      yield [...parts, line].join('');
      parts = [];
    }
    if (last !== '') parts.push(last);
  }
}
