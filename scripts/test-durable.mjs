#!/usr/bin/env node
// Runs the tests that kill and stop processes which write to a journal:
// `npm run test:durable -- [paths of Node] [--soak] [files and options of vitest]`. With `--soak` the kill matrix kills 2,000 times and more, and the
// loop of an agent on a database kills at every point, which takes an hour on two cores; then it prints what became of the runs. They need `node:sqlite`: without a
// path they run on this Node where it has the module, and are skipped otherwise.
import { spawnSync } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { root, takeNodes } from './peers.mjs';

const rest = process.argv.slice(2);
const nodes = takeNodes(rest);
if (nodes.length === 0 && isBuiltin('node:sqlite')) nodes.push(process.execPath);
if (nodes.length === 0) {
  console.log(
    `test-durable: skipped, Node ${process.version} has no node:sqlite; pass the path of another Node.`,
  );
}
const soak = rest.indexOf('--soak');
if (soak >= 0)
  rest.splice(
    soak,
    1,
    ...['test/durable/conformance', 'test/durable/sqlite/agent-loop'],
    ...['--testTimeout=0', '--disable-console-intercept'],
  );
const env = soak >= 0 ? { ...process.env, WINK_SOAK: '1' } : process.env;
let status = 0;
for (const node of nodes) {
  const tests = spawnSync(
    node,
    [
      '--disable-warning=ExperimentalWarning',
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project=durable',
      ...rest,
    ],
    { cwd: root, stdio: 'inherit', env },
  );
  if (tests.status !== 0) status = 1;
}
process.exit(status);
