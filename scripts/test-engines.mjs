#!/usr/bin/env node
// Runs the tests of journals in PostgreSQL, of queues and of engines that deliver runs: `npm run test:engines -- [path of Node] [files and options of vitest]`. PostgreSQL is Debian's, which the
// tests start on a free port; the packages are those of test/peers/engines, installed from the registry when they are not there. The tests run on the sources, the processes that
// they start on the built package. Without a path they run on this Node; what needs a later one, or a program that is absent, is skipped by name.
import { spawnSync } from 'node:child_process';
import { execPath, exit } from 'node:process';
import { installPeers, root, takeNodes } from './peers.mjs';

const rest = process.argv.slice(2);
const [node = execPath] = takeNodes(rest);
if (!installPeers('engines'))
  console.error('test-engines: the queues and engines could not be installed; their tests are skipped.');

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=engines', ...rest];
const tests = spawnSync(node, ['--disable-warning=ExperimentalWarning', ...vitest], {
  cwd: root,
  stdio: 'inherit',
});
exit(tests.status ?? 1);
