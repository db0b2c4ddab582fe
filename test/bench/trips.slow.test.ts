import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { FunctionCalls } from '../../bench/trips/coverage.ts';
import { trips } from '../../bench/trips/trips.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = readdirSync(`${root}/src`);

/** The compiled program that `npm run bench -- trips` runs. */
function runTrips(...args: string[]) {
  return spawnSync(process.execPath, ['.build/bench/main.js', 'trips', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
}

describe('npm run bench -- trips', () => {
  let counts: Readonly<Record<string, readonly FunctionCalls[]>>;
  beforeAll(() => {
    expect(inject('buildProblem')).toBe('');
    const { stdout, stderr, status } = runTrips('--json');
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    counts = JSON.parse(stdout) as typeof counts;
  });

  it('counts every trip', () => {
    expect(Object.keys(counts)).toEqual(trips.map(({ name }) => name));
  });

  it.each(trips)('counts functions of the sources: $name', ({ name }) => {
    const functions = counts[name] ?? [];
    expect(functions.length).toBeGreaterThan(10);
    for (const called of functions) {
      expect(called.file).toMatch(/^[\w/-]+\.ts$/);
      expect(folders).toContain(called.file.split('/')[0]);
      expect(called.name).not.toBe('');
      expect(called.calls).toBeGreaterThanOrEqual(0.5);
    }
  });

  it.each([
    ['dispatch', 'dispatch', 'core/session/'],
    ['runtime-call', 'runCalls', 'core/evaluation/'],
    ['memory-write', 'write', 'core/filesystem/'],
    ['host-write', 'write', 'core/filesystem/'],
    ['render', 'render', 'core/prompt/'],
    ['template', 'promptTemplate', 'core/prompt/'],
  ])('finds what %s is about, once a repetition', (trip, name, folder) => {
    const found = counts[trip]?.filter((called) => called.name === name && called.file.startsWith(folder));
    expect(found?.map(({ calls }) => calls)).toContain(1);
  });

  it('counts a turn alike however long the runs are', () => {
    // Whatever is called a hundred times a turn grows with the history.
    const many = counts['state-turn']?.filter(({ calls }) => calls > 50);
    expect(many).toEqual([]);
  });

  it('lists the functions of one trip by file', () => {
    const { stdout, status } = runTrips('--list', 'memory-write');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^memory-write: MemoryFilesystem\.write\n {2}\d+ files, \d+ functions, \d+ calls\n/,
    );
    expect(stdout).toMatch(/^ {4}core\/filesystem\/filesystem-view\.ts\n {6}\w+/m);
  });

  it.each([
    [['no-trip'], 'There is no trip "no-trip".'],
    [['--source', 'no-such-folder'], 'no-such-folder: there is no src/ in it.'],
    [['--no-option'], "Unknown option '--no-option'"],
  ])('refuses %j', (args, message) => {
    const { stderr, status } = runTrips(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(`bench trips: ${message}`);
  });
});
