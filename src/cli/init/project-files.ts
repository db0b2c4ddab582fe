import type { PackageManager, ProjectTemplate } from '../commands/init.ts';
import { templates } from './templates.ts';

/** What a new project is made from. */
export interface ProjectOptions {
  readonly name: string;
  readonly template: ProjectTemplate;
  readonly packageManager: PackageManager;
  /** The package.json of this release: projects get the versions that it was tested with. */
  readonly manifest: ReleaseManifest;
  /** Reads a file of the folder `templates` of this release. */
  readonly readTemplate: (path: string) => string;
}

/** The part of the package.json of this release that says which versions belong together. */
export interface ReleaseManifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const ownName = 'weakincentives';
const dependencies = [ownName, 'zod'];
const devDependencies = ['@types/node', 'typescript', 'vitest'];

/** Files that are the same in every project, with their places in `templates/common`; npm leaves out files with some names when it packs. */
const commonFiles: Readonly<Record<PackageManager, Readonly<Record<string, string>>>> = {
  npm: { '.github/workflows/test.yml': 'test-npm.yml', '.gitignore': 'gitignore' },
  pnpm: { '.github/workflows/test.yml': 'test-pnpm.yml', '.gitignore': 'gitignore' },
};

/** The packages that a project of a template asks for. */
export function packagesOf(template: ProjectTemplate): readonly string[] {
  const own = templates[template];
  return [...dependencies, ...own.dependencies, ...devDependencies, ...own.devDependencies];
}

/** The files of a new project, by their paths. */
export function projectFiles(options: ProjectOptions): ReadonlyMap<string, string> {
  const { template, packageManager, readTemplate } = options;
  const fill = fillerOf(options);
  const common = Object.entries({
    'AGENTS.md': 'AGENTS.md',
    'README.md': 'README.md',
    'tsconfig.json': 'tsconfig.json',
    ...commonFiles[packageManager],
  });
  return new Map([
    ...templates[template].files.map((path): [string, string] => [path, readTemplate(`${template}/${path}`)]),
    ['package.json', packageJson(options)],
    ...common.map(([path, file]): [string, string] => [path, fill(readTemplate(`common/${file}`))]),
  ]);
}

function packageJson({ name, template, manifest }: ProjectOptions): string {
  const { start, ...own } = templates[template];
  const versionsOf = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries([...names].sort().map((each) => [each, versionOf(each, manifest)]));
  const { withoutScripts } = own;
  const allowScripts = withoutScripts && Object.fromEntries(withoutScripts.map((each) => [each, false]));
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { start, test: 'vitest run --testTimeout=60000', check: 'tsc --noEmit' },
    engines: { node: '>=20.19' },
    dependencies: versionsOf([...dependencies, ...own.dependencies]),
    devDependencies: versionsOf([...devDependencies, ...own.devDependencies]),
    // Left out where it is undefined.
    allowScripts,
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** The exact version that this release was tested with: of a peer, the first one of its range. */
function versionOf(name: string, manifest: ReleaseManifest): string {
  if (name === ownName) return manifest.version;
  const found =
    manifest.devDependencies[name] ?? manifest.dependencies[name] ?? manifest.peerDependencies[name];
  if (found === undefined) throw new TypeError(`The release names no version of ${name}.`);
  return found.replace(/^\^/, '');
}

/** Puts what belongs to a project in the places of a text: `{{name}}`. */
function fillerOf({ name, template, packageManager }: ProjectOptions): (text: string) => string {
  const { about, folder, next, notes, startNote } = templates[template];
  const values: Readonly<Record<string, string>> = {
    name,
    about,
    manager: packageManager,
    add: packageManager === 'npm' ? 'install' : 'add',
    exec: packageManager === 'npm' ? 'npx' : 'pnpm exec',
    folder: folder === undefined ? '' : ` ${folder}`,
    files: notes.map((note) => `- ${note}`).join('\n'),
    next,
    start: startNote,
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (place, key: string) => values[key] ?? place);
  // What is put in has places, too.
  return (text) => fill(fill(text));
}
