/** What is read of a `package-lock.json`. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * How many packages npm installs for some: these, their dependencies and the peers that they require. Optional ones are left out. The
 * package of the lock file itself is called `weakincentives`.
 */
export function countPackages({ packages }: LockFile, names: readonly string[]): number {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    const one = packages[path] ?? {};
    const peers = Object.keys(one.peerDependencies ?? {}).filter(
      (name) => one.peerDependenciesMeta?.[name]?.optional !== true,
    );
    const optional = Object.keys(one.optionalDependencies ?? {});
    const wanted = Object.keys(one.dependencies ?? {}).filter((name) => !optional.includes(name));
    for (const name of [...wanted, ...peers]) {
      const target = pathOf(packages, path, name);
      if (target !== undefined) visit(target);
    }
  };
  for (const name of names) visit(name === 'weakincentives' ? '' : `node_modules/${name}`);
  return found.size;
}

/** The nearest folder `node_modules` that has the package, as Node looks for it. */
function pathOf(packages: LockFile['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; ) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
  }
}
