import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Fields of the packed package.json that the tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The package as npm would publish it, unpacked as a dependency of an otherwise empty project. */
export interface PackedPackage extends Disposable {
  /** Folder of the project that depends on the package; its node_modules holds nothing but what the package asks for. */
  readonly project: string;
  /** Folder of the unpacked package. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** The packed files, relative to the package, sorted. */
  readonly files: readonly string[];
  /** The text of a packed file. */
  readonly read: (file: string) => string;
  /** Runs the text of a module in the project and gives what it printed; throws when the process fails. */
  readonly run: (module: string) => string;
}

/** Packs the built package and unpacks it into a temporary project, which disposing removes. */
export function packPackage(): PackedPackage {
  const project = mkdtempSync(join(tmpdir(), 'wink-pack-'));
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const modules = join(project, 'node_modules');
  const folder = join(modules, 'weakincentives');
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, packed.filename), '-C', folder, '--strip-components=1']);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }));

  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(manifest.dependencies)) {
    // Copied rather than linked: a link would let a dependency resolve what only this project has installed.
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    cpSync(join(root, 'node_modules', dependency), join(modules, dependency), { recursive: true });
  }

  return {
    project,
    folder,
    manifest,
    files: readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort(),
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    run: (module) =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', module], {
        cwd: project,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
        // Its standard error becomes part of the thrown message.
        stdio: 'pipe',
      }),
    [Symbol.dispose]: () => rmSync(project, { recursive: true, force: true }),
  };
}

/** Makes the type declarations of a package of this project visible to the compiler in the temporary project. */
export function linkTypes(project: string, name: string): void {
  const target = join(project, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), target);
}
