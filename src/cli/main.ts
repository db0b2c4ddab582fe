#!/usr/bin/env node
import process from 'node:process';
import { nodeEnvironment } from './node-environment.ts';
import { runCli } from './run-cli.ts';

const code = await runCli(process.argv.slice(2), nodeEnvironment());
// Everything is said. What a handler that was given up on still holds, a timer or a socket, must not keep the process.
const flushed = [process.stdout, process.stderr].map(
  (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
);
await Promise.all(flushed);
process.exit(code);
