import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../../core/internal/index.ts';
import { readLeft } from '../child/run-left.ts';
import type { RunLeft } from '../life.ts';
import { type CallInDoubt, callsInDoubt } from './windows.ts';

/** What there is at the end of a case, without what depends on when it ran. */
export interface EndOfCase {
  readonly runs: readonly Readonly<Record<string, unknown>>[];
  /** Entries of the folder by path: kind, mode, content. */
  readonly disk: Readonly<Record<string, string>>;
  readonly effects: readonly string[];
  readonly asked: readonly string[];
  readonly ledger: unknown;
  /** Calls of the runs that are in doubt, or whose tools have found out that they had no effect. */
  readonly doubts: readonly CallInDoubt[];
  /** What the runs that continued found to be changed: nothing is. */
  readonly changed: readonly string[];
  /** How many answers of the model the rows of each run have. */
  readonly answers: readonly number[];
}

/** Reads the end of a case. */
export function readEnd(folder: string, runs: readonly string[]): EndOfCase {
  const left = runs.map((runId) => readLeft(folder, runId));
  return {
    runs: left.map((each, index) => plainEnd(each, index === 0)),
    doubts: left.flatMap((each, index) => callsInDoubt(each, runs[index] ?? '')),
    changed: left.flatMap((each) => each?.changed ?? []),
    answers: left.map((each) => each?.answers ?? 0),
    disk: treeOf(join(folder, 'work')),
    effects: linesOf(join(folder, 'effects.log')),
    asked: linesOf(join(folder, 'asked.log')),
    ledger: JSON.parse(textOf(join(folder, 'ledger.json')) || '[]'),
  };
}

function plainEnd(left: RunLeft | undefined, isFirst: boolean): EndOfCase['runs'][number] {
  if (left === undefined) return { error: 'The run has left nothing.' };
  const { changed: _changed, answers: _answers, slices, conversation, ...rest } = left;
  return {
    ...rest,
    conversation: withoutVolatile(conversation),
    // The session was used by no run before the first one.
    ...present({ slices: withoutVolatile(slices?.filter(({ name }) => isFirst || !records.has(name))) }),
  };
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

/** Records of the library: a resumed run has its own, and not those of runs before it on the session. */
const records: ReadonlySet<string> = new Set([
  'weakincentives.prompt-executions',
  'weakincentives.prompt-renderings',
  'weakincentives.tool-invocations',
  'weakincentives.tool-renderings',
]);

/** Members that differ from one life to the next: ids, times, and what an attempt had to wait for. */
const volatile: ReadonlySet<string> = new Set([
  ...['eventId', 'evaluationId', 'renderId'],
  ...['startedAtMs', 'durationMs', 'atMs', 'sinceMs', 'exportedAtMs'],
  ...['attempts', 'conflicts'],
]);

/** A value without what depends on when it was. */
function withoutVolatile(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => (volatile.has(key) ? undefined : member));
  return text === undefined ? undefined : JSON.parse(text);
}
