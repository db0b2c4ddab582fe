#!/usr/bin/env node
// Runs every static check, two at a time, each an npm script of its own: `npm run check [-- <names>]`. Prints one line
// per check and the output of those that failed. With `--summary <file>` it also writes `{ passed, failed }` there.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Slowest first, so that the last one to end is a short one. */
const checks = [
  'package',
  'unused',
  'lint',
  'deps',
  'typecheck',
  'typecheck:bench',
  'typecheck:viewer',
  'typecheck:templates',
  'typecheck:scripts',
  'reference',
  'imports',
  'type-names',
  'one-word',
  'format:check',
];
/** What a check needs that may be missing, and how to get it; a check that misses it is left out, by name. */
const needs = new Map([['typecheck:bench', { path: 'bench/node_modules', how: 'npm ci --prefix bench' }]]);

/** @type {{ scripts: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const { values, positionals } = parseArgs({
  options: { summary: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !checks.includes(name));
if (unknown.length > 0) {
  console.error(`check: there is no check "${unknown.join('", "')}"; there are ${checks.join(', ')}.`);
  process.exit(2);
}
const wanted = checks
  .filter((name) => positionals.length === 0 || positionals.includes(name))
  .filter((name) => {
    const need = needs.get(name);
    if (need === undefined || existsSync(join(root, need.path))) return true;
    console.log(`skip ${name}: there is no ${need.path} (${need.how})`);
    return false;
  });

const waiting = [...wanted];
/** @type {string[]} */
const failed = [];

await Promise.all(Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, work));

const passed = wanted.length - failed.length;
console.log(
  `${passed} of ${wanted.length} checks passed${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`,
);
if (values.summary !== undefined) {
  writeFileSync(values.summary, JSON.stringify({ passed, failed: failed.length }));
}
process.exitCode = failed.length > 0 ? 1 : 0;

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const startedAtMs = Date.now();
    const { ok, output } = await runScript(name);
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    if (ok) continue;
    failed.push(name);
    console.log(output.trimEnd().replace(/^/gm, '     '));
  }
}

/**
 * Runs the command line of an npm script as npm does, without npm's start-up time.
 * @param {string} name
 * @returns {Promise<{ ok: boolean; output: string }>}
 */
function runScript(name) {
  const command = manifest.scripts[name];
  if (command === undefined)
    return Promise.resolve({ ok: false, output: `package.json has no script ${name}` });
  return new Promise((resolve) => {
    const child = spawn(command, {
      cwd: root,
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NO_COLOR: '1',
        PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
      },
    });
    let output = '';
    const collect = (/** @type {Buffer} */ chunk) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => resolve({ ok: false, output: `${output}\n${error.message}` }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}
