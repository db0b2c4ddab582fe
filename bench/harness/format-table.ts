import type { ContenderResult, RowResult, TargetResult } from './judge-rows.ts';

const headings = ['', 'median', 'min–max', 'n', '× floor', '× fastest peer', ''] as const;

/** One block of text for each row: its contenders with notes, and its targets. */
export function formatRows(rows: readonly RowResult[]): string {
  const lines = rows.map((row) => row.contenders.map((contender) => cellsOf(contender, row.unit)));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...lines.flat().map((cells) => cells[column]?.length ?? 0)),
  );
  const toLine = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 || column === headings.length - 1 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return rows
    .map((row, index) =>
      [
        `${row.title} (${row.unit}) [${row.id}]`,
        `  ${toLine(headings)}`,
        ...(lines[index] ?? []).map((cells) => `  ${toLine(cells)}`),
        ...row.targets.map((target) => `  target ${formatTarget(target, row.unit)}`),
        '',
      ].join('\n'),
    )
    .join('\n');
}

function cellsOf(result: ContenderResult, unit: RowResult['unit']): readonly string[] {
  const { name, spread, toFloor, toFastestPeer, notes, failures } = result;
  const remarks = [...failures.map((failure) => `FAILED: ${failure}`), ...notes].join('; ');
  if (spread === undefined) return [name, '–', '', '', '', '', remarks];
  return [
    name,
    `${formatNumber(spread.median)} ${unit}`,
    `${formatNumber(spread.min)}–${formatNumber(spread.max)}`,
    String(spread.count),
    toFloor === undefined ? '' : formatNumber(toFloor),
    toFastestPeer === undefined ? '' : formatNumber(toFastestPeer),
    remarks,
  ];
}

/** A target with its outcome, on one line. */
export function formatTarget({ factor, comparedTo, outcome, measured }: TargetResult, unit: string): string {
  const limit =
    comparedTo === undefined
      ? `≤ ${factor} ${unit}`
      : `≤ ${factor} × ${typeof comparedTo === 'string' ? comparedTo : `${comparedTo.contender} in ${comparedTo.row}`}`;
  return `${limit}: ${outcome}${measured === undefined ? '' : ` (${comparedTo === undefined ? formatNumber(measured) : formatRatio(measured)})`}`;
}

/** Two significant digits, whole numbers from 10 on. */
export function formatRatio(ratio: number): string {
  return Math.abs(ratio) >= 9.95 ? Math.round(ratio).toLocaleString('en-US') : ratio.toPrecision(2);
}

/** Three significant digits, whole numbers from 100 on. */
export function formatNumber(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(Math.abs(value) < 0.01 ? 2 : 3);
}
