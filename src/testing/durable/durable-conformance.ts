import { assertOptions } from '../../core/error/index.ts';
import { once } from '../../core/internal/index.ts';
import type { ConformanceCase } from '../conformance/conformance-case.ts';
import { type CaseKey, cases, isRunWith } from './case-list.ts';
import type { DurableConformanceOptions, DurableFiles } from './options.ts';

/**
 * The requirements on every journal, as cases for any test runner: `for (const { name, run } of durableConformance(options)) test(name, run)`.
 *
 * Each case runs a scripted agent in a process of its own, kills or stops it at some of its points, continues the run in another
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
    ledger: 'boolean',
    killsPerCase: 'number',
    seed: 'number',
    onOutcome: 'function',
  });
  const { name, files: wanted = ['memory', 'folder'], ledger = true } = options;
  const matrix = once(async () => new (await loadMatrix()).Matrix(options));
  // The keys of an object are those of its type.
  return (Object.keys(cases) as readonly CaseKey[]).flatMap((key) =>
    wanted
      .filter((files) => isRunWith(key, files))
      .map((files) => {
        const title = `${name}, files in ${files === 'memory' ? 'memory' : 'a folder'}: ${cases[key]}`;
        return key === 'once' && !ledger
          ? { name: `${title} (skipped: ${noLedger})`, skipped: noLedger, run: async () => undefined }
          : { name: title, run: async () => (await matrix()).run(key, files) };
      }),
  );
}

const noLedger = 'the journal has no ledger';

/** The module of the matrix. */
interface MatrixModule {
  readonly Matrix: new (
    options: DurableConformanceOptions,
  ) => { run(key: CaseKey, files: DurableFiles): Promise<void> };
}

/**
 * Loads what needs Node, by the first case: this entry runs anywhere. Not by a literal, which a bundler for a browser would follow. Built, it is a module of its
 * own, and this module is part of a file one folder below that of the build.
 */
async function loadMatrix(): Promise<MatrixModule> {
  const path = import.meta.url.endsWith('.ts') ? './parent/matrix.ts' : '../testing/durable/parent/matrix.js';
  // Both are of one version.
  return (await import(/* @vite-ignore */ new URL(path, import.meta.url).href)) as MatrixModule;
}
