import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Environment that the figures depend on. It contains no host names or paths. */
export interface MachineFacts {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly loadAverageAtStart: number;
  /** With the suffix `-changed` when there are uncommitted changes; absent outside a repository. */
  readonly commit?: string;
  readonly startedAt: string;
  /** Of the packages that were compared with, by name. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * @param node the version of Node that runs the programs
 * @param packages which versions to look up
 * @param folder holds the `node_modules` they are in
 */
export function describeMachine(node: string, packages: readonly string[], folder: string): MachineFacts {
  const commit = readCommit();
  return {
    node,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    loadAverageAtStart: currentLoad(),
    ...(commit !== undefined && { commit }),
    startedAt: new Date().toISOString(),
    versions: Object.fromEntries(
      packages.flatMap((name) => {
        const version = readVersion(`${folder}/node_modules/${name}/package.json`);
        return version === undefined ? [] : [[name, version]];
      }),
    ),
  };
}

/** Lines above the table. */
export function formatMachine(facts: MachineFacts, loadAverageAtEnd: number): string {
  const { node, platform, cpu, cores, memoryGib, commit, versions } = facts;
  const load = `load average ${facts.loadAverageAtStart} at the start, ${loadAverageAtEnd} at the end`;
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${facts.startedAt}, commit ${commit ?? 'unknown'}`,
    `Node ${node} on ${platform}, ${cores} × ${cpu}, ${memoryGib} GiB, ${load}`,
    ...(packages.length > 0 ? [packages.join(', ')] : []),
  ].join('\n');
}

/** Of the last minute. */
export function currentLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

function readVersion(file: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: string };
    return version;
  } catch {
    return undefined;
  }
}

function readCommit(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}-changed`;
  } catch {
    return undefined;
  }
}

/**
 * @param node the file of a Node
 * @returns its version, such as `v22.23.3`
 * @throws {Error} when the file does not run, or is another program
 */
export function readNodeVersion(node: string): string {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (!/^v\d+\.\d+\.\d+/.test(version)) throw new Error(`it says "${version.slice(0, 80)}" for its version`);
  return version;
}
