import type { JsonObject } from 'weakincentives';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { collectGarbage, type Sampling, takeSample, takeSamples } from '../harness/samples.ts';
import { Stage } from './stage.ts';
import { countCalls, shorten, type Workload } from './workload.ts';

/**
 * Makes the agent once, with its model and its tool, as a service does at its start.
 *
 * @returns one conversation from the first turn to the text of the last
 */
export type System = (stage: Stage) => () => Promise<string>;

/** The most calls of a run that only warms up. */
const warmUpCalls = 100;
/** How many whole runs precede the samples of a warm process: of 1,000 steps each, the samples begin with the ninth thousand. */
const wholeWarmUps = 8;
/** What a program runs under `--tiny`. */
const tinyCalls = 4;

/** The program of a system: `cpuPerStep` and `wallPerStep` in µs, `cpu`, `main` and `wall` in ms, `peakRss` of the process in MiB. */
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
  const startMs = performance.now();
  const calls: number[] = [];
  const run = async (now: Workload = workload, limitMs = plan.limitMs) => {
    stage.begin(now, startMs + limitMs);
    calls.push(stage.end(await converse()));
  };
  const { samples, notes } = await sampleRuns(workload, plan, run);
  const wanted = countCalls(workload);
  const runs = completeOnes(
    samples.map((sample, index) => ({ ...sample, calls: calls.at(index - samples.length) ?? 0 })),
    wanted,
  );
  const missing = samples.length - runs.length;
  return {
    samples: {
      cpu: runs.map(({ cpuMs }) => cpuMs),
      main: runs.map(({ mainMs }) => mainMs),
      wall: runs.map(({ wallMs }) => wallMs),
      cpuPerStep: runs.map(({ cpuMs, calls: steps }) => (cpuMs * 1000) / steps),
      wallPerStep: runs.map(({ wallMs, calls: steps }) => (wallMs * 1000) / steps),
      peakRss: [process.resourceUsage().maxRSS / 1024],
    },
    notes: [
      ...notes,
      ...(missing > 0 ? [`${missing} samples cut off and left out`] : []),
      ...cutOffNotes(
        runs.map(({ calls: steps }) => steps),
        wanted,
      ),
    ],
  };
}

/** The samples of a workload, at its moment in the life of the process. */
async function sampleRuns(
  workload: Workload,
  plan: ProgramPlan,
  run: (now?: Workload, limitMs?: number) => Promise<void>,
): Promise<Sampling> {
  const when = workload.kind === 'parallel' ? undefined : workload.when;
  switch (when) {
    case 'first':
      return { samples: [await takeSample(run)], notes: [] };
    case 'warm':
    case 'after-collection':
      return await takeSamples(
        { ...plan, warmUps: plan.effort === 'tiny' ? 0 : wholeWarmUps },
        {
          warmUp: () => run(workload, plan.limitMs / 2),
          run: () => run(),
          ...(when === 'warm' ? {} : { prepare: collectGarbage }),
        },
      );
    case undefined:
      return await takeSamples(plan, {
        warmUp: () => run(shorten(workload, warmUpCalls), plan.limitMs / 2),
        run: () => run(),
      });
  }
}

/** What was cut off says less than a whole run; the longest is taken where there is no whole one. */
function completeOnes<Run extends { readonly calls: number }>(
  runs: readonly Run[],
  wanted: number,
): readonly Run[] {
  const most = Math.min(wanted, Math.max(...runs.map(({ calls }) => calls)));
  return runs.filter(({ calls }) => calls >= most);
}

function cutOffNotes(counted: readonly number[], wanted: number): readonly string[] {
  const least = Math.min(...counted);
  return least < wanted ? [`cut off after ${least} of ${wanted} calls, which flatters`] : [];
}
