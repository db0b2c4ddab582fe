import type { JournalBatch, RunJournal } from 'weakincentives';
import { runProgram } from '../harness/program.ts';
import { takeSamples } from '../harness/samples.ts';
import { contentBytes, writingAgent } from './journal-agent.ts';
import { type JournalKind, openJournal, whyUnavailable } from './open-journal.ts';

interface Settings extends Record<string, string | number> {
  readonly journal: JournalKind;
  readonly turns: number;
}

const tinyTurns = 10;

/** Where in a run of 1,000 turns it is looked at: the first 100 and the last 100. */
const windowShare = 0.1;

/**
 * What a turn costs early and late in a run with a journal: `firstBytes` and `lastBytes` of rows, `firstCpu` and `lastCpu` in µs, and `content`, the bytes
 * that it has to keep. What is written before the first turn and after the last one belongs to none.
 */
await runProgram<Settings>(async ({ journal: kind, turns: wanted }, plan) => {
  const turns = plan.effort === 'tiny' ? tinyTurns : wanted;
  const unavailable = whyUnavailable(kind);
  if (unavailable !== undefined) return { samples: {}, unavailable };
  await using opened = openJournal(kind);
  const looks: Record<string, number>[] = [];
  const { samples, notes } = await takeSamples(plan, {
    run: async () => looks.push(await look(turns, opened.journal)),
  });
  const measured = looks.slice(-samples.length);
  const names = Object.keys(measured[0] ?? {});
  return {
    samples: Object.fromEntries(names.map((name) => [name, measured.map((each) => each[name] ?? 0)])),
    notes,
  };
});

async function look(turns: number, journal: RunJournal): Promise<Record<string, number>> {
  const counted = countBytes(journal);
  /** The counts when a turn begins, by its number: bytes, and CPU µs. */
  const begun = new Map<number, { readonly bytes: number; readonly cpu: number }>();
  const { adapter, prompt, written } = writingAgent(turns, (turn) => {
    const { user, system } = process.cpuUsage();
    begun.set(turn, { bytes: counted.bytes(), cpu: user + system });
  });
  await adapter.evaluate(prompt, { journal: counted.journal, limits: { maxTurns: turns + 1 } });
  if (written() !== turns) throw new Error(`The tool ran ${written()} times.`);
  const window = turns * windowShare;
  const [first, last] = [1, turns + 1 - window].map((from) => {
    const start = begun.get(from);
    const end = begun.get(from + window);
    if (start === undefined || end === undefined)
      throw new Error(`The model was not asked for turn ${from}.`);
    return { bytes: (end.bytes - start.bytes) / window, cpu: (end.cpu - start.cpu) / window };
  });
  if (first === undefined || last === undefined) throw new Error('There are two windows.');
  return {
    firstBytes: first.bytes,
    firstCpu: first.cpu,
    lastBytes: last.bytes,
    lastCpu: last.cpu,
    content: contentBytes,
  };
}

/** A journal that counts the bytes of the rows that were appended to another one. */
function countBytes(journal: RunJournal): { readonly journal: RunJournal; readonly bytes: () => number } {
  let bytes = 0;
  const append = (
    batch: JournalBatch,
    lease: Parameters<RunJournal['append']>[1],
  ): ReturnType<RunJournal['append']> => {
    for (const { line } of batch.rows) bytes += Buffer.byteLength(line);
    return journal.append(batch, lease);
  };
  return {
    bytes: () => bytes,
    journal: {
      append,
      read: (runId, from) => journal.read(runId, from),
      acquire: (sessionId, ended) => journal.acquire(sessionId, ended),
      revoke: (sessionId) => journal.revoke(sessionId),
      runs: (filter) => journal.runs(filter),
      remove: (runId, lease) => journal.remove(runId, lease),
      send: (runId, message) => journal.send(runId, message),
      messages: (runId) => journal.messages(runId),
    },
  };
}
