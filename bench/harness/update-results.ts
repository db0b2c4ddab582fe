import { formatNumber } from './format-table.ts';
import type { RowResult } from './judge-rows.ts';
import { formatMachine, type MachineFacts } from './machine.ts';
import { markdownNotes, markdownTable, shortComparison, targetText } from './markdown-table.ts';

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

/** The parts of one report that are tables, with the beginnings of the ids of their rows. */
const tables: Readonly<Record<string, readonly string[]>> = {
  trace: ['trace-'],
  start: ['first-request', 'import-', 'wink-'],
  loop: ['loop-', 'parallel-', 'peak-'],
  scale: ['scale-'],
  on: ['policies', 'observer', 'telemetry', 'record'],
  disk: ['disk-'],
};
/** What is measured in runs of its own, too: their parts say on which machine. */
const apart: Readonly<Record<string, readonly string[]>> = { journal: ['journal-'], mcp: ['mcp-'] };

const isOf =
  (beginnings: readonly string[]) =>
  ({ id }: RowResult): boolean =>
    beginnings.some((beginning) => id.startsWith(beginning));
const isApart = isOf(Object.values(apart).flat());
const isElsewhere = isOf([...Object.values(tables), ...Object.values(apart)].flat());

/** What a block of one report may hold: `node-20 loop`, for the report of a run on Node 20. */
const contents: Readonly<Record<string, (report: BenchReport) => string>> = {
  machine: machineText,
  parts: ({ rows }) => markdownTable(rows.filter((row) => !isElsewhere(row))),
  notes: ({ rows }) => markdownNotes(rows),
  missed: ({ rows }) => missedTargets(rows),
  ...Object.fromEntries(
    Object.entries(tables).map(([part, beginnings]) => [
      part,
      ({ rows }: BenchReport) => markdownTable(rows.filter(isOf(beginnings))),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(apart).map(([part, beginnings]) => [
      part,
      (report: BenchReport) => apartText(report, isOf(beginnings)),
    ]),
  ),
};

/** What a block of all reports side by side may hold. */
const together: Readonly<Record<string, (reports: readonly BenchReport[]) => string>> = {
  ratios: ratioTable,
  costs: costTable,
};

/**
 * Writes reports into the generated parts of a text, those between `<!-- begin NAME -->` and `<!-- end -->`. NAME is `ratios` or `costs`, for
 * all reports side by side, or `node-20 PART`, where PART is one of `machine`, `missed`, `trace`, `start`, `loop`, `scale`, `on`, `disk`, `parts`,
 * `notes`, `journal` and `mcp`. The last two say on which machine they were measured: a report that has rows of theirs alone writes nothing else. A part
 * of a Node without a report stays as it is, and so does a part that the report has no row of.
 *
 * Reports of one Node count as one: of a row that several have, the last one counts, and the machine is that of the one with the most rows.
 *
 * @throws {Error} for a NAME that is not known, and a report whose Node has no part in the text
 */
export function updateResults(text: string, reports: readonly BenchReport[]): string {
  const byNode = putTogether(reports);
  const used = new Set<string>();
  const updated = text.replaceAll(block, (whole: string, begin: string, name: string, end: string) => {
    const table = together[name];
    if (table !== undefined) {
      for (const node of byNode.keys()) used.add(node);
      const others = [...byNode.values()].filter(hasMore);
      return others.length === 0 ? whole : `${begin}\n${table(others)}\n\n${end}`;
    }
    const [node = '', part = ''] = name.split(' ');
    const content = contents[part];
    if (content === undefined) throw new Error(`RESULTS.md has a part "${name}", which is not known.`);
    const report = byNode.get(node);
    if (report === undefined) return whole;
    used.add(node);
    const beginnings = apart[part] ?? tables[part];
    if (beginnings === undefined ? !hasMore(report) : !report.rows.some(isOf(beginnings))) return whole;
    return `${begin}\n${content(report)}\n\n${end}`;
  });
  const unused = [...byNode.keys()].find((node) => !used.has(node));
  if (unused !== undefined) throw new Error(`RESULTS.md has no part for ${unused}.`);
  return updated;
}

/** One report for each Node, with the machine of the one that has the most rows; of several, that of the last one. */
function putTogether(reports: readonly BenchReport[]): ReadonlyMap<string, BenchReport> {
  const nodes = [...new Set(reports.map(nodeOf))];
  return new Map(
    nodes.map((node) => {
      const own = reports.filter((report) => nodeOf(report) === node);
      const largest = own.reduce((most, each) => (each.rows.length >= most.rows.length ? each : most));
      const rows = new Map(own.flatMap((report) => report.rows).map((row) => [row.id, row]));
      return [node, { ...largest, rows: [...rows.values()] }];
    }),
  );
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

function apartText(report: BenchReport, isOfPart: (row: RowResult) => boolean): string {
  const rows = report.rows.filter(isOfPart);
  return [machineText(report), markdownTable(rows), markdownNotes(rows)].join('\n\n');
}

/** The rows that have a peer of those that most readers look for, but for wall times beside CPU times. */
function ratioTable(reports: readonly BenchReport[]): string {
  const ids = (reports[0]?.rows ?? [])
    .filter((row) => shortComparison(row) !== undefined)
    .map(({ id }) => id)
    .filter((id, _index, all) => !id.endsWith('-wall') || !all.includes(id.replace(/-wall$/, '')));
  return sideBySide(
    'row',
    reports,
    ids.map((id) => [
      `\`${id}\``,
      (row) => {
        const found = row(id);
        return found && shortComparison(found);
      },
    ]),
  );
}

/** What a guide says that a step takes. */
const costs: readonly (readonly [what: string, id: string, contender?: string])[] = [
  ['A turn with one call, in a warm process: CPU', 'loop-1000-warm'],
  ['the same in the first 1,000 turns of a process', 'loop-first-1000'],
  ['without policies', 'policies-warm', 'without'],
  ['with an observer that does nothing', 'observer-warm'],
  ['with spans for OpenTelemetry', 'telemetry-warm'],
  ['with a record of the run', 'record-warm'],
  ['A turn with a file in memory, after a few such runs: CPU', 'journal-loop', 'no journal'],
  ['with a journal in memory', 'journal-loop', 'in memory'],
  ['with a journal in a file', 'journal-loop'],
  ['A call that changes a file of a folder of 10,000: wall time', 'disk-commit-1-wall'],
  ['A call in a sandbox of bubblewrap: wall time', 'sandbox-start'],
  ['A call served over MCP, with its client: CPU', 'mcp-call'],
  ['A session that waits for its model: heap', 'scale-1000-sessions-heap'],
];

function costTable(reports: readonly BenchReport[]): string {
  return sideBySide(
    '',
    reports,
    costs.map(([what, id, name = 'weakincentives']) => [
      what,
      (row) => {
        const found = row(id);
        const median = found?.contenders.find((contender) => contender.name === name)?.spread?.median;
        return found === undefined || median === undefined
          ? undefined
          : `${formatNumber(median)} ${found.unit}`;
      },
    ]),
  );
}

type CellOf = (row: (id: string) => RowResult | undefined) => string | undefined;

/** One line for each thing, with a column for each report. */
function sideBySide(
  first: string,
  reports: readonly BenchReport[],
  lines: readonly (readonly [name: string, cellOf: CellOf])[],
): string {
  const headings = [first, ...reports.map(({ machine }) => `Node ${machine.node}`)];
  const cells = lines.map(([name, cellOf]) => [
    name,
    ...reports.map(({ rows }) => cellOf((id) => rows.find((row) => row.id === id)) ?? '–'),
  ]);
  return [headings, headings.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function missedTargets(rows: readonly RowResult[]): string {
  const missed = rows.flatMap(({ id, unit, targets }) =>
    targets
      .filter(({ outcome }) => outcome === 'missed')
      .map((target) => `- \`${id}\`: ${targetText(target, unit)}`),
  );
  return missed.length > 0 ? missed.join('\n') : 'Every target was met.';
}
