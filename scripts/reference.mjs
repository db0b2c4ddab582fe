#!/usr/bin/env node
// Writes the references in guides/reference from what they are about: the definitions of the command, the types of events and options,
// the comments of errors; and the list and the page of the examples, from their first comments. Without `--write` it only compares. `--root <folder>` is for another project.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandReference } from './reference/command.mjs';
import { entryReference } from './reference/entries.mjs';
import { errorReference } from './reference/error-codes.mjs';
import { exampleDocuments } from './reference/examples.mjs';
import { homePage } from './reference/home.mjs';
import { llmsText } from './reference/llms.mjs';
import { typeReferences } from './reference/types.mjs';

const { values } = parseArgs({ options: { write: { type: 'boolean' }, root: { type: 'string' } } });
const root = values.root === undefined ? fileURLToPath(new URL('..', import.meta.url)) : resolve(values.root);

const { events, options, problems: typeProblems } = typeReferences(root);
const errors = errorReference(root);
const entries = entryReference(root);
const llms = llmsText(root);
const examples = await exampleDocuments(root);
const problems = [
  ...errors.problems,
  ...entries.problems,
  ...llms.problems,
  ...typeProblems,
  ...examples.problems,
];
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

const files = {
  'guides/reference/command.md': commandReference(root),
  'guides/reference/events.md': events,
  'guides/reference/options.md': options,
  'guides/reference/errors.md': errors.text,
  'guides/reference/entries.md': entries.text,
  'llms.txt': llms.text,
  'guides/it-cannot-happen-here.md': examples.page,
  'examples/README.md': examples.list,
  'docs/site/home.md': homePage(root),
};
for (const [name, text] of Object.entries(files)) {
  const path = join(root, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (values.write === true) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else {
    console.log(`${name} is out of date: npm run reference -- --write`);
    process.exitCode = 1;
  }
}
