#!/usr/bin/env node
// Makes a project of every template of `wink init` with npm and with pnpm, installs it with the packed package, and runs its
// tests, its check and its start without a network: `npm run test:init [-- NODE…]`, each with this Node and with those that are
// named. Needs the registry; without pnpm from there its projects are skipped by name. With `--summary <file>` it also writes
// `{ passed, failed }` there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PackedProjects, twoAtATime } from './packed-projects.mjs';
import { root } from './peers.mjs';

const { values, positionals } = parseArgs({
  options: { summary: { type: 'string' } },
  allowPositionals: true,
});
const nodes = [process.execPath, ...positionals];
const templates = ['tools', 'files', 'nightly'];

const projects = new PackedProjects('init');
await projects.end(values.summary, async () => {
  const tarballs = {
    weakincentives: await projects.pack(),
    'create-weakincentives': await projects.pack(join(root, 'packages/create-weakincentives')),
  };
  const creator = await installCreator(tarballs);
  const managers = await projects.managers();
  const offline = await projects.networkCut();
  for (const manager of managers)
    await twoAtATime(templates, (template) =>
      work(template, manager, creator, tarballs.weakincentives, offline),
    );
});

/**
 * @param {string} template
 * @param {string} manager
 * @param {string} creator
 * @param {string} tarball
 * @param {readonly string[]} offline
 */
async function work(template, manager, creator, tarball, offline) {
  const project = join(projects.base, `${manager}-${template}`);
  const made = [creator, project, '--template', template, '--package-manager', manager];
  await projects.demand(process.execPath, made, projects.base);
  withTarball(project, tarball);
  const installed = projects.install(project, [], manager);
  if (!(await projects.report(`${manager} ${template}: install`, installed))) return;
  for (const node of nodes) {
    const version = await projects.versionOf(node);
    const name = `${manager} ${template} on ${version}`;
    const offlineRun = (/** @type {readonly string[]} */ ...args) => {
      const [command = manager, ...rest] = [...offline, manager, ...args];
      return projects.run(command, rest, project, node);
    };
    await projects.report(`${name}: test`, offlineRun('test'));
    if (node === nodes[0]) await projects.report(`${name}: check`, offlineRun('run', 'check'));
    await projects.report(`${name}: start`, expectStart(template, offlineRun('start'), version));
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

/** Installs what `npm create weakincentives` runs. @param {Record<string, string>} tarballs */
async function installCreator(tarballs) {
  const folder = join(projects.base, 'creator');
  mkdirSync(folder);
  const overrides = { weakincentives: `file:${tarballs['weakincentives']}` };
  const dependencies = { ...overrides, 'create-weakincentives': `file:${tarballs['create-weakincentives']}` };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies, overrides: { weakincentives: '$weakincentives' } }),
  );
  const { ok, output } = await projects.install(folder);
  if (!ok) throw new Error(output);
  return join(folder, 'node_modules/create-weakincentives/create.js');
}
