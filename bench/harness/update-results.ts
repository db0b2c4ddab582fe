import { formatNumber, formatRatio } from './format-table.ts';
import type { RowResult } from './judge-rows.ts';
import { formatMachine, type MachineFacts } from './machine.ts';
import { markdownNotes, markdownTable, nameOf, targetText } from './markdown-table.ts';

/** What a run leaves as JSON. */
export interface BenchReport {
  readonly effort: string;
  readonly passes: number;
  /** Whether it was stopped before its end. */
  readonly stopped: boolean;
  readonly machine: MachineFacts;
  readonly loadAverageAtEnd: number;
  readonly rows: readonly RowResult[];
}

const block = /(<!-- begin ([^>]+) -->\n)[\s\S]*?(<!-- end -->)/g;

const isLoop = ({ id }: RowResult): boolean => /^(loop|parallel|peak)-/.test(id);
const isScale = ({ id }: RowResult): boolean => id.startsWith('scale-');
/** What is measured in runs of its own, too, by the part that has its rows. */
const apart: Readonly<Record<string, (row: RowResult) => boolean>> = {
  journal: ({ id }) => id.startsWith('journal-'),
  mcp: ({ id }) => id.startsWith('mcp-'),
};
const isApart = (row: RowResult): boolean => Object.values(apart).some((isOf) => isOf(row));

/** What a block of one report may hold: `node-20 loop`, for the report of a run on Node 20. */
const contents: Readonly<Record<string, (report: BenchReport) => string>> = {
  machine: machineText,
  loop: ({ rows }) => markdownTable(rows.filter(isLoop)),
  parts: ({ rows }) => markdownTable(rows.filter((row) => !isLoop(row) && !isScale(row) && !isApart(row))),
  scale: ({ rows }) => markdownTable(rows.filter(isScale)),
  notes: ({ rows }) => markdownNotes(rows),
  missed: ({ rows }) => missedTargets(rows),
  ...Object.fromEntries(
    Object.entries(apart).map(([part, isOf]) => [part, (report) => apartText(report, isOf)]),
  ),
};

/**
 * Writes reports into the generated parts of a text, those between `<!-- begin NAME -->` and `<!-- end -->`. NAME is `ratios`, for
 * all reports side by side, or `node-20 PART`, where PART is one of `machine`, `loop`, `parts`, `scale`, `notes`, `missed`, `journal` and `mcp`. The last
 * two say on which machine they were measured: a report that has rows of theirs alone writes nothing else. A part of a Node without a report stays as it is, and so do those
 * two when the report has none of their rows.
 *
 * @throws {Error} for a NAME that is not known, two reports of one Node, and a report whose Node has no part in the text
 */
export function updateResults(text: string, reports: readonly BenchReport[]): string {
  const byNode = new Map(reports.map((report) => [nodeOf(report), report]));
  if (byNode.size < reports.length) throw new Error('There are two reports of the same version of Node.');
  const used = new Set<string>();
  const updated = text.replaceAll(block, (whole: string, begin: string, name: string, end: string) => {
    if (name === 'ratios') {
      const others = reports.filter(hasMore);
      return others.length === 0 ? whole : `${begin}\n${ratioTable(others)}\n\n${end}`;
    }
    const [node = '', part = ''] = name.split(' ');
    const content = contents[part];
    if (content === undefined) throw new Error(`RESULTS.md has a part "${name}", which is not known.`);
    const report = byNode.get(node);
    if (report === undefined) return whole;
    used.add(node);
    const isOf = apart[part];
    if (isOf === undefined ? !hasMore(report) : !report.rows.some(isOf)) return whole;
    return `${begin}\n${content(report)}\n\n${end}`;
  });
  const unused = [...byNode.keys()].find((node) => !used.has(node));
  if (unused !== undefined) throw new Error(`RESULTS.md has no part for ${unused}.`);
  return updated;
}

const hasMore = ({ rows }: BenchReport): boolean => !rows.every(isApart);

/** `node-20` for v20.20.2. */
function nodeOf({ machine }: BenchReport): string {
  return `node-${machine.node.replace(/^v/, '').split('.')[0]}`;
}

function machineText({ machine, passes, effort, loadAverageAtEnd }: BenchReport): string {
  const effortText = effort === 'full' ? '' : ` --${effort}`;
  const load = Math.max(machine.loadAverageAtStart, loadAverageAtEnd);
  return [
    ...formatMachine(machine, loadAverageAtEnd).split('\n'),
    `\`npm run bench --${effortText} --passes ${passes}\``,
    ...(load > machine.cores ? ['**The machine was busy: wall times mean nothing, ratios little.**'] : []),
  ]
    .map((line) => `- ${line}`)
    .join('\n');
}

function apartText(report: BenchReport, isOf: (row: RowResult) => boolean): string {
  const rows = report.rows.filter(isOf);
  return [machineText(report), markdownTable(rows), markdownNotes(rows)].join('\n\n');
}

/** The rows of the loop whose CPU and wall time are both there: the library's median over that of the fastest peer, for each report. */
function ratioTable(reports: readonly BenchReport[]): string {
  const rowsOf = (report: BenchReport) => new Map(report.rows.map((row) => [row.id, row]));
  const columns = reports.map((report) => ({ node: report.machine.node, rows: rowsOf(report) }));
  const ids = [...(columns[0]?.rows.keys() ?? [])].filter((id) => columns[0]?.rows.has(`${id}-wall`));
  const headings = ['row', ...columns.flatMap(({ node }) => [`Node ${node}: CPU`, 'wall time'])];
  const lines = ids.map((id) => [
    `\`${id}\``,
    ...columns.flatMap(({ rows }) => [ratioCell(rows.get(id)), ratioCell(rows.get(`${id}-wall`))]),
  ]);
  return [headings, headings.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function ratioCell(row: RowResult | undefined): string {
  const own = row?.contenders.find(({ name }) => name === 'weakincentives');
  if (own?.spread === undefined || own.toFastestPeer === undefined) return '–';
  const fastest = row?.contenders.find(({ toFastestPeer }) => toFastestPeer === 1);
  const peer = fastest === undefined ? '' : ` × ${nameOf(fastest.name)}`;
  return `${formatRatio(own.toFastestPeer)}${peer} (${formatNumber(own.spread.median)} µs)`;
}

function missedTargets(rows: readonly RowResult[]): string {
  const missed = rows.flatMap(({ id, unit, targets }) =>
    targets
      .filter(({ outcome }) => outcome === 'missed')
      .map((target) => `- \`${id}\`: ${targetText(target, unit)}`),
  );
  return missed.length > 0 ? missed.join('\n') : 'Every target was met.';
}
