import { type RunJournal, resumeRun } from 'weakincentives';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSamples } from '../harness/samples.ts';
import { writingAgent } from './journal-agent.ts';
import { type JournalKind, openJournal, whyUnavailable } from './open-journal.ts';

interface Settings extends Record<string, string | number> {
  readonly journal: JournalKind;
  readonly turns: number;
  /** `parse`: the rows are only read and parsed. */
  readonly way: 'resume' | 'parse';
}

const tinyTurns = 4;
const runId = 'run';
const stopped = 'The model is not there.';

/** A run of that many turns whose model then fails, resumed until it asks the model again: `cpu` and `wall` in ms. */
await runProgram<Settings>(async ({ journal: kind, turns: wanted, way }, plan) => {
  const turns = plan.effort === 'tiny' ? tinyTurns : wanted;
  const unavailable = whyUnavailable(kind);
  if (unavailable !== undefined) return { samples: {}, unavailable };
  await using opened = openJournal(kind);
  const { journal } = opened;
  await record(turns, journal);
  return await (way === 'parse' ? measureParsing(turns, journal, plan) : measureResume(turns, journal, plan));
});

async function record(turns: number, journal: RunJournal): Promise<void> {
  const { adapter, prompt, written } = writingAgent(turns, (turn) => {
    if (turn > turns) throw new Error(stopped);
  });
  const limits = { maxTurns: turns + 1 };
  await adapter.evaluate(prompt, { journal, runId, limits }).catch(expectStop);
  if (written() !== turns) throw new Error(`The tool ran ${written()} times.`);
}

/** The run fails again where it failed before, so that each sample resumes it from the same turn. */
async function measureResume(turns: number, journal: RunJournal, plan: ProgramPlan): Promise<Report> {
  const looks: { readonly cpuMs: number; readonly wallMs: number }[] = [];
  const { samples, notes } = await takeSamples(plan, {
    run: async () => {
      let asked = 0;
      const startMs = performance.now();
      const before = process.cpuUsage();
      const { adapter, prompt, written } = writingAgent(turns, (turn) => {
        const { user, system } = process.cpuUsage(before);
        looks.push({ cpuMs: (user + system) / 1000, wallMs: performance.now() - startMs });
        asked = turn;
        throw new Error(stopped);
      });
      const limits = { maxTurns: turns + 1 };
      await resumeRun({ adapter, prompt, journal, runId, limits }).then(() => undefined, expectStop);
      if (asked !== turns + 1 || written() > 0) {
        throw new Error(`The model was asked for turn ${asked}, and the tool ran ${written()} times.`);
      }
    },
  });
  return reportOf(looks.slice(-samples.length), notes);
}

async function measureParsing(turns: number, journal: RunJournal, plan: ProgramPlan): Promise<Report> {
  const { samples, notes } = await takeSamples(plan, {
    run: async () => {
      const types = new Map<unknown, number>();
      for (const { line } of await journal.read(runId)) {
        const { type } = JSON.parse(line) as { readonly type?: unknown };
        types.set(type, (types.get(type) ?? 0) + 1);
      }
      const commits = types.get('commit');
      if (commits !== turns) throw new Error(`There are ${commits} commits.`);
    },
  });
  return reportOf(samples, notes);
}

function reportOf(
  samples: readonly { readonly cpuMs: number; readonly wallMs: number }[],
  notes: readonly string[],
): Report {
  return {
    samples: { cpu: samples.map(({ cpuMs }) => cpuMs), wall: samples.map(({ wallMs }) => wallMs) },
    notes,
  };
}

/** @throws the error that a run ended with, unless it is that of its model. */
function expectStop(error: unknown): void {
  if (!(error instanceof Error && error.message.includes(stopped))) throw error;
}
