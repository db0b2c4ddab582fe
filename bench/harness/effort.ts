/** How thoroughly a run measures. `tiny` only shows that every program works: its figures are not judged. */
export type Effort = 'full' | 'quick' | 'tiny';

/** What an {@link Effort} means: for the harness, and for the programs, which get it with their settings. */
export interface EffortPlan {
  /** How often every program is run; each pass goes through all of them. */
  readonly passes: number;
  /** How many programs run at a time: 1 wherever figures count. */
  readonly concurrency: number;
  /** How many processes a pass starts for what is measured once a process. */
  readonly processes: number;
  /** How many samples a program takes for each of its figures. */
  readonly samples: number;
  /** How many short runs precede the first sample. */
  readonly warmUps: number;
  /** How long a program may measure; then it reports what it has. */
  readonly limitMs: number;
}

/** @param cores how many processors the machine has */
export function planEffort(effort: Effort, cores: number): EffortPlan {
  switch (effort) {
    case 'full':
      return { passes: 1, concurrency: 1, processes: 7, samples: 7, warmUps: 5, limitMs: 45_000 };
    case 'quick':
      return { passes: 1, concurrency: 1, processes: 3, samples: 5, warmUps: 3, limitMs: 3_000 };
    case 'tiny':
      return {
        passes: 1,
        concurrency: Math.max(1, cores),
        processes: 1,
        samples: 1,
        warmUps: 0,
        limitMs: 10_000,
      };
  }
}
