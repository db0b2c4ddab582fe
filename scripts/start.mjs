#!/usr/bin/env node
// The first contact: `npm start` is a tour of what the library guarantees, `npm start -- DIR` lets the agent of examples/review review a folder, and
// `npm start -- AGENT [DIR]` runs an agent. The words go to `wink run` as they are.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);

// Whoever is started ends by itself and says what it has; this process waits for it.
process.on('SIGINT', () => {});

if (words.length === 0) {
  start(['scripts/run-typescript.mjs', 'examples', 'tour']);
} else {
  start(['scripts/build.mjs']);
  const agent = words.some(isAgent) ? [] : ['examples/review/agent.ts'];
  start(['dist/entries/wink.js', 'run', ...agent, ...words]);
}

/**
 * A module, of which `wink run` says what is wrong with it. A name such as `openai:x` or `@params.js` is the value of an option.
 * @param {string} word
 */
function isAgent(word) {
  return (
    /^[^-@:][^:]*\.[cm]?[jt]s$/.test(word) &&
    statSync(word, { throwIfNoEntry: false })?.isDirectory() !== true
  );
}

/** @param {readonly string[]} command what Node runs, relative to the root; ends this process when it fails */
function start(command) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
