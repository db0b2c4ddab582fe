import { posix } from 'node:path';
import { type CompareResults, scriptOf, shortOf } from './results.ts';
import {
  type CellRowId,
  cellName,
  compareIssues,
  compareRows,
  compareSystems,
  type RowId,
  type SystemId,
} from './rows.ts';

const begin = '<!-- compare:begin -->';
const end = '<!-- compare:end -->';

/**
 * The table as Markdown: versions in the head, a link from every cell to its script, the date below.
 *
 * @param file the document that it is for, from the root of the repository: links are relative to it
 */
export function compareTable(results: CompareResults, file: string): string {
  const { date, versions } = results;
  const link = (row: RowId, system: SystemId) => {
    const name = cellName({ row, system });
    const outcome = results.cells[name];
    const text = outcome === undefined ? 'no result' : shortOf(outcome);
    return `[${text}](${posix.relative(posix.dirname(file), scriptOf(name))})`;
  };
  const lines = [
    ['', ...compareSystems.map(({ id, title }) => `${title} ${versions[id]}`)],
    ['---', ...compareSystems.map(() => '---')],
    ...compareRows.map(({ id, title }) => [title, ...compareSystems.map((system) => link(id, system.id))]),
  ];
  const readme = posix.relative(posix.dirname(file), 'bench/compare/README.md');
  return [
    ...lines.map((cells) => `| ${cells.join(' | ')} |`.replace('|  |', '| |')),
    '',
    `Run on ${date}. [How it is kept fair](${readme}#fairness)`,
  ].join('\n');
}

/** The reason of every result, a list for each row, then for each issue. */
export function compareReasons(results: CompareResults): string {
  const all = compareSystems.map(({ id }) => id);
  return [...compareRows.map((row) => ({ ...row, systems: all })), ...compareIssues]
    .map(({ id, title, systems }) => {
      const items = systems.map((system) => reasonOf(results, id, system));
      return [`### ${posix.basename(id)}`, '', `${title}.`, '', ...items].join('\n');
    })
    .join('\n\n');
}

function reasonOf({ cells }: CompareResults, row: CellRowId, system: SystemId): string {
  const name = cellName({ row, system });
  const title = compareSystems.find(({ id }) => id === system)?.title;
  const outcome = cells[name];
  if (outcome === undefined) return `- ${title}: no result`;
  return `- [${title}](${name}.ts): **${shortOf(outcome)}**. ${outcome.reason}`;
}

/**
 * A document with the table between its markers, and the reasons where it has markers for them.
 *
 * @throws {Error} when the markers of the table are missing
 */
export function withTable(text: string, results: CompareResults, file: string): string {
  const table = between(text, begin, end, compareTable(results, file));
  if (table === undefined) throw new Error(`${file} has no ${begin} and ${end}.`);
  return between(table, '<!-- reasons:begin -->', '<!-- reasons:end -->', compareReasons(results)) ?? table;
}

function between(text: string, from: string, to: string, content: string): string | undefined {
  const start = text.indexOf(from);
  const stop = text.indexOf(to, start);
  if (start < 0 || stop < 0) return undefined;
  return `${text.slice(0, start + from.length)}\n\n${content}\n\n${text.slice(stop)}`;
}
