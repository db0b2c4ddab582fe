import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSamples } from '../harness/samples.ts';
import { writingAgent } from './journal-agent.ts';
import { type JournalKind, openJournal, whyUnavailable } from './open-journal.ts';

interface Settings extends Record<string, string | number> {
  /** `none`: a run without a journal. `fdatasync`: only what a disk takes for the rows of a turn. */
  readonly journal: JournalKind | 'none' | 'fdatasync';
  readonly turns: number;
}

const tinyTurns = 4;
/** About what SQLite writes for the rows of a turn, which a run flushes twice: before it asks the model, and when the answer is there. */
const flushBytes = 3_500;
const flushesPerTurn = 2;

/** Runs of that many turns with a journal, each of them another run of it: `cpuPerTurn` and `wallPerTurn` in µs. */
await runProgram<Settings>(async ({ journal: kind, turns: wanted }, plan) => {
  const turns = plan.effort === 'tiny' ? tinyTurns : wanted;
  const unavailable = whyUnavailable(kind);
  if (unavailable !== undefined) return { samples: {}, unavailable };
  if (kind === 'fdatasync') return await measureDisk(turns, plan);
  if (kind === 'none') return await measure(turns, plan, () => converse(turns));
  await using opened = openJournal(kind);
  const { journal } = opened;
  return await measure(turns, plan, () => converse(turns, { journal }));
});

async function converse(
  turns: number,
  options: { readonly journal?: ReturnType<typeof openJournal>['journal'] } = {},
): Promise<void> {
  const { adapter, prompt, written } = writingAgent(turns);
  const { text } = await adapter.evaluate(prompt, { ...options, limits: { maxTurns: turns + 1 } });
  if (text !== 'done' || written() !== turns) throw new Error(`The run ended after ${written()} calls.`);
}

/** Each flush writes at the end of a file and waits for the disk. */
async function measureDisk(turns: number, plan: ProgramPlan): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'weakincentives-bench-'));
  const file = openSync(join(folder, 'rows'), 'a');
  const rows = Buffer.alloc(flushBytes, 'x');
  try {
    return await measure(turns, plan, () => {
      for (let flush = 0; flush < turns * flushesPerTurn; flush += 1) {
        writeSync(file, rows);
        fdatasyncSync(file);
      }
    });
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(turns: number, plan: ProgramPlan, run: () => unknown): Promise<Report> {
  const { samples, notes } = await takeSamples(plan, { run });
  return {
    samples: {
      cpuPerTurn: samples.map(({ cpuMs }) => (cpuMs * 1000) / turns),
      wallPerTurn: samples.map(({ wallMs }) => (wallMs * 1000) / turns),
    },
    notes,
  };
}
