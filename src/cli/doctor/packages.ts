import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../core/internal/index.ts';

/** An installed package. */
export interface InstalledPackage {
  /** Real path of its folder. */
  readonly folder: string;
  readonly version: string;
  /** Names of the packages that it asks for, peers included. */
  readonly dependencies: readonly string[];
}

/** More packages than this are not looked at: what they lack is not found. */
const maxPackages = 5000;

/** The package in a folder; undefined: there is none, or its package.json cannot be read. */
export function packageIn(folder: string): InstalledPackage | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!isRecord(manifest)) return undefined;
    const lists = ['dependencies', 'optionalDependencies', 'peerDependencies'].map((list) => manifest[list]);
    const version = manifest['version'];
    return {
      folder: realpathSync(folder),
      version: typeof version === 'string' ? version : '',
      dependencies: lists.flatMap((list) => (isRecord(list) ? Object.keys(list) : [])),
    };
  } catch {
    return undefined;
  }
}

/** The package that the modules of a folder find under a name, as Node looks for it. */
export function packageFrom(folder: string, name: string): InstalledPackage | undefined {
  for (let each = folder; ; each = dirname(each)) {
    const found = packageIn(join(each, 'node_modules', name));
    if (found !== undefined || dirname(each) === each) return found;
  }
}

/** The names of the packages of a scope that the modules of a folder find, without the scope. */
export function namesFrom(folder: string, scope: string): readonly string[] {
  const names = namesIn(join(folder, 'node_modules', scope));
  const outer = dirname(folder);
  return outer === folder ? names : [...names, ...namesFrom(outer, scope)];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The folder with a package.json that a folder belongs to; itself when there is none. */
export function projectOf(folder: string): string {
  for (let each = folder; dirname(each) !== each; each = dirname(each)) {
    if (packageIn(each) !== undefined) return each;
  }
  return folder;
}

/** The copies of some packages that are reached from a project, each once, by the names. */
export function copiesFrom(
  project: string,
  names: readonly string[],
): ReadonlyMap<string, readonly InstalledPackage[]> {
  const copies = new Map(names.map((name) => [name, new Map<string, InstalledPackage>()]));
  const seen = new Set<string>();
  const waiting: { readonly from: string; readonly wanted: readonly string[] }[] = [
    { from: project, wanted: directDependencies(project) },
  ];
  for (let next = waiting.pop(); next !== undefined && seen.size < maxPackages; next = waiting.pop()) {
    for (const name of next.wanted) {
      const found = packageFrom(next.from, name);
      if (found === undefined) continue;
      copies.get(name)?.set(found.folder, found);
      if (seen.has(found.folder)) continue;
      seen.add(found.folder);
      waiting.push({ from: found.folder, wanted: found.dependencies });
    }
  }
  return new Map([...copies].map(([name, found]) => [name, [...found.values()]]));
}

function directDependencies(project: string): readonly string[] {
  const own = packageIn(project)?.dependencies ?? [];
  return [...own, ...developmentDependencies(project)];
}

/** What a project asks for while it is worked on. */
function developmentDependencies(project: string): readonly string[] {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const list = isRecord(manifest) ? manifest['devDependencies'] : undefined;
    return isRecord(list) ? Object.keys(list) : [];
  } catch {
    return [];
  }
}
