#!/usr/bin/env node
import { writeSync } from 'node:fs';
import module from 'node:module';
import { openCacheFolder } from '../cli/process/cache-folder.ts';
import { isVersionAsked, versionIn } from '../cli/process/version.ts';

const packageFolder = new URL('../../', import.meta.url);
const version = versionIn(new URL('package.json', packageFolder));
if (!(isVersionAsked(process.argv.slice(2)) && isWritten(`${version}\n`))) {
  const cacheFolder = openCacheFolder(process.env['XDG_CACHE_HOME']);
  if (cacheFolder !== undefined) enableCompileCache(cacheFolder);
  const { start } = await import('../cli/start.ts');
  await start({ version, packageFolder, cacheFolder });
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

/** From Node 22.1: caches compiled code of later imports for the next process. */
function enableCompileCache(folder: string): void {
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable === 'function') Reflect.apply(enable, module, [folder]);
}
