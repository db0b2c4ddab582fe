import { cutLine } from '../../core/internal/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import type { TokenPrices, TokenUsage } from '../../core/tool/index.ts';
import type { RecordedAttempt, RecordedCall } from '../../record/index.ts';

/** The marks of the page: shape and color of an outcome. `running` is a call without an end in the record. */
export type Mark = 'ok' | 'rolled-back' | 'denied' | 'rejected' | 'superseded' | 'ask' | 'running';

type Outcome = RecordedAttempt['outcome'];

const outcomes: { readonly [Name in Outcome]: readonly [mark: Mark, word: string] } = {
  committed: ['ok', 'Committed'],
  'rolled-back': ['rolled-back', 'Rolled back'],
  denied: ['denied', 'Denied'],
  rejected: ['rejected', 'Rejected'],
  aborted: ['rejected', 'Aborted'],
  superseded: ['superseded', 'Superseded'],
};

/** The mark of an outcome; `undefined` is the outcome of a call that has not ended in the record. */
export function markOf(outcome: Outcome | undefined): Mark {
  return outcome === undefined ? 'running' : (outcomes[outcome]?.[0] ?? 'rejected');
}

/** The mark and the word of an attempt; one that asked a person, and ended the run with the question, has those of a question. */
export function endOfAttempt({ outcome, isSuspended }: Pick<RecordedAttempt, 'outcome' | 'isSuspended'>): {
  readonly mark: Mark;
  readonly word: string;
} {
  return isSuspended === true
    ? { mark: 'ask', word: 'Waited for a person' }
    : { mark: markOf(outcome), word: wordOf(outcome) };
}

export function wordOf(outcome: Outcome | undefined): string {
  return outcome === undefined ? 'Not ended' : (outcomes[outcome]?.[1] ?? outcome);
}

/** A length of time: `149 ms`, `1.17 s`, `2 min 25 s`, `1 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** A length of time as one says it: `40 s`, `12 min`, `3 h 5 min`, `6 d 23 h`. */
export function roughly(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A position in the run: `0:01.174` in its first ten seconds, `0:37.2` after them. */
export function clock(ms: number): string {
  const digits = ms < 9_999.5 ? 3 : 1;
  const unit = 10 ** digits;
  const parts = Math.round((Math.max(0, ms) / 1000) * unit);
  const tail = ((parts % (60 * unit)) / unit).toFixed(digits).padStart(digits + 3, '0');
  const minutes = Math.floor(parts / (60 * unit));
  return minutes < 60
    ? `${minutes}:${tail}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${tail}`;
}

/** A count: `9,618`, `12.4k`, `1.2M`. */
export function count(value: number): string {
  const whole = Math.round(value);
  if (whole < 10_000) return String(whole).replace(/\B(?=(\d{3})$)/, ',');
  if (whole < 999_500) return `${(whole / 1000).toFixed(whole < 100_000 ? 1 : 0)}k`;
  return `${(whole / 1e6).toFixed(1)}M`;
}

/** `1 call`, `3 calls`. */
export function many(value: number, one: string, more: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : more}`;
}

/** A share in percent, of a whole that may be 0. */
export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((100 * part) / whole);
}

/** What tokens cost, in the currency of the prices. */
export function costOf(usage: TokenUsage, prices: TokenPrices): number {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  const { longCacheWriteInputTokens = 0 } = usage;
  const { inputPerMillion, outputPerMillion, cacheWriteInputPerMillion = inputPerMillion } = prices;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens);
  return (
    (plain * inputPerMillion +
      cachedInputTokens * (prices.cachedInputPerMillion ?? inputPerMillion) +
      (cacheWriteInputTokens - longCacheWriteInputTokens) * cacheWriteInputPerMillion +
      longCacheWriteInputTokens * (prices.longCacheWriteInputPerMillion ?? cacheWriteInputPerMillion) +
      outputTokens * outputPerMillion) /
    1e6
  );
}

/** A cost in hundredths of the currency, which a record does not name. */
export function money(amount: number): string {
  if (amount >= 1) return amount.toFixed(2);
  return amount > 0 && amount < 0.0001 ? '<0.0001' : amount.toFixed(4);
}

/** A value as one line. */
export function inline(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Arguments that say what a call is about, in order of preference. */
const subjects = [
  'file_path',
  'path',
  'pattern',
  'command',
  'query',
  'url',
  'id',
  'title',
  'objective',
  'name',
];

export const maxBriefCharacters = 200;

/** What a call is about, as one line: what its tool says, or else its main argument. */
export function brief({ params, subject }: Pick<RecordedCall, 'params' | 'subject'>): string {
  if (subject !== undefined) return subject;
  if (params === undefined || params === null) return '';
  if (typeof params !== 'object' || Array.isArray(params)) return cutLine(inline(params), maxBriefCharacters);
  const entries = Object.entries(params);
  const found = new Map(entries);
  const from = found.get('from');
  const to = found.get('to');
  if (typeof from === 'string' && typeof to === 'string')
    return cutLine(`${from} → ${to}`, maxBriefCharacters);
  for (const name of subjects) {
    const value = found.get(name);
    if (typeof value === 'string' && value !== '') return cutLine(value, maxBriefCharacters);
  }
  return cutLine(entries.map(([name, value]) => `${name}: ${inline(value)}`).join(', '), maxBriefCharacters);
}
