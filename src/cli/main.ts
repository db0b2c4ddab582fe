#!/usr/bin/env node
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { nodeEnvironment } from './process/node-environment.ts';
import { takeProcess } from './process/own-process.ts';
import { runCli } from './run-cli.ts';

enableCompileCache(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'));

const own = takeProcess(process);
const environment = nodeEnvironment(own, new URL('../../package.json', import.meta.url));
// Once everything is said the process ends: what a handler that was given up on still holds must not keep it.
await own.end(await runCli(process.argv.slice(2), environment));

/**
 * From Node 22.1 on: keeps the compiled code of what is imported from here on for the next process. In a folder of the user, since in one that is
 * shared others could leave code for this process to run. Without such a folder nothing is kept.
 */
function enableCompileCache(caches: string): void {
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable !== 'function') return;
  const folder = join(caches, 'weakincentives');
  // One by one: Node never returns from making several where the system refuses the first, as below /proc.
  for (const path of [caches, folder]) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch {
      // It is there, or cannot be made.
    }
  }
  if (existsSync(folder)) Reflect.apply(enable, module, [folder]);
}
