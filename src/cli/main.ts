#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { nodeEnvironment } from './process/node-environment.ts';
import { takeProcess } from './process/own-process.ts';
import { runCli } from './run-cli.ts';

// From Node 22.1 on: the compiled code of what is imported from here on is kept for the next process. In a folder of the user, since in one
// that is shared others could leave code for this process to run.
const enableCompileCache: unknown = Reflect.get(module, 'enableCompileCache');
if (typeof enableCompileCache === 'function') {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  Reflect.apply(enableCompileCache, module, [join(caches, 'weakincentives', 'compiled')]);
}

const own = takeProcess(process);
const environment = nodeEnvironment(own, new URL('../../package.json', import.meta.url));
// Once everything is said the process ends: what a handler that was given up on still holds must not keep it.
await own.end(await runCli(process.argv.slice(2), environment));
