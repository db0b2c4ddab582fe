import { readFileSync } from 'node:fs';
import type { ProgramPlan } from './program.ts';

/** Time of one run of the measured work. */
export interface Sample {
  /** User and system time of the process, including its garbage collection and compiler threads. */
  readonly cpuMs: number;
  /** Time of the main thread alone, on which the library runs; 0 where the system does not report it. */
  readonly mainMs: number;
  readonly wallMs: number;
}

export interface Sampling {
  readonly samples: readonly Sample[];
  readonly notes: readonly string[];
}

/**
 * Takes the samples of a program: one collection of garbage, warm-up for at most half of the time, then one run for each sample. At least one
 * sample is taken, and none begins after `plan.limitMs`; a note says so. An error thrown by the work ends the program.
 *
 * @param work with `prepare`, which is not measured, before each sample.
 */
export async function takeSamples(
  plan: ProgramPlan,
  work: { readonly run: () => unknown; readonly warmUp?: () => unknown; readonly prepare?: () => void },
): Promise<Sampling> {
  collectGarbage();
  const startMs = performance.now();
  const endMs = startMs + plan.limitMs;
  const warmMs = startMs + plan.limitMs / 2;
  for (let count = 0; count < plan.warmUps && performance.now() < warmMs; count += 1) {
    await (work.warmUp ?? work.run)();
  }
  const samples: Sample[] = [];
  while (samples.length < plan.samples && (samples.length === 0 || performance.now() < endMs)) {
    work.prepare?.();
    samples.push(await takeSample(work.run));
  }
  const missing = plan.samples - samples.length;
  const limit = `${plan.limitMs / 1000} s`;
  return {
    samples,
    notes: missing > 0 ? [`${samples.length} of ${plan.samples} samples in ${limit}`] : [],
  };
}

/** One run of the work. Nothing is collected before it: see `collectGarbage()`. */
export async function takeSample(run: () => unknown): Promise<Sample> {
  const mainStartMs = mainThreadMs();
  const startMs = performance.now();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  const wallMs = performance.now() - startMs;
  return { cpuMs: (user + system) / 1000, mainMs: mainThreadMs() - mainStartMs, wallMs };
}

/**
 * Programs are run with `--expose-gc`. A forced collection discards compiled code that a natural one keeps: V8 keeps the hidden classes of dead
 * objects for two collections, but not in a forced one. So it precedes a measured run only in the row that is about it.
 */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('Run this program with node --expose-gc.');
  globalThis.gc();
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * How long this thread has been on a processor, in ms: Linux reports it (the first figure of schedstat, in ns). The system counts when the thread
 * leaves its processor, so it does so for a moment.
 */
function mainThreadMs(): number {
  if (process.platform !== 'linux') return 0;
  Atomics.wait(pause, 0, 0, 0.01);
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1_000_000;
}
