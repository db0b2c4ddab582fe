/**
 * What it costs to stage a folder of the disk for a process and to collect five changes: as an overlay and as a copy, against
 * `cp -a`. Only the ratios of one run count, since machines are shared. `npm run bench -- materialize [FILES]`, default 10,000.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilesystemError } from 'weakincentives';
import { HostFilesystem, materialize } from 'weakincentives/node';

const count = Number(process.argv[2] ?? 10_000);
const rounds = 5;

const folder = mkdtempSync(join(tmpdir(), 'bench-materialize-'));
const root = join(folder, 'root');

/** Folders of 20 files of 2 KB, each a day old, as those of a project mostly are. */
function makeProject(): void {
  const dayAgoSeconds = 1_700_000_000;
  for (let index = 0; index < count; index += 1) {
    const parent = join(root, `package-${Math.floor(index / 200)}`, `part-${Math.floor(index / 20) % 10}`);
    if (index % 20 === 0) mkdirSync(parent, { recursive: true });
    const path = join(parent, `file-${index % 20}.txt`);
    writeFileSync(path, `${index}\n`.padEnd(2_048, 'x'));
    utimesSync(path, dayAgoSeconds, dayAgoSeconds);
  }
}

const script = `for p in 0 1 2; do echo more >>package-$p/part-1/file-3.txt; done; rm package-0/part-2/file-7.txt; echo new >new.txt`;

interface Times {
  readonly stageMs: number;
  readonly runMs: number;
  readonly collectMs: number;
  readonly commitMs: number;
  readonly disposeMs: number;
}

async function measure(host: HostFilesystem, layer: 'overlay' | 'copy'): Promise<Times> {
  const marks = [performance.now()];
  const mark = (): number => marks.push(performance.now());
  const fork = host.fork();
  const staged = await materialize(fork.view, { layer });
  mark();
  await staged.run('sh', ['-c', script]);
  mark();
  const { created, modified, removed } = await staged.collect();
  mark();
  const changes = [created, modified, removed].map((paths) => paths.length).join();
  if (changes !== '1,3,1') throw new Error(`collected ${changes}`);
  if (fork.conflicts().length > 0) throw new Error('the call conflicts with something');
  mark();
  fork.close();
  await staged[Symbol.asyncDispose]();
  mark();
  const [stageMs = 0, runMs = 0, collectMs = 0, commitMs = 0, disposeMs = 0] = marks
    .slice(1)
    .map((time, index) => time - (marks[index] ?? 0));
  return { stageMs, runMs, collectMs, commitMs, disposeMs };
}

function measureCopy(): number {
  const startedAt = performance.now();
  execFileSync('cp', ['-a', '--reflink=auto', root, join(folder, 'copied')]);
  const elapsedMs = performance.now() - startedAt;
  rmSync(join(folder, 'copied'), { recursive: true });
  return elapsedMs;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

try {
  makeProject();
  await using host = await HostFilesystem.open({ root, stateDirectory: join(folder, 'state') });
  const plain: number[] = [];
  const times: Record<'overlay' | 'copy', Times[]> = { overlay: [], copy: [] };
  // The first round fills the caches of the machine and asks whether there are overlays.
  for (let round = 0; round <= rounds; round += 1) {
    const copyMs = measureCopy();
    if (round > 0) plain.push(copyMs);
    for (const layer of ['overlay', 'copy'] as const) {
      try {
        const taken = await measure(host, layer);
        if (round > 0) times[layer].push(taken);
      } catch (error) {
        if (!FilesystemError.isInstance(error) || layer === 'copy') throw error;
        if (round === 0) console.log(error.message);
      }
    }
  }
  const unit = median(plain);
  console.log(`${count} files, 5 changes; cp -a takes 1.00 (${unit.toFixed(0)} ms here)`);
  for (const layer of ['overlay', 'copy'] as const) {
    const taken = times[layer];
    if (taken.length === 0) continue;
    const parts = (['stageMs', 'runMs', 'collectMs', 'commitMs', 'disposeMs'] as const).map(
      (part) => [part, median(taken.map((one) => one[part]))] as const,
    );
    const sum = parts.reduce((total, [, ms]) => total + ms, 0);
    const shown = parts.map(([part, ms]) => `${part.slice(0, -2)} ${(ms / unit).toFixed(3)}`).join(', ');
    console.log(`${layer.padEnd(8)} ${(sum / unit).toFixed(2)}: ${shown}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
