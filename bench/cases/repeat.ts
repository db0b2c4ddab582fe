import type { ProgramPlan } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSamples } from '../harness/samples.ts';

/** Work so short that a sample repeats it many times. */
export interface Repeated {
  /** Done this often in a sample; once with `tiny`. */
  readonly rounds: number;
  readonly run: (round: number) => unknown;
  /** Throws when the rounds did not do the measured work. */
  readonly check?: () => void;
}

/** CPU µs for one round, as the figure `each`. */
export async function measureRounds(plan: ProgramPlan, { rounds, run, check }: Repeated): Promise<Report> {
  const count = plan.effort === 'tiny' ? 1 : rounds;
  let done = 0;
  const { samples, notes } = await takeSamples(plan, {
    run: async () => {
      for (let round = 0; round < count; round += 1) {
        const outcome = run(done + round);
        if (outcome instanceof Promise) await outcome;
      }
      done += count;
    },
  });
  check?.();
  return { samples: { each: samples.map(({ cpuMs }) => (cpuMs * 1000) / count) }, notes };
}
