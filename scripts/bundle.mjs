// Joins the modules that the compiler wrote into few files: a process that imports the package pays for every file it reads.
// Code that several entries need is in a separate file, so that all of them share the same objects.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { markPure } from './mark-pure.mjs';

/**
 * Replaces the modules below `folder` by bundles. Declarations stay as they are. The code stays readable: names and lines
 * are kept, comments are in the declarations and the sources.
 * @param {string} folder
 * @param {readonly string[]} entries their paths below `folder`, such as `node/index.js`
 */
export async function bundle(folder, entries) {
  const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.js'),
  );
  const apart = new Set(entries.map((entry) => entry.split('/', 1)[0] ?? ''));
  const topFolder = (/** @type {string} */ id) => relative(folder, id).split(sep, 1)[0] ?? '';
  // The functions of the root are in the core, and load the rest.
  const isForJournals = (/** @type {string} */ id) =>
    topFolder(id) === 'durable' && !/\/durable\/(index|on-demand)\.js$/.test(id);
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.js$/, ''), join(folder, entry)])),
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    platform: 'neutral',
    plugins: [{ name: 'class-names', transform: withClassNames }],
    onLog: (level, log) => {
      // The command hands the entries that it has loaded to the modules of agents.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT')
        throw new Error(`bundle: ${log.message}`);
    },
  });
  const { output } = await build.generate({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // As deep as the folders of the entries, for what is found relative to a module.
    chunkFileNames: 'shared/[name].js',
    comments: { legal: true, annotation: true, jsdoc: false },
    // What every entry needs is one file; the folders with a subpath and the command are not in it. What several entries need of
    // such a folder is a file, too. The command loads the library only for a
    // command that needs it: what it takes to read arguments and to describe an error is in files of their own.
    codeSplitting: {
      groups: [
        { name: 'base', test: (id) => ['internal', 'error'].includes(topFolder(id)), priority: 5 },
        // What the process for the evaluation of code needs besides: it has to start fast.
        {
          name: 'evaluator',
          test: /\/(sandbox\/(evaluate\/protocol|backend\/output)|node\/process\/output-window)\.js$/,
          priority: 4,
        },
        // What the thread of a journal needs besides, without the core.
        { name: 'journal', test: /\/sqlite\/(store\/|worker\/(?!program))/, priority: 4 },
        ...['mcp', 'node', 'otel', 'provider', 'record', 'suite'].map((name) => ({
          name,
          test: (/** @type {string} */ id) => topFolder(id) === name,
          priority: 1,
        })),
        // What a journal takes, which only a run that has one loads.
        { name: 'durable-runs', test: isForJournals },
        { name: 'core', test: (id) => !apart.has(topFolder(id)) && !isForJournals(id), priority: 2 },
        {
          name: 'wink',
          test: /\/cli\/(process\/|durable\/\w+-(arguments|choice)|model\/model-choice|run\/(run-arguments|option-values))/,
          priority: 3,
        },
        { name: 'wink-durable', test: /\/cli\/durable\// },
        // Telemetry is a file of its own: only a run with --otel loads it.
        { name: 'wink-run', test: /\/cli\/((model|run|report)\/(?!telemetry)|run-command\.js)/ },
      ],
    },
  });
  await build.close();
  for (const path of modules) rmSync(join(folder, path));
  mkdirSync(join(folder, 'shared'));
  // Which source a stretch of code comes from, without the name of the folder that it was built in.
  const origin = new RegExp(`^// ${basename(folder)}/(.+)\\.js$`, 'gm');
  for (const file of output) {
    const text = file.type === 'chunk' ? markPure(file.code).replace(origin, '// src/$1.ts') : file.source;
    writeFileSync(join(folder, file.fileName), text);
  }
}

/**
 * The compiler calls some classes by an alias, `var _a; class Name { … } _a = Name;`, which keeps them in every bundle. Here they are called
 * by their names again.
 * @param {string} code
 */
function withClassNames(code) {
  const names = new Map(
    [...code.matchAll(/^(_[a-z]) = (\w+);$/gm)].map(([, alias = '', name = '']) => [alias, name]),
  );
  const [declaration, aliases = ''] = /^var (_[a-z](?:, _[a-z])*);$/m.exec(code) ?? [''];
  if (names.size === 0 || !aliases.split(', ').every((alias) => names.has(alias))) return undefined;
  return code
    .replace(declaration, '')
    .replace(/^_[a-z] = \w+;$/gm, '')
    .replace(/\b_[a-z]\b/g, (word) => names.get(word) ?? word);
}
