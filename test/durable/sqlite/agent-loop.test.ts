import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../support/sqlite.ts';
import { startChild } from './started-child.ts';

/** `npm run test:durable -- --soak` sets the variable: then every point is one to be killed at. */
const isSoak = process.env['WINK_SOAK'] === '1';

/** Processes at a time. */
const atOnce = 2;

interface Life {
  /** The points that it has passed, in order. */
  readonly points: readonly string[];
  /** What it printed at its end; undefined when it was killed. */
  readonly end: string | undefined;
  readonly exited: readonly unknown[];
}

async function live(...parameters: string[]): Promise<Life> {
  const child = startChild('agent-loop', ...parameters);
  const points: string[] = [];
  let end: string | undefined;
  for (let line = await child.line(); line !== undefined; line = await child.line()) {
    if (line.startsWith('end ')) end = line;
    else points.push(line);
  }
  return { points, end, exited: await child.exited };
}

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wink-durable-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const entriesIn = (folder: string): readonly unknown[] =>
  openDatabase(join(folder, 'entries.db')).prepare('select call from entries order by call').all();

it.each([
  ['one by one, in the database of the journal,', 'serial'],
  ['on connections of their own, with the journal in another file,', 'parallel'],
])(
  'an agent whose calls use a database %s has each effect once, wherever it is killed between two rows or around a commit',
  async (_, protocol) => {
    const undisturbed = folderOfTest();
    const whole = await live(undisturbed, protocol, 'begin');
    expect(whole.exited).toEqual([0, null, '']);
    const entries = entriesIn(undisturbed);
    const calls = ['booker-1-0', 'nested', 'root-1-0', 'root-1-1', 'root-2-1', 'root-4-0'];
    const inside = protocol === 'serial' ? ['inner-1-0'] : [];
    expect(entries).toEqual([...calls, ...inside].sort().map((call) => ({ call })));
    const isCommit = (index: number): boolean => whole.points[index]?.startsWith('commit') === true;
    const strokes = whole.points.filter((point, index) => {
      if (isCommit(index - 1) || isCommit(index) || isCommit(index + 1)) return true;
      // Nothing is written between an append and the one that follows.
      return point.startsWith('append after') && (isSoak || index % 6 === 1);
    });
    expect(strokes.filter((point) => point.startsWith('commit')).length).toBeGreaterThanOrEqual(12);
    const differing: unknown[] = [];
    const killAt = async (point: string): Promise<void> => {
      const folder = folderOfTest();
      const killed = await live(folder, protocol, 'begin', point);
      const resumed = await live(folder, protocol, 'resume');
      const left = {
        killed: killed.exited,
        resumed: resumed.exited,
        end: resumed.end,
        entries: entriesIn(folder),
      };
      const wanted = { killed: [null, 'SIGKILL', ''], resumed: [0, null, ''], end: whole.end, entries };
      if (JSON.stringify(left) !== JSON.stringify(wanted)) differing.push({ point, ...left });
    };
    const waiting = [...strokes];
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) await killAt(point);
      }),
    );
    expect(differing).toEqual([]);
  },
);
