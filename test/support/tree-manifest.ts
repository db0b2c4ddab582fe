import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a folder by path: kind, permissions, modification time, and content or link. */
export function manifestOf(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
    const path = join(root, name);
    const stats = lstatSync(path, { bigint: true });
    const what = `${stats.mode.toString(8)} ${stats.mtimeNs} ${stats.nlink}`;
    if (stats.isSymbolicLink()) found[name] = `${what} -> ${readlinkSync(path)}`;
    else if (stats.isFile())
      found[name] = `${what} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    else found[name] = what;
  }
  return found;
}
