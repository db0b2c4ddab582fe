#!/usr/bin/env node
// Installs the packed package into an empty project, together with the libraries that people use beside it, type-checks
// that project with every supported version of TypeScript and runs what each of them emits: `npm run test:typescript`.
// Needs the registry. The versions are those of test/typescript/package-lock.json. With `--summary <file>` it also
// writes `{ passed, failed }` there.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeInferredResults } from './inferred-results.mjs';
import { PackedProjects } from './packed-projects.mjs';
import { root } from './peers.mjs';

const { values } = parseArgs({ options: { summary: { type: 'string' } } });

/**
 * @typedef {{ name: string, files: readonly string[], options: Record<string, unknown>, runs?: boolean, unnamed?: readonly string[] }} Setting
 * `unnamed`: types that the compiler may fail to name, and must.
 */

const consumer = readdirSync(join(root, 'test/typescript/consumer'));
const common = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  types: ['node'],
  // Types that are inferred from the library have to be nameable in declaration files.
  declaration: true,
};
/** Compiled without the types of Node. */
const anyRuntime = ['any-entries.ts', 'any-runtime.ts'];
const own = ['entries.ts', 'quick-start.ts', 'governed-agent.ts', 'own-adapter.ts', 'tool-results.ts'];
const vendors = consumer.filter((file) => ![...own, ...anyRuntime].includes(file));
/** Types of members that no entry exports: who exports such a member annotates it. The list gets shorter, never longer. */
const unnamed = JSON.parse(readFileSync(join(root, 'test/typescript/unnamed-types.json'), 'utf8'));
const inferred = {
  module: 'nodenext',
  lib: ['es2023', 'esnext.disposable'],
  skipLibCheck: true,
  composite: true,
};

/** @type {readonly Setting[]} */
const settings = [
  // Checks the declarations of the package itself, not only how they are used.
  {
    name: 'nodenext',
    files: own,
    options: { module: 'nodenext', lib: ['es2022'], skipLibCheck: false, skipDefaultLibCheck: true },
    runs: true,
  },
  // The declarations of the AI SDK import types that it does not install, so they cannot be checked.
  {
    name: 'node16',
    files: vendors,
    options: { module: 'node16', lib: ['es2023'], skipLibCheck: true },
    runs: true,
  },
  {
    name: 'bundler',
    files: [...own, ...vendors],
    options: {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['esnext', 'dom'],
      skipLibCheck: true,
    },
  },
  ...[['es2022'], ['es2022', 'dom'], ['es2022', 'webworker']].map((lib) => ({
    name: `without-node-${lib.at(-1)}`,
    files: anyRuntime,
    options: { module: 'nodenext', lib, types: [], skipLibCheck: false, skipDefaultLibCheck: true },
    runs: true,
  })),
  { name: 'makers', files: ['makers.ts'], options: inferred },
  { name: 'members', files: ['members.ts'], options: inferred, unnamed },
];
/** The messages of earlier compilers do not say which type they cannot name. */
const namesTypes = (/** @type {string} */ version) =>
  Number.parseInt(version.slice('typescript-'.length), 10) >= 6;

const projects = new PackedProjects('typescript');
const project = join(projects.base, 'consumer');
await projects.end(values.summary, async () => {
  const versions = await install();
  writeSources();
  for (const version of versions)
    for (const setting of settings)
      if (setting.unnamed === undefined || namesTypes(version))
        await projects.report(`${version} ${setting.name}`, check(version, setting));
});

/** Installs the project and gives the names under which its compilers are installed. */
async function install() {
  mkdirSync(project);
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(root, 'test/typescript', file), join(project, file));
  const { ok, output } = await projects.install(project, [await projects.pack()]);
  if (!ok) throw new Error(output);
  /** @type {{ dependencies: Record<string, string> }} */
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => name.startsWith('typescript-'));
}

/** Writes the sources of the project: the quick start, the programs of test/typescript/consumer, every entry, and what can be had from them. */
function writeSources() {
  const sources = [
    ...consumer.map((file) => join(root, 'test/typescript/consumer', file)),
    join(root, 'examples/quick-start.ts'),
  ];
  for (const path of sources) {
    const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    const text = readFileSync(path, 'utf8').replace(/^const (?=\w)/gm, 'export const ');
    writeFileSync(join(project, name), text);
  }
  /** @type {{ name: string, exports: Record<string, unknown> }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.keys(manifest.exports)
    .filter((subpath) => !subpath.endsWith('.json'))
    .map((subpath) => subpath.replace('.', manifest.name));
  writeInferredResults(project, entries);
  /** @type {{ anyRuntime: readonly string[] }} */
  const wings = JSON.parse(readFileSync(join(root, 'scripts/wings.json'), 'utf8'));
  const anywhere = wings.anyRuntime.map((name) =>
    name === 'index' ? manifest.name : `${manifest.name}/${name}`,
  );
  writeFileSync(join(project, 'entries.ts'), programOf(entries));
  writeFileSync(join(project, 'any-entries.ts'), programOf(anywhere));
}

/** A program that imports entries. */
function programOf(/** @type {readonly string[]} */ entries) {
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const names = entries.map((_, index) => `entry${index}`);
  return `${imports.join('\n')}
for (const entry of [${names.join(', ')}]) {
  if (Object.keys(entry).length === 0) throw new Error('an entry exports nothing');
}
`;
}

/**
 * @param {string} version
 * @param {Setting} setting
 */
async function check(version, { name, files, options, runs = false, unnamed: expected = [] }) {
  const outDir = `out/${version}/${name}`;
  const config = `tsconfig.${version}.${name}.json`;
  writeFileSync(
    join(project, config),
    JSON.stringify({ compilerOptions: { ...common, ...options, outDir, rootDir: '.' }, files }),
  );
  const compiler = join(project, 'node_modules', version, 'bin/tsc');
  const args = [compiler, '-p', config, '--pretty', 'false'];
  let result = await projects.run(process.execPath, args, project);
  if (expected.length > 0) result = compareUnnamed(result.output, expected);
  for (const file of runs ? files : []) {
    const emitted = `${outDir}/${file.replace(/\.ts$/, '.js')}`;
    if (result.ok) result = await projects.run(process.execPath, [emitted], project);
  }
  return result;
}

/**
 * @param {string} output of a compiler
 * @param {readonly string[]} expected types that it cannot name
 */
function compareUnnamed(output, expected) {
  const errors = output.split('\n').filter((line) => line !== '');
  const nameOf = (/** @type {string} */ line) => /without a reference to '(\w+)'/.exec(line)?.[1] ?? '';
  const others = errors.filter((line) => !expected.includes(nameOf(line)));
  const found = new Set(errors.map(nameOf));
  const named = expected
    .filter((type) => !found.has(type))
    .map((type) => `${type} can be named now: take it out of test/typescript/unnamed-types.json`);
  const problems = [...others, ...named];
  return { ok: problems.length === 0, stdout: '', output: problems.join('\n') };
}
