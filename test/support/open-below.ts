import { readdirSync, readlinkSync } from 'node:fs';
import { attempt } from '../../src/core/internal/index.ts';

/** The files below a folder that this process has open, by their paths, one for each descriptor. Linux only: elsewhere it finds none. */
export function openBelow(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const found: string[] = [];
  for (const file of readdirSync('/proc/self/fd')) {
    // The descriptor that read the list is closed by now.
    attempt(() => found.push(readlinkSync(`/proc/self/fd/${file}`)));
  }
  return found.filter((path) => path.startsWith(`${folder}/`));
}
