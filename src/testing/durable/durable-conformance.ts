import { assertOptions } from '../../core/error/index.ts';
import { once } from '../../core/internal/index.ts';
import type { ConformanceCase } from '../conformance/index.ts';
import { type CaseKey, cases } from './case-list.ts';
import type { DurableConformanceOptions } from './options.ts';
import type { DurableFiles } from './outcome.ts';

/**
 * The requirements on every journal, as cases for any test runner: `for (const { name, run } of durableConformance(options)) test(name, run)`.
 *
 * Each case runs a scripted agent in a process of its own, kills or stops it at some of its points, goes on with the run in another
 * process, and compares what is left with what an uninterrupted run leaves: session with LOG and policy facts, files with modes and links,
 * conversation, usage, effects outside, resources, answer. What may differ is in the specification. Cases share nothing but that
 * uninterrupted run, and leave nothing in the temporary folder of the machine.
 *
 * Needs Node and a system with signals; two processes run at a time.
 *
 * @see docs/spec/durable-runs.md §10
 */
export function durableConformance(options: DurableConformanceOptions): readonly ConformanceCase[] {
  assertOptions('durableConformance()', options, {
    name: 'string!',
    open: 'object!',
    files: 'array',
    killsPerCase: 'number',
    seed: 'number',
    onOutcome: 'function',
  });
  const { name, files: wanted = ['memory', 'folder'] } = options;
  // What needs Node is loaded by the first case: this entry runs anywhere.
  const matrix = once(async () => {
    const { Matrix } = await import('./parent/matrix.ts');
    return new Matrix(options);
  });
  return cases.flatMap(({ key, name: what, files }) =>
    wanted
      .filter((each) => files.includes(each))
      .map((each) => ({
        name: `${name}, files in ${each === 'memory' ? 'memory' : 'a folder'}: ${what}`,
        run: () => runCase(matrix, key, each),
      })),
  );
}

async function runCase(
  matrix: () => Promise<{ run(key: CaseKey, files: DurableFiles): Promise<void> }>,
  key: CaseKey,
  files: DurableFiles,
): Promise<void> {
  await (await matrix()).run(key, files);
}
