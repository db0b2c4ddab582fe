#!/usr/bin/env node
import { existsSync, mkdirSync, writeSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';
import { isVersionAsked, versionIn } from '../cli/process/version.ts';

const version = versionIn(new URL('../../package.json', import.meta.url));
if (!(isVersionAsked(process.argv.slice(2)) && isWritten(`${version}\n`))) {
  const caches = process.env['XDG_CACHE_HOME'] ?? '';
  // A relative one is not valid, and would be in a folder whose content others may have written.
  enableCompileCache(isAbsolute(caches) ? caches : join(homedir(), '.cache'));
  const { start } = await import('../cli/start.ts');
  await start(version);
}

/** Writes without the stream of the standard output, which takes longer to load than the rest of this file. */
function isWritten(text: string): boolean {
  try {
    return writeSync(1, text) === text.length;
  } catch {
    // A pipe that is full or closed: the command knows what to do then.
    return false;
  }
}

/**
 * From Node 22.1: caches compiled code of later imports for the next process. The cache is in a folder of the user, because
 * in a shared folder others could plant code for this process to run. Without such a folder nothing is cached.
 */
function enableCompileCache(parent: string): void {
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable !== 'function') return;
  const folder = join(parent, 'weakincentives');
  // One directory at a time: Node never returns from a recursive mkdir where the system refuses the first one, as in /proc.
  for (const path of [parent, folder]) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch {
      // It exists, or cannot be created.
    }
  }
  if (existsSync(folder)) Reflect.apply(enable, module, [folder]);
}
