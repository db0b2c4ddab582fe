import { formatNumber, formatRatio, formatTarget } from './format-table.ts';
import type { ContenderResult, RowResult, TargetResult } from './judge-rows.ts';

const headings = [
  'row',
  'weakincentives',
  '× pi',
  '× old pi',
  '× fastest peer',
  'by hand',
  'others',
  'target',
];

/** The newest pi, and the package that had its name before. */
const pi = '@earendil-works/pi-agent-core';
const oldPi = '@mariozechner/pi-agent-core';

/** The names of packages without what they do not need in a table. */
const shortNames: Readonly<Record<string, string>> = {
  [pi]: 'pi',
  [oldPi]: 'old pi',
  '@tanstack/ai': 'tanstack',
  '@openai/agents': 'openai-agents',
  '@langchain/langgraph': 'langgraph',
};

/** One table of Markdown; `†` marks a contender that {@link markdownNotes} has something to say about. */
export function markdownTable(rows: readonly RowResult[]): string {
  return [headings, headings.map(() => '---'), ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** What a reader has to know of single figures, one item each. */
export function markdownNotes(rows: readonly RowResult[]): string {
  const items = rows.flatMap(({ id, contenders }) =>
    contenders.flatMap(({ name, notes, failures }) =>
      [...notes, ...failures].map((note) => `- \`${id}\`, ${nameOf(name)}: ${note}`),
    ),
  );
  return items.length > 0 ? items.join('\n') : 'No sample was left out.';
}

/** @returns the contender's name as the tables have it */
export function nameOf(name: string): string {
  return shortNames[name] ?? name;
}

/** The library's median over that of a contender; `undefined` without both. */
function ratioTo({ contenders }: RowResult, name: string): string | undefined {
  const median = (wanted: string) => contenders.find((one) => one.name === wanted)?.spread?.median;
  const own = median('weakincentives');
  const other = median(name);
  return own === undefined || other === undefined || other === 0 ? undefined : formatRatio(own / other);
}

/** The library against those that most readers look for, such as `0.8 × pi, 0.4 × ai-7 (22.0 µs)`; `undefined` without one of them. */
export function shortComparison(row: RowResult): string | undefined {
  const own = row.contenders.find(({ name }) => name === 'weakincentives')?.spread;
  const ratios = [pi, oldPi, 'ai-7', '@openai/agents'].flatMap((name) => {
    const ratio = ratioTo(row, name);
    return ratio === undefined ? [] : [`${ratio} × ${nameOf(name)}`];
  });
  if (own === undefined || ratios.length === 0) return undefined;
  return `${ratios.join(', ')} (${formatNumber(own.median)} ${row.unit})`;
}

/** @returns the target with its outcome, contenders called as in the tables */
export function targetText(target: TargetResult, unit: RowResult['unit']): string {
  const { comparedTo } = target;
  const named = typeof comparedTo === 'string' ? { comparedTo: nameOf(comparedTo) } : {};
  return formatTarget({ ...target, ...named }, unit);
}

function cellsOf(row: RowResult): readonly string[] {
  const own = row.contenders.find(({ name }) => name === 'weakincentives');
  const floor = row.contenders.find(({ name }) => name === 'by hand');
  const others = row.contenders
    .filter((contender) => contender !== own && contender !== floor)
    .sort((a, b) => medianOf(a) - medianOf(b));
  return [
    `${row.title} (${row.unit}) \`${row.id}\``,
    spreadCell(own),
    ratioTo(row, pi) ?? '–',
    ratioTo(row, oldPi) ?? '–',
    own?.toFastestPeer === undefined ? '–' : formatRatio(own.toFastestPeer),
    spreadCell(floor),
    others.map((one) => `${nameOf(one.name)} ${medianCell(one)}`).join(', ') || '–',
    row.targets.map((target) => targetText(target, row.unit)).join('; ') || '–',
  ];
}

/** Those without a sample come last. */
function medianOf({ spread }: ContenderResult): number {
  return spread?.median ?? Number.MAX_VALUE;
}

function spreadCell(contender: ContenderResult | undefined): string {
  if (contender?.spread === undefined) return '–';
  const { min, max } = contender.spread;
  return `${medianCell(contender)} (${formatNumber(min)}–${formatNumber(max)})`;
}

function medianCell({ spread, notes, failures }: ContenderResult): string {
  const figure = spread === undefined ? '–' : formatNumber(spread.median);
  return notes.length + failures.length > 0 ? `${figure} †` : figure;
}
