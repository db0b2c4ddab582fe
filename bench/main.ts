/** The command line of the benchmarks: `npm run bench -- --help`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunCommand, readArguments, usage } from './harness/arguments.ts';
import { planEffort } from './harness/effort.ts';
import { formatList } from './harness/format-list.ts';
import { formatRows } from './harness/format-table.ts';
import { judgeRows } from './harness/judge-rows.ts';
import { currentLoad, describeMachine, formatMachine, readNodeVersion } from './harness/machine.ts';
import { leaveOutPackages, packageOf, readPackages } from './harness/packages.ts';
import { type Job, planJobs, selectRows } from './harness/plan-jobs.ts';
import { programPlan } from './harness/program.ts';
import type { BenchRow } from './harness/row.ts';
import { runChild } from './harness/run-child.ts';
import { runJobs } from './harness/run-jobs.ts';
import { type BenchReport, updateResults } from './harness/update-results.ts';
import { benchRows } from './rows/index.ts';
import { runTrips } from './trips/main.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const packages = readPackages('bench/package.json');
const defaultReport = 'bench/results/latest.json';
/** What has tables that reports are written into. */
const writtenFiles = ['bench/RESULTS.md', 'guides/limits.md'];

const command = readArguments(process.argv.slice(2), benchRows);
switch (command.kind) {
  case 'help':
    console.log(usage);
    break;
  case 'list':
    console.log(formatList(benchRows));
    break;
  case 'wrong':
    console.error(`bench: ${command.message}\n\n${usage}`);
    process.exitCode = 2;
    break;
  case 'write':
    writeReports(command.reports);
    break;
  case 'trips':
    process.exitCode = runTrips(command.args);
    break;
  case 'fleet':
    process.exitCode = await (await import('./fleet/main.ts')).runFleet(command.args);
    break;
  case 'compare':
    process.exitCode = await (await import('./compare/main.ts')).runCompare(command.args);
    break;
  case 'run':
    process.exitCode = await runBench(command);
    break;
}

/** @returns the exit code: 0 when every program worked, whatever targets were missed */
async function runBench({
  effort,
  passes,
  rows: ids,
  headline,
  contenders: wanted,
  json,
  node = process.execPath,
}: RunCommand): Promise<number> {
  let version: string;
  try {
    version = readNodeVersion(node);
  } catch (error) {
    console.error(`bench: --node ${node}: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const rows = leaveOutMissing(
    selectRows(benchRows, {
      effort,
      node: majorOf(version),
      ...(ids && { rows: ids }),
      ...(headline && { headline }),
      ...(wanted && { contenders: wanted }),
    }),
  );
  const jobs = planJobs(rows);
  const plan = planEffort(effort, availableParallelism());
  const total = passes ?? plan.passes;
  const starts =
    total * jobs.reduce((sum, { sampling }) => sum + (sampling === 'fresh' ? plan.processes : 1), 0);
  const names = rows.flatMap(({ contenders }) => contenders.map(({ name }) => packageOf(name, packages)));
  const machine = describeMachine(
    version,
    packages.filter((name) => names.includes(name)),
    folder,
  );
  let ended = 0;
  const results = await runJobs({
    jobs,
    passes: total,
    processes: plan.processes,
    concurrency: plan.concurrency,
    signal: stop.signal,
    run: (job) =>
      runChild({
        node,
        file: join(folder, `${job.program}.js`),
        settings: job.settings,
        plan: programPlan(plan, effort, job.sampling),
        // A program ends by itself after its limit and the one sample that it was in.
        killAfterMs: 2 * plan.limitMs + 60_000,
        signal: stop.signal,
      }),
    onEnd: (job, pass, outcome, wallMs) => {
      ended += 1;
      const end = outcome.ok ? `done in ${(wallMs / 1000).toFixed(1)} s` : `FAILED: ${outcome.reason}`;
      console.error(`${ended}/${starts} pass ${pass} ${describe(job)}: ${end}`);
    },
  });
  const judged = judgeRows(rows, results, effort !== 'tiny');
  const loadAverageAtEnd = currentLoad();
  console.log(`\n${formatMachine(machine, loadAverageAtEnd)}\n\n${formatRows(judged)}`);
  const file = json ?? (effort === 'tiny' ? undefined : defaultReport);
  if (file !== undefined) {
    const stopped = stop.signal.aborted;
    const report: BenchReport = {
      effort,
      passes: total,
      stopped,
      machine,
      loadAverageAtEnd,
      rows: judged,
    };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  }
  const failed = [...results.values()].filter(({ failures }) => failures.length > 0).length;
  console.log(`${results.size - failed} of ${jobs.length} programs worked`);
  if (stop.signal.aborted) return 130;
  return failed > 0 ? 1 : 0;
}

function writeReports(files: readonly string[]): void {
  const reports = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as BenchReport);
  for (const written of writtenFiles) {
    writeFileSync(written, updateResults(readFileSync(written, 'utf8'), reports));
    console.log(`${written} has the figures of ${files.join(', ')}`);
  }
}

/** Without their packages the peers cannot be measured; the library and the floor need none. */
function leaveOutMissing(rows: readonly BenchRow[]): readonly BenchRow[] {
  if (existsSync(join(folder, 'node_modules'))) return rows;
  const { rows: others, leftOut } = leaveOutPackages(rows, packages);
  if (leftOut.length > 0) {
    console.error(`bench: left out until npm ci --prefix bench was run: ${leftOut.join(', ')}`);
  }
  return others;
}

/** The major version of `v22.23.3`. */
function majorOf(version: string): number {
  return Number(version.slice(1).split('.')[0]);
}

function describe({ name, settings }: Job): string {
  return `${name} ${JSON.stringify(settings)}`;
}
