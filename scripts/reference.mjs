#!/usr/bin/env node
// Writes the references in guides/reference from what they are about: the definitions of the command, the types of events and options,
// the comments of errors. Without `--write` it only compares. `--root <folder>` is for another project.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandReference } from './reference/command.mjs';
import { entryReference } from './reference/entries.mjs';
import { errorReference } from './reference/error-codes.mjs';
import { typeReferences } from './reference/types.mjs';

const { values } = parseArgs({ options: { write: { type: 'boolean' }, root: { type: 'string' } } });
const root = values.root === undefined ? fileURLToPath(new URL('..', import.meta.url)) : resolve(values.root);
const folder = join(root, 'guides/reference');

const { events, options, problems: typeProblems } = typeReferences(root);
const errors = errorReference(root);
const entries = entryReference(root);
const problems = [...errors.problems, ...entries.problems, ...typeProblems];
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

const files = {
  'command.md': commandReference(root),
  'events.md': events,
  'options.md': options,
  'errors.md': errors.text,
  'entries.md': entries.text,
};
for (const [name, text] of Object.entries(files)) {
  const path = join(folder, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (values.write === true) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  } else {
    console.log(`guides/reference/${name} is out of date: npm run reference -- --write`);
    process.exitCode = 1;
  }
}
