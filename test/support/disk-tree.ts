import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { startFiles } from './random-runs.ts';

/** Everything in a folder by its path: kind, permissions and content, and where a link leads. Links are not followed. */
export function diskTree(root: string): ReadonlyMap<string, string> {
  const tree = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const name of readdirSync(join(root, directory)).sort()) {
      const path = directory === '' ? name : `${directory}/${name}`;
      const entry = entryAt(join(root, path));
      tree.set(path, entry);
      if (entry === 'directory') walk(path);
    }
  };
  walk('');
  return tree;
}

function entryAt(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (stats.isDirectory()) return 'directory';
  return `${(stats.mode & 0o7777).toString(8)} ${readFileSync(path, 'utf8')}`;
}

/** Makes the files that random runs begin with, and an executable file, an empty directory and links. */
export function startFolder(root: string): void {
  for (const [path, text] of Object.entries({ ...startFiles, 'run.sh': 'run\n' })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), path === 'run.sh' ? 0o755 : path === 'a.md' ? 0o600 : 0o644);
  }
  mkdirSync(join(root, 'empty'));
  for (const [path, target] of [
    ['to-a.md', 'a.md'],
    ['to-docs', 'docs'],
    ['dangling', 'nowhere'],
  ] as const) {
    symlinkSync(target, join(root, path));
  }
}
