import { formatNumber, formatRatio, formatTarget } from './format-table.ts';
import type { ContenderResult, RowResult, TargetResult } from './judge-rows.ts';

const headings = ['row', 'weakincentives', '× fastest peer', 'by hand', 'others', 'target'];

/** The names of packages without what they do not need in a table. */
const shortNames: Readonly<Record<string, string>> = {
  '@earendil-works/pi-agent-core': 'pi',
  '@mariozechner/pi-agent-core': 'old pi',
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
