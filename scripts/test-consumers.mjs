#!/usr/bin/env node
// Uses the packed package as its users do, in an empty project for each package manager, module format, bundler, framework and
// runtime of test/consumers: `npm run test:consumers [-- NODE… NAME…]`, all or those that are named. Each is installed, built where it has a build, which must
// print no warning, and tested, without a network; some with the named Nodes, too. Needs the registry; what it does not have is
// skipped by name. With `--summary <file>` it also writes `{ passed, failed }` there.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PackedProjects, twoAtATime } from './packed-projects.mjs';
import { root, takeNodes } from './peers.mjs';

const { values, positionals } = parseArgs({
  options: { summary: { type: 'string' } },
  allowPositionals: true,
});
const nodes = [process.execPath, ...takeNodes(positionals)];

/**
 * @typedef {{ name: string, manager?: string, everyNode?: boolean, binary?: string }} Consumer
 * `binary`: how the name of the package begins that has its program for this machine, which npm leaves out silently.
 */

/** Longest first. @type {readonly Consumer[]} */
const consumers = [
  { name: 'next', binary: '@next/swc-' },
  { name: 'vite', binary: '@rolldown/binding-' },
  { name: 'workerd', binary: '@cloudflare/workerd-' },
  { name: 'esbuild', binary: '@esbuild/' },
  { name: 'commonjs', everyNode: true },
  { name: 'hono', everyNode: true },
  { name: 'esm', everyNode: true },
  { name: 'esm', everyNode: true, manager: 'pnpm' },
];

const projects = new PackedProjects('consumers');
await projects.end(values.summary, async () => {
  const tarball = await projects.pack();
  const managers = await projects.managers();
  const offline = await projects.networkCut();
  const isWanted = (/** @type {Consumer} */ { name, manager = 'npm' }) =>
    managers.includes(manager) && (positionals.length === 0 || positionals.includes(name));
  const wanted = consumers.filter(isWanted);
  if (wanted.length === 0) throw new Error(`there is no ${positionals.join(', ')} in test/consumers`);
  await twoAtATime(wanted, (consumer) => use(consumer, tarball, offline));
});

/**
 * @param {Consumer} consumer
 * @param {string} tarball
 * @param {readonly string[]} offline
 */
async function use({ name, manager = 'npm', everyNode = false, binary }, tarball, offline) {
  const title = manager === 'npm' ? name : `${name} with ${manager}`;
  const project = join(projects.base, `${manager}-${name}`);
  const files = join(root, 'test/consumers');
  cpSync(join(files, name), project, { recursive: true });
  cpSync(join(files, 'agent.mjs'), join(project, 'agent.mjs'));

  const missing = await missingOf(project, manager, binary);
  if (missing !== undefined) {
    console.log(`skip ${title}: ${missing}`);
    return;
  }
  const installed = projects.install(project, [tarball], manager);
  if (!(await projects.report(`${title}: install`, installed))) return;

  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  for (const node of everyNode ? nodes : nodes.slice(0, 1)) {
    const version = await projects.versionOf(node);
    const quietRun = (/** @type {string} */ script) => {
      const [command, ...args] = [...offline, manager, '--silent', 'run', script];
      return withoutWarning(projects.run(command, args, project, node));
    };
    if (scripts.build !== undefined && node === nodes[0])
      if (!(await projects.report(`${title} on ${version}: build`, quietRun('build')))) return;
    await projects.report(`${title} on ${version}: test`, quietRun('test'));
  }
}

/**
 * Installs what a project names but the package, and says what of it cannot be installed here.
 * @param {string} project
 * @param {string} manager
 * @param {string | undefined} binary
 */
async function missingOf(project, manager, binary) {
  const { ok, output } = await projects.install(project, [], manager);
  if (!ok) return `it cannot be installed from the registry\n${output.trimEnd()}`;
  if (binary === undefined) return undefined;
  const [scope = '', start = ''] = binary.split('/');
  const folder = join(project, 'node_modules', scope);
  const isThere = existsSync(folder) && readdirSync(folder).some((found) => found.startsWith(start));
  return isThere ? undefined : `the registry has no ${binary}… for this machine`;
}

/**
 * A step that prints a warning has failed; what it skips is said.
 * @param {ReturnType<PackedProjects['run']>} step
 */
async function withoutWarning(step) {
  const { ok, output } = await step;
  for (const [line] of output.matchAll(/^skip .*$/gm)) console.log(line);
  return { ok: ok && !/\bwarn|externalized/i.test(output), output };
}
