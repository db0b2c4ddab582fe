import { readFileSync } from 'node:fs';
import type { BenchRow } from './row.ts';

/** @returns the packages to compare with, as `bench/package.json` lists them */
export function readPackages(manifestFile: string): readonly string[] {
  const { dependencies } = JSON.parse(readFileSync(manifestFile, 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies);
}

/** @returns the package that a contender is named after, if any */
export function packageOf(name: string, packages: readonly string[]): string | undefined {
  return packages.find((known) => name === known || name.startsWith(`${known} `));
}

/** @returns the rows without contenders whose package is missing, and the names of those contenders */
export function leaveOutPackages(
  rows: readonly BenchRow[],
  packages: readonly string[],
): { readonly rows: readonly BenchRow[]; readonly leftOut: readonly string[] } {
  const isPackage = ({ name }: { readonly name: string }) => packageOf(name, packages) !== undefined;
  return {
    rows: rows
      .map((row) => ({ ...row, contenders: row.contenders.filter((contender) => !isPackage(contender)) }))
      .filter(({ contenders }) => contenders.length > 0),
    leftOut: [
      ...new Set(rows.flatMap(({ contenders }) => contenders.filter(isPackage).map(({ name }) => name))),
    ],
  };
}
