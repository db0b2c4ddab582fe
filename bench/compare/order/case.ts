import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import type { ToolFiles } from '../harness/files.ts';
import { Script, type ScriptedTurn } from '../harness/script.ts';

/*
 * Asserted: 200 random turns of two to five calls, which run in parallel. Files and the answers of all calls are as if the calls of
 * each turn had run one after the other, in their order. A call takes the numbers of two files, waits, and writes their sum to one of
 * them. The calls of a turn must overlap: a setting that runs them one after the other is no answer, since nothing runs in parallel.
 */
const names = ['a', 'b', 'c', 'd'] as const;
const turnsOfRun = 10;
const runs = 20;

export interface Sum {
  readonly from: string;
  readonly to: string;
}

/** Numbers from a seed, the same in every run (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const draw = numbersFrom(39);
const nameAt = (index: number): string => names[index] ?? 'a';
const plan: readonly (readonly (readonly Sum[])[])[] = Array.from({ length: runs }, () =>
  Array.from({ length: turnsOfRun }, () =>
    Array.from({ length: 2 + draw(4) }, () => ({ from: nameAt(draw(4)), to: nameAt(draw(4)) })),
  ),
);

let running = 0;
let mostRunning = 0;

/** What the tool does, whichever system runs it. */
export async function addNumbers(files: ToolFiles, { from, to }: Sum): Promise<string> {
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  try {
    const [one, other] = [Number(await files.read(from)), Number(await files.read(to))];
    for (let wait = draw(4); wait > 0; wait -= 1) await new Promise((resolve) => setImmediate(resolve));
    const sum = (one * 3 + other) % 1_000_003;
    await files.write(to, String(sum));
    return `${to} is ${sum}.`;
  } finally {
    running -= 1;
  }
}

/** Files in memory, as many times as there are runs: the disk of 800 calls would only take time. */
export function startFiles(): Map<string, string> {
  return new Map(names.map((name, index) => [name, String(index + 1)]));
}

export function memoryFiles(texts: Map<string, string>): ToolFiles {
  return {
    read: async (path) => texts.get(path) ?? '',
    write: async (path, text) => {
      texts.set(path, text);
    },
  };
}

/**
 * Runs all turns with a system.
 *
 * @param runScript runs one conversation of the script on files of its own, from {@link startFiles}, and returns their texts
 */
export async function check(
  runScript: (script: Script) => Promise<ReadonlyMap<string, string>>,
): Promise<CellOutcome> {
  let different = 0;
  for (const turns of plan) {
    const script = new Script([...turns.map(turnOf), 'Done.']);
    const texts = await runScript(script);
    const expected = startFiles();
    const seen = new Map(script.seen.map(({ id, text }) => [id, text]));
    let hasAnswers = true;
    for (const [turn, sums] of turns.entries()) {
      for (const [index, { from, to }] of sums.entries()) {
        const total = (Number(expected.get(from)) * 3 + Number(expected.get(to))) % 1_000_003;
        expected.set(to, String(total));
        const answer = seen.get(`call-${turn + 1}-${index + 1}`);
        if (answer?.includes(`${to} is ${total}.`) !== true) hasAnswers = false;
      }
    }
    if (!hasAnswers || names.some((name) => texts.get(name) !== expected.get(name))) different += 1;
  }
  if (mostRunning < 2) return fails('The calls of a turn did not run in parallel.');
  if (different === 0) return holds('All files and answers are those of one call after the other.');
  return fails(`In ${different} of ${runs} conversations of ${turnsOfRun} turns, files or answers differ.`);
}

function turnOf(sums: readonly Sum[]): ScriptedTurn {
  return sums.map(({ from, to }) => ({ name: 'add', arguments: { from, to } }));
}
