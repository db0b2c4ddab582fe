import type { Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One function that a trip calls. */
export interface FunctionCalls {
  /** The source file, relative to the folder of the sources. */
  readonly file: string;
  readonly name: string;
  /** Where it begins in the compiled file, in characters. */
  readonly offset: number;
  /** Average number per repetition. */
  readonly calls: number;
}

/**
 * The functions that one more repetition calls, from the calls of a short and of a long run. Functions without a name are
 * left out, and those that fewer than every second repetition calls, such as a pause for the event loop.
 * @param repetitions by how many the long run was longer
 */
export function callsOfOne(
  short: readonly Profiler.ScriptCoverage[],
  long: readonly Profiler.ScriptCoverage[],
  repetitions: number,
  folder: string,
): readonly FunctionCalls[] {
  const before = new Map(
    functionsOf(short, folder).map((found) => [`${found.file}:${found.offset}`, found.calls]),
  );
  return functionsOf(long, folder)
    .map((found) => ({
      ...found,
      calls: (found.calls - (before.get(`${found.file}:${found.offset}`) ?? 0)) / repetitions,
    }))
    .filter(({ calls }) => calls >= 0.5)
    .sort((one, other) => compareText(one.file, other.file) || one.offset - other.offset);
}

function functionsOf(scripts: readonly Profiler.ScriptCoverage[], folder: string): readonly FunctionCalls[] {
  return scripts.flatMap(({ url, functions }) => {
    const file = url.startsWith('file:') ? relative(folder, fileURLToPath(url)) : '..';
    if (file.startsWith('..')) return [];
    return functions.flatMap(({ functionName: name, ranges: [whole] }) =>
      name === '' || whole === undefined
        ? []
        : [{ file: file.replace(/\.js$/, '.ts'), name, offset: whole.startOffset, calls: whole.count }],
    );
  });
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
