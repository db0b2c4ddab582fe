#!/usr/bin/env node
// Runs real harnesses against a provider whose model follows a script: `npm run test:harness -- [claude|opencode|codex …] [options of vitest]`. Each is installed from the registry, in
// test/peers/harness-NAME, when it is not there; one that cannot be installed is skipped by name. Without a name all of them run, with CI=true the one of
// the day. They have no model of their own and no key, and reach nothing but 127.0.0.1.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { env, execPath, exit } from 'node:process';
import { installPeers, root, run } from './peers.mjs';

const names = ['claude', 'opencode', 'codex'];
const dayMs = 86_400_000;
// They take a minute or two; this is for what hangs, on a machine that is twenty times as slow.
const testMs = 3_600_000;

const rest = process.argv.slice(2);
const asked = names.filter((name) => rest.includes(name));
const options = rest.filter((word) => !names.includes(word));
const isCi = env['CI'] === 'true';
const chosen = asked.length > 0 ? asked : isCi ? [ofTheDay()] : names;
console.log(`test-harness: ${chosen.join(', ')}`);
const installed = chosen.filter(install);
// They start the built command.
run(execPath, ['scripts/build.mjs']);

/** `NAME.test.ts` starts `wink serve`; the others, such as `NAME-acp.test.ts`, run agents on the harness. */
const files = chosen.flatMap((name) =>
  readdirSync(join(root, 'test/harness'))
    .filter((file) => file === `${name}.test.ts` || file.startsWith(`${name}-`))
    .map((file) => `test/harness/${file}`),
);
const tests = spawnSync(
  execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project=harness',
    '--no-file-parallelism',
    ...files,
    ...options,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    // A test of a harness that is here must not be skipped.
    env: { ...env, WINK_HARNESSES: installed.join(' ') },
    ...(isCi ? { timeout: testMs } : {}),
  },
);
if (tests.signal !== null) console.error(`test-harness: the tests took more than ${testMs / 1000} s.`);
exit(tests.status ?? 1);

/** Another one each day, the same on every machine. */
function ofTheDay() {
  return names[Math.floor(Date.now() / dayMs) % names.length] ?? 'claude';
}

/** @param {string} name */
function install(name) {
  const isInstalled = installPeers(`harness-${name}`);
  if (!isInstalled) console.error(`test-harness: ${name} could not be installed; its tests are skipped.`);
  return isInstalled;
}
