#!/usr/bin/env node
import process from 'node:process';
import { nodeEnvironment } from './node-environment.ts';
import { takeProcess } from './own-process.ts';
import { runCli } from './run-cli.ts';

const own = takeProcess(process);
// Once everything is said the process ends: what a handler that was given up on still holds must not keep it.
await own.end(await runCli(process.argv.slice(2), nodeEnvironment(own)));
