import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Where programs and their libraries are, and what they need to start. None of it is secret. */
const systemPaths = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/localtime',
];
/** What programs need to find hosts and to check certificates. */
const networkPaths = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/ssl/certs'];

/** What a program of Node at a path needs: its installation, when it is in one of the usual form, else the file alone. */
export function nodePaths(execPath: string): readonly string[] {
  const program = realpathSync(execPath);
  const folder = dirname(program);
  const installation = basename(folder) === 'bin' ? dirname(folder) : program;
  return isSystemPath(installation) || installation === '/' ? [] : [installation];
}

function isSystemPath(path: string): boolean {
  return systemPaths.some((system) => path === system || path.startsWith(`${system}/`));
}

/** The arguments that show the system folders and the given paths, all read-only. */
export function readOnlyArguments(paths: readonly string[], hasNetwork: boolean): readonly string[] {
  const system = [...systemPaths, ...(hasNetwork ? networkPaths : [])];
  return [
    ...system.flatMap((path) => {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return [];
      // Many systems have /bin as a link into /usr.
      return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
    }),
    ...paths.flatMap((path) => ['--ro-bind', path, path]),
  ];
}

/** Folders in which commands are found. */
export function searchPath(paths: readonly string[]): string {
  const own = paths.map((path) => (basename(path) === 'node' ? dirname(path) : `${path}/bin`));
  return ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin', ...own].join(':');
}
