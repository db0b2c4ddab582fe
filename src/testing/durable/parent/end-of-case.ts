import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readLeft } from '../child/run-left.ts';
import type { RunLeft } from '../life.ts';

/** What there is at the end of a case, without what depends on when it ran. */
export interface EndOfCase {
  readonly runs: readonly Readonly<Record<string, unknown>>[];
  /** Entries of the folder by path: kind, mode, content. */
  readonly disk: Readonly<Record<string, string>>;
  readonly effects: readonly string[];
  readonly asked: readonly string[];
  readonly ledger: unknown;
}

/** Members that differ from one life to the next: ids, times, and what an attempt had to wait for. */
const volatile: ReadonlySet<string> = new Set([
  ...['eventId', 'evaluationId', 'renderId', 'executionId'],
  ...['startedAtMs', 'endedAtMs', 'durationMs', 'atMs', 'sinceMs', 'exportedAtMs', 'createdAtMs'],
  ...['attempts', 'conflicts'],
]);

/** Reads the end of a case. */
export function readEnd(folder: string, runs: readonly string[]): EndOfCase {
  return {
    runs: runs.map((runId) => plainEnd(readLeft(folder, runId))),
    disk: treeOf(join(folder, 'work')),
    effects: linesOf(join(folder, 'effects.log')),
    asked: linesOf(join(folder, 'asked.log')),
    ledger: JSON.parse(textOf(join(folder, 'ledger.json')) || '[]'),
  };
}

function plainEnd(left: RunLeft | undefined): EndOfCase['runs'][number] {
  const { changed: _changed, ...rest } = left ?? { changed: [], error: 'The run has left nothing.' };
  const text = JSON.stringify(rest);
  // An object, since it was one.
  return JSON.parse(text, (key, value: unknown) => (volatile.has(key) ? undefined : value)) as Record<
    string,
    unknown
  >;
}

/** Entries of a folder by path, sorted; empty when there is none. */
export function treeOf(root: string): Readonly<Record<string, string>> {
  if (!existsSync(root)) return {};
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(paths.map((path) => [path, entryAt(join(root, path))]));
}

function entryAt(path: string): string {
  const stat = lstatSync(path);
  const mode = (stat.mode & 0o777).toString(8);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  return stat.isDirectory() ? `directory ${mode}` : `file ${mode} ${readFileSync(path, 'latin1')}`;
}

function linesOf(file: string): readonly string[] {
  return textOf(file).split('\n').filter(Boolean);
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
