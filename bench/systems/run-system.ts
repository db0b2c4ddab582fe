import type { JsonObject } from 'weakincentives';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSample, takeSamples } from '../harness/samples.ts';
import { Stage } from './stage.ts';
import { countCalls, shorten, type Workload } from './workload.ts';

/**
 * Makes the agent once, with its model and its tool, as a service does at its start.
 *
 * @returns one conversation from the first turn to the text of the last
 */
export type System = (stage: Stage) => () => Promise<string>;

/** The least and the most steps of a warm-up. */
const warmUpCalls = 100;
/** What a program runs under `--tiny`. */
const tinyCalls = 4;

/** The program of a system: `cpuPerStep` and `wallPerStep` in µs, `cpu` and `wall` in ms, `peakRss` in MiB. */
export async function runSystem(system: System): Promise<void> {
  await runProgram<JsonObject & Workload>((settings, plan) =>
    plan.effort === 'tiny'
      ? measure(system, shorten(settings, tinyCalls), plan)
      : measure(system, settings, plan),
  );
}

async function measure(system: System, workload: Workload, plan: ProgramPlan): Promise<Report> {
  const stage = new Stage();
  const converse = system(stage);
  const endMs = performance.now() + plan.limitMs;
  const calls: number[] = [];
  const run = async (now: Workload) => {
    stage.begin(now, endMs);
    calls.push(stage.end(await converse()));
  };
  if (workload.kind === 'rss') {
    await takeSample(() => run(workload));
    const kib = process.resourceUsage().maxRSS;
    return { samples: { peakRss: [kib / 1024] }, notes: cutOffNotes(calls, countCalls(workload)) };
  }

  const { samples, notes } = await takeSamples(plan, {
    warmUp: () => run(shorten(workload, warmUpCalls)),
    run: () => run(workload),
  });
  const counted = calls.slice(-samples.length);
  const perStep = (totalMs: number, index: number) => (totalMs * 1000) / (counted[index] ?? Number.NaN);
  return {
    samples: {
      cpu: samples.map(({ cpuMs }) => cpuMs),
      wall: samples.map(({ wallMs }) => wallMs),
      cpuPerStep: samples.map(({ cpuMs }, index) => perStep(cpuMs, index)),
      wallPerStep: samples.map(({ wallMs }, index) => perStep(wallMs, index)),
    },
    notes: [...notes, ...cutOffNotes(counted, countCalls(workload))],
  };
}

function cutOffNotes(counted: readonly number[], wanted: number): readonly string[] {
  const least = Math.min(...counted);
  return least < wanted ? [`cut off after ${least} of ${wanted} calls`] : [];
}
