#!/usr/bin/env node
// Makes a project of every template of `wink init` with npm and with pnpm, installs it with the packed package, and runs its
// tests, its check and its start without a network: `npm run test:init [-- NODE…]`, each with this Node and with those that are
// named. Needs the registry; without pnpm from there its projects are skipped by name. With `--summary <file>` it also writes
// `{ passed, failed }` there.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './peers.mjs';

const { values, positionals } = parseArgs({
  options: { summary: { type: 'string' } },
  allowPositionals: true,
});
const nodes = [process.execPath, ...positionals];
const templates = ['tools', 'files', 'nightly'];
const pnpmVersion = '10.34.9';

const base = mkdtempSync(join(tmpdir(), 'wink-init-'));
/** Nothing of the environment reaches a project but this: no key, and no folder of the user but the caches. */
const environment = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  TMPDIR: process.env['TMPDIR'],
  XDG_STATE_HOME: join(base, 'state'),
  XDG_CACHE_HOME: join(base, 'cache'),
  NO_COLOR: '1',
  CI: '1',
};
let passed = 0;
let failed = 0;
try {
  await demand(process.execPath, [join(root, 'scripts/build.mjs')], root);
  const tarballs = {
    weakincentives: await pack(root),
    'create-weakincentives': await pack(join(root, 'packages/create-weakincentives')),
  };
  const creator = await installCreator(tarballs);
  const managers = (await installPnpm()) ? ['npm', 'pnpm'] : ['npm'];
  const offline = await networkCut();
  for (const manager of managers) {
    // Two at a time: most of the time of an installation is waiting.
    const waiting = [...templates];
    await Promise.all([1, 2].map(() => work(waiting, manager, creator, tarballs.weakincentives, offline)));
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
if (values.summary !== undefined) writeFileSync(values.summary, JSON.stringify({ passed, failed }));
process.exitCode = failed > 0 ? 1 : 0;

/**
 * @param {string[]} waiting templates; each is taken once.
 * @param {string} manager
 * @param {string} creator
 * @param {string} tarball
 * @param {readonly string[]} offline
 */
async function work(waiting, manager, creator, tarball, offline) {
  for (let template = waiting.shift(); template !== undefined; template = waiting.shift()) {
    const project = join(base, `${manager}-${template}`);
    const made = [process.execPath, creator, project, '--template', template, '--package-manager', manager];
    await demand(made[0] ?? '', made.slice(1), base);
    withTarball(project, tarball);
    const quiet =
      manager === 'npm'
        ? ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
        : ['--prefer-offline', '--reporter=append-only'];
    if (!(await report(`${manager} ${template}: install`, run(manager, ['install', ...quiet], project))))
      continue;
    for (const node of nodes) {
      const isFirst = node === nodes[0];
      const path = `${dirname(node)}${delimiter}${environment.PATH}`;
      const name = `${manager} ${template} on ${await versionOf(node)}`;
      const offlineRun = (/** @type {readonly string[]} */ ...args) => {
        const [command = manager, ...rest] = [...offline, manager, ...args];
        return run(command, rest, project, { PATH: path });
      };
      await report(`${name}: test`, offlineRun('test'));
      if (isFirst) await report(`${name}: check`, offlineRun('run', 'check'));
      await report(`${name}: start`, expectStart(template, offlineRun('start'), await versionOf(node)));
    }
  }
}

/**
 * @param {string} template
 * @param {Promise<{ ok: boolean, output: string }>} started
 * @param {string} version
 */
async function expectStart(template, started, version) {
  const { ok, output } = await started;
  const expected = {
    tools: 'denied by ops-never-low',
    files: '+echo $(( $1 + $2 ))',
    // It waits for an answer; without node:sqlite it says what to do.
    nightly: version.startsWith('v20.') ? 'Use Node 22.13 or later' : 'npx wink approvals answer',
  }[template];
  const isRight = output.includes(expected ?? '');
  const isRefused = template === 'nightly' && version.startsWith('v20.');
  return { ok: isRight && ok !== isRefused, output };
}

/** Puts the packed package in the place of the released one. @param {string} project @param {string} tarball */
function withTarball(project, tarball) {
  const file = join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.dependencies.weakincentives = `file:${tarball}`;
  writeFileSync(file, JSON.stringify(manifest, undefined, 2));
}

/** @param {string} folder @returns {Promise<string>} */
async function pack(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', base];
  const [{ filename }] = JSON.parse(await demand('npm', args, folder));
  return join(base, filename);
}

/** Installs what `npm create weakincentives` runs. @param {Record<string, string>} tarballs */
async function installCreator(tarballs) {
  const folder = join(base, 'creator');
  mkdirSync(folder);
  const overrides = { weakincentives: `file:${tarballs['weakincentives']}` };
  const dependencies = { ...overrides, 'create-weakincentives': `file:${tarballs['create-weakincentives']}` };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies, overrides: { weakincentives: '$weakincentives' } }),
  );
  await demand('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'], folder);
  return join(folder, 'node_modules/create-weakincentives/create.js');
}

/** @returns {Promise<boolean>} whether pnpm is there; it is put into the path. */
async function installPnpm() {
  const folder = join(base, 'pnpm');
  mkdirSync(folder);
  const { ok } = await run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder, `pnpm@${pnpmVersion}`],
    base,
  );
  const bin = join(folder, 'node_modules/.bin');
  if (ok && existsSync(join(bin, 'pnpm'))) {
    environment.PATH = `${bin}${delimiter}${environment.PATH}`;
    return true;
  }
  console.log('skip pnpm: it cannot be installed from the registry');
  return false;
}

/** The words before a command that take the network from it; none where that is not possible, and says so. */
async function networkCut() {
  const words = ['unshare', '--map-root-user', '--net'];
  const [command = '', ...args] = words;
  if ((await run(command, [...args, 'true'], base)).ok) return words;
  console.log('skip the cut of the network: unshare cannot make a namespace here');
  return [];
}

/** @param {string} node */
async function versionOf(node) {
  return (await demand(node, ['--version'], base)).trim();
}

/**
 * Says how a step went.
 * @param {string} name
 * @param {Promise<{ ok: boolean, output: string }>} step
 */
async function report(name, step) {
  const startedAtMs = Date.now();
  const { ok, output } = await step;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - startedAtMs) / 1000).toFixed(1)} s)`);
  if (ok) passed += 1;
  else {
    failed += 1;
    console.log(output.trimEnd().replace(/^/gm, '     '));
  }
  return ok;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} [more] variables
 * @returns {Promise<{ ok: boolean, stdout: string, output: string }>}
 */
function run(command, args, cwd, more = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (data) => {
    stdout += data;
    output += data;
  });
  child.stderr.on('data', (data) => (output += data));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, stdout, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, stdout, output }));
  });
}

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
async function demand(command, args, cwd) {
  const { ok, stdout, output } = await run(command, args, cwd);
  if (!ok) throw new Error(output);
  return stdout;
}
