import type { JsonObject } from 'weakincentives';
import type { Effort, EffortPlan } from './effort.ts';
import type { Report, Sampling } from './row.ts';

/** Settings of every program, in addition to those of its contender. */
export interface ProgramPlan extends Pick<EffortPlan, 'samples' | 'warmUps' | 'limitMs'> {
  /** With `tiny` a program does the least that still shows that it works. */
  readonly effort: Effort;
}

/** What a program of an effort is given: what is fresh or takes long takes one sample. */
export function programPlan(
  { samples, warmUps, limitMs }: EffortPlan,
  effort: Effort,
  sampling: Sampling | undefined,
): ProgramPlan {
  return sampling === undefined
    ? { effort, samples, warmUps, limitMs }
    : { effort, samples: 1, warmUps: Math.min(1, warmUps), limitMs };
}

/**
 * Runs the body of a program: hands it the settings from the first argument, prints its report, and ends with exit code 1
 * and the reason on standard error when it throws. Settings are made in `bench/rows` and not checked again.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Programs say which settings their rows pass.
export async function runProgram<Settings extends JsonObject>(
  body: (settings: Settings, plan: ProgramPlan) => Promise<Report>,
): Promise<void> {
  try {
    const { plan, settings } = JSON.parse(process.argv[2] ?? '') as {
      readonly plan: ProgramPlan;
      readonly settings: Settings;
    };
    const report = await body(settings, plan);
    process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`, () => process.exit(1));
  }
}
