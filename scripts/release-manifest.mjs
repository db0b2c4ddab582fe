#!/usr/bin/env node
// Makes the manifests ready for a release: `node scripts/release-manifest.mjs OWNER/NAME TAG [--root FOLDER]`. It checks that the tag, the
// version of each package and the changelog agree, and writes where the repository is, which only the workflow of a release knows.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true });
const root = values.root === undefined ? fileURLToPath(new URL('..', import.meta.url)) : resolve(values.root);
const [repository = '', tag = ''] = positionals;
const packages = ['.', 'packages/create-weakincentives'];

/** @type {string[]} */
const problems = [];
if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
  problems.push(`The repository "${repository}" is not OWNER/NAME.`);
const manifests = packages.map((folder) => {
  const path = join(root, folder, 'package.json');
  /** @type {Record<string, unknown>} */
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  if (tag !== `v${manifest['version']}`) {
    problems.push(
      `The tag "${tag}" is not that of ${manifest['name']} ${manifest['version']}: v${manifest['version']}.`,
    );
  }
  return { folder, path, manifest };
});
const version = tag.replace(/^v/, '');
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
if (!changelog.split('\n').some((line) => line === `## ${version}` || line.startsWith(`## ${version} `))) {
  problems.push(`CHANGELOG.md has no heading "## ${version}".`);
}
for (const problem of problems) console.error(`release-manifest: ${problem}`);
if (problems.length > 0) process.exit(1);

const address = `https://github.com/${repository}`;
for (const { folder, path, manifest } of manifests) {
  const repositoryField = {
    type: 'git',
    url: `git+${address}.git`,
    ...(folder === '.' ? {} : { directory: folder }),
  };
  const ready = {
    ...manifest,
    repository: repositoryField,
    bugs: `${address}/issues`,
    homepage: `${address}#readme`,
  };
  writeFileSync(path, `${JSON.stringify(ready, undefined, 2)}\n`);
}
console.log(`release-manifest: ${repository} ${tag} is ready to publish.`);
