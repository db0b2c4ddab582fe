import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../harness/program.ts';

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Size of a package installed into an empty folder, without peers: `bytes` of all files and `disk`, what they take in
 * blocks of 4 KiB, in MiB, and the number of `packages` with the package itself. `specifier` is empty for this project, which is packed as it is.
 */
await runProgram<{ readonly specifier: string }>(async ({ specifier }, { effort }) => {
  if (effort === 'tiny') return { samples: {}, notes: ['not installed with --tiny'] };
  const folder = mkdtempSync(join(tmpdir(), 'weakincentives-bench-'));
  try {
    const npm = (cwd: string, ...command: string[]): string => {
      const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
      return execFileSync('npm', [...command, ...quiet], { cwd, encoding: 'utf8' });
    };
    const packed = (): string =>
      join(folder, npm(projectRoot, 'pack', '--ignore-scripts', '--pack-destination', folder).trim());
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const what = specifier === '' ? packed() : specifier;
    npm(folder, 'install', what, '--omit=peer', '--legacy-peer-deps', '--ignore-scripts', '--prefer-offline');
    const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, unknown>>;
    };
    const sizes = filesBelow(join(folder, 'node_modules')).map((file) => lstatSync(file).size);
    const sum = (size: (bytes: number) => number): number =>
      sizes.reduce((total, bytes) => total + size(bytes), 0) / 2 ** 20;
    return {
      samples: {
        bytes: [sum((bytes) => bytes)],
        disk: [sum((bytes) => Math.ceil(bytes / 4096) * 4096)],
        packages: [Object.keys(lock.packages).length],
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
