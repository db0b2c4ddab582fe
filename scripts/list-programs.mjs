// The programs of examples/ and bench/, which `run-typescript.mjs` runs and documents list.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs of examples/ that need more than Node, and what; `npm run examples` leaves them out by name. */
export const needs = new Map([['fleet', 'PostgreSQL and containers']]);

/**
 * The programs of a folder by name: `<name>.ts` beside each other, `<name>/main.ts` or `<name>/<name>.ts`, and each file of `issues/`.
 * @param {string} root the project
 * @param {string} folder relative to it
 * @returns {Map<string, string>} name to path relative to the root, sorted by name
 */
export function listPrograms(root, folder) {
  /** @type {[string, string][]} */
  const found = [];
  if (!existsSync(join(root, folder))) return new Map();
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name === 'issues') {
      for (const name of typeScriptIn(join(root, path)))
        found.push([`issues/${name}`, join(path, `${name}.ts`)]);
    } else if (entry.isDirectory()) {
      const program = ['main.ts', `${entry.name}.ts`].find((file) => existsSync(join(root, path, file)));
      if (program !== undefined) found.push([entry.name, join(path, program)]);
    } else if (entry.name.endsWith('.ts')) found.push([entry.name.slice(0, -'.ts'.length), path]);
  }
  return new Map(found.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** @param {string} folder @returns {string[]} */
function typeScriptIn(folder) {
  return readdirSync(folder).flatMap((name) => (name.endsWith('.ts') ? [name.slice(0, -'.ts'.length)] : []));
}

/** The comment that a program begins with, a line each. @param {string} path @returns {string[]} */
export function firstComment(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''));
}
