import type { BenchRow } from './row.ts';

/** What `--list` shows. */
export function formatList(rows: readonly BenchRow[]): string {
  const width = Math.max(...rows.map(({ id }) => id.length));
  return rows
    .map(({ id, title, unit, contenders }) => {
      const names = contenders.map(({ name }) => name).join(', ');
      return `${id.padEnd(width)}  ${title} (${unit})\n${' '.repeat(width)}  ${names}`;
    })
    .join('\n');
}
