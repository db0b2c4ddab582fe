// What other systems do with the steps of an example of examples/issues: recorded results of bench/compare.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJiti } from 'jiti';

/** @typedef {typeof import('../../bench/compare/harness/rows.ts')} Rows */
/** @typedef {typeof import('../../bench/compare/harness/results.ts')} Results */
/** @typedef {import('../../bench/compare/harness/results.ts').CompareResults} CompareResults */

/**
 * @param {string} root the project
 * @returns {Promise<(row: string) => string | undefined>} gives the results of a row for a page of `guides/`, and `undefined` when there is
 *   no such row
 */
export async function comparedResults(root) {
  const harness = join(root, 'bench/compare/harness');
  if (!existsSync(harness)) return () => undefined;
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false });
  const { cellName, compareCells, compareIssues, compareRows, compareSystems } = /** @type {Rows} */ (
    await jiti.import(join(harness, 'rows.ts'))
  );
  const { resultsFile, scriptOf, shortOf } = /** @type {Results} */ (
    await jiti.import(join(harness, 'results.ts'))
  );
  /** @type {CompareResults} */
  const { date, versions, cells } = JSON.parse(readFileSync(join(root, resultsFile), 'utf8'));
  const rows = [...compareRows, ...compareIssues];

  return (name) => {
    const row = rows.find(({ id }) => id === name);
    if (row === undefined) return undefined;
    const lines = compareCells
      .filter((cell) => cell.row === row.id && cell.system !== 'wink')
      .map((cell) => {
        const outcome = cells[cellName(cell)];
        const title = compareSystems.find(({ id }) => id === cell.system)?.title;
        const what = outcome === undefined ? 'no result' : shortOf(outcome);
        const script = `../${scriptOf(cellName(cell))}`;
        return `| ${title} ${versions[cell.system]} | [${what}](${script}) | ${outcome?.reason ?? ''} |`;
      });
    return `Other systems, on ${date}. ${row.title}:

| system | result | what happened |
| --- | --- | --- |
${lines.join('\n')}
`;
  };
}
