/** The comparison by behavior: `npm run bench -- compare --help`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { CellOutcome } from './harness/cell.ts';
import { type CompareResults, differenceOf, findGaps, resultsFile, shortOf } from './harness/results.ts';
import { type Cell, cellName, compareCells, compareSystems, type SystemId } from './harness/rows.ts';
import { runCellScript } from './harness/run-cell.ts';
import { withTable } from './harness/table.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
/** What has the table between its markers. */
const documents = ['README.md', 'bench/compare/README.md'];

const compareUsage = `npm run bench -- compare                      runs all scripts and fails when a result differs from results.json
npm run bench -- compare ROW[/SYSTEM] …       runs some of them and prints why each result is as it is
npm run bench -- compare --update [ROW …]     runs them, writes bench/compare/results.json and the tables
npm run bench -- compare --write FILE …       writes the table of results.json between the markers of a document
npm run bench -- compare --check              runs nothing: fails when a script, a result or a table is missing or old

The peers need npm ci --prefix bench; without them only the scripts of this library run. Node 22 or later for all of them.`;

/** @returns the exit code */
export async function runCompare(args: readonly string[]): Promise<number> {
  let options: ReturnType<typeof read>;
  try {
    options = read(args);
  } catch (error) {
    console.error(
      `bench compare: ${error instanceof Error ? error.message : String(error)}\n\n${compareUsage}`,
    );
    return 2;
  }
  const { values, positionals } = options;
  if (values.help) {
    console.log(compareUsage);
    return 0;
  }
  if (values.check) return report(checkDocuments());
  if (values.write) {
    for (const file of positionals) writeTable(file);
    return 0;
  }
  const wanted = compareCells.filter(
    (cell) =>
      positionals.length === 0 ||
      positionals.some((name) => [cell.row, cell.system, cellName(cell)].includes(name)),
  );
  const unknown = positionals.filter(
    (name) => !wanted.some((cell) => [cell.row, cell.system, cellName(cell)].includes(name)),
  );
  if (unknown.length > 0) {
    console.error(`bench compare: there is no cell "${unknown.join('", "')}".\n\n${compareUsage}`);
    return 2;
  }
  const { outcomes, problems } = await runCells(wanted);
  if (!values.update) {
    const written = readResults();
    const differences = [...outcomes].flatMap(
      ([name, outcome]) => differenceOf(name, written.cells[name], outcome) ?? [],
    );
    return report([...problems, ...differences]);
  }
  writeResults(outcomes);
  for (const file of documents.filter(hasMarkers)) writeTable(file);
  return report(problems);
}

function read(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: flag, check: flag, write: flag, update: flag },
  });
}

function report(problems: readonly string[]): number {
  for (const problem of problems) console.error(`bench compare: ${problem}`);
  return problems.length > 0 ? 1 : 0;
}

/** As many at a time as there are cores: each is a process that does little but load its system. */
async function runCells(cells: readonly Cell[]) {
  const outcomes = new Map<string, CellOutcome>();
  const problems: string[] = [];
  const waiting = cells.filter((cell) => canRun(cell));
  const total = waiting.length;
  const next = async (): Promise<void> => {
    const one = waiting.shift();
    if (one === undefined) return;
    const name = cellName(one);
    const startMs = performance.now();
    const run = await runCellScript(join(folder, `${name}.js`));
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    if ('error' in run) {
      problems.push(`${name}: the script ${run.error}`);
      console.log(`${name} (${seconds} s): ERROR`);
    } else {
      outcomes.set(name, run.outcome);
      console.log(`${name} (${seconds} s): ${shortOf(run.outcome)}. ${run.outcome.reason}`);
    }
    await next();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
  console.log(`${outcomes.size} of ${total} scripts ended with a result`);
  return { outcomes, problems };
}

/** Says by name what is left out. */
function canRun(one: Cell): boolean {
  const major = Number(process.versions.node.split('.')[0]);
  const isInstalled = one.system === 'wink' || existsSync(join(folder, '../node_modules'));
  if (isInstalled && major >= one.minNode) return true;
  const reason = isInstalled ? `needs Node ${one.minNode}` : 'needs npm ci --prefix bench';
  console.log(`${cellName(one)}: left out, ${reason}`);
  return false;
}

function readResults(): CompareResults {
  return JSON.parse(readFileSync(resultsFile, 'utf8')) as CompareResults;
}

/** Results of scripts that did not run stay as they are. */
function writeResults(outcomes: ReadonlyMap<string, CellOutcome>): void {
  const kept = existsSync(resultsFile) ? readResults().cells : {};
  const cells = Object.fromEntries(
    compareCells.flatMap((one) => {
      const name = cellName(one);
      const outcome = outcomes.get(name) ?? kept[name];
      return outcome === undefined ? [] : [[name, outcome] as const];
    }),
  );
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(resultsFile, `${JSON.stringify({ date, versions: readVersions(), cells }, null, 2)}\n`);
  console.log(`${resultsFile} is written`);
}

function readVersions(): Record<SystemId, string> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const peers = (JSON.parse(readFileSync('bench/package.json', 'utf8')) as Peers).dependencies;
  const entries = compareSystems.map((system) => [
    system.id,
    'package' in system ? peers[system.package]?.replace(/^npm:.*@/, '') : version,
  ]);
  return Object.fromEntries(entries) as Record<SystemId, string>;
}

interface Peers {
  readonly dependencies: Readonly<Record<string, string>>;
}

function checkDocuments(): readonly string[] {
  const results = readResults();
  const versions = readVersions();
  const old = compareSystems.flatMap(({ id }) =>
    results.versions[id] === versions[id]
      ? []
      : [`results.json has ${id} ${results.versions[id]}, not ${versions[id]}`],
  );
  const tables = documents
    .filter((file) => readFileSync(file, 'utf8') !== withTable(readFileSync(file, 'utf8'), results, file))
    .map((file) => `the table of ${file} differs: npm run bench -- compare --write ${file}`);
  return [...findGaps(results, existsSync), ...old, ...tables];
}

function hasMarkers(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes('<!-- compare:begin -->');
}

function writeTable(file: string): void {
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), readResults(), file));
  console.log(`${file} has the table`);
}
