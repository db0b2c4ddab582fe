import type { JsonObject } from 'weakincentives';
import type { BenchRow, Contender } from '../harness/row.ts';

export const ours = 'weakincentives';

/** Contenders of one program: how each is called in the table, and its settings over the common ones. */
export function contend(
  program: string,
  figure: string,
  common: JsonObject,
  those: Readonly<Record<string, JsonObject>>,
): readonly Contender[] {
  return Object.entries(those).map(([name, settings]) => ({
    name,
    program: `cases/${program}`,
    settings: { ...common, ...settings },
    figure,
  }));
}

/** Rows of the library alone: one operation in a small size and in a large one, which is to cost about the same. */
export function growthRows(
  row: Pick<BenchRow, 'unit'> & { readonly id: string; readonly title: (size: string) => string },
  measure: Pick<Contender, 'program' | 'figure'> & { readonly settings: (size: number) => JsonObject },
  sizes: { readonly small: number; readonly large: number; readonly factor: number },
): readonly BenchRow[] {
  const { small, large, factor } = sizes;
  return [small, large].map((size) => ({
    id: `${row.id}-${size}`,
    title: row.title(size.toLocaleString('en-US')),
    unit: row.unit,
    contenders: [
      {
        name: ours,
        program: measure.program,
        settings: measure.settings(size),
        figure: measure.figure,
        leftOutByQuick: size >= 1_000_000,
      },
    ],
    targets: size === small ? [] : [{ factor, comparedTo: { row: `${row.id}-${small}`, contender: ours } }],
  }));
}
