// Joins the modules that the compiler wrote into few files: a process that imports the package pays for every file it reads.
// Code that several entries need is in a separate file, so that all of them share the same objects.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { markPure } from './mark-pure.mjs';

/**
 * What a program is written with, for the most part: what the functions of the root need before an evaluation begins. What they import belongs to them, too.
 */
const definitions = [
  /^core\/(schema\/(?!projection\/|field-fault|project-schema)|session\/|policy\/|prompt\/)/,
  /^core\/filesystem\/(?!path\/given-path)/,
  /^core\/tool\/(?!attachments|context|media-format|read-tool-result|user-question)/,
  /^core\/resource\/(binding|registry|revocable-view|snapshot-protocol|token|transaction-protocol)\.js$/,
  /^core\/runtime\/(events\/|redaction\/|feedback\/(?!feedback-runner|read-feedback))/,
  /^core\/runtime\/limits\/(budget-tracker|deadline|follow-signal|shared-budget|throttle-policy|token-cost)\.js$/,
  /^core\/runtime\/call\/(approvals\/suspend-approval|report\/record-slices)\.js$/,
  /^core\/runtime\/(journal\/run-journal|model\/model|observer\/event-types|turn\/completion-checker)\.js$/,
  /^core\/evaluation\/(agent\/|stream\/|options\/(check-options|complete-history|option-checks)\.js$)/,
  /^core\/evaluation\/(run\/check-completion|scope\/(evaluation-slices|new-session))\.js$/,
  /^agent\/(?!worker\/)/,
  /^durable\/(index|on-demand)\.js$/,
];

/**
 * Replaces the modules below `folder` by bundles. Declarations stay as they are. The code stays readable: names and lines
 * are kept, comments are in the declarations and the sources.
 * @param {string} folder
 * @param {readonly string[]} entries their paths below `folder`, such as `entries/node.js`
 */
export async function bundle(folder, entries) {
  const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.js'),
  );
  const pathOf = (/** @type {string} */ id) => relative(folder, id).split(sep).join('/');
  const isIn = (/** @type {string[]} */ ...folders) => {
    return (/** @type {string} */ id) => folders.some((name) => pathOf(id).startsWith(`${name}/`));
  };
  const isOf = (/** @type {RegExp[]} */ ...paths) => {
    return (/** @type {string} */ id) => paths.some((path) => path.test(pathOf(id)));
  };
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.js$/, ''), join(folder, entry)])),
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    platform: 'neutral',
    plugins: [{ name: 'class-names', transform: withClassNames }],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`bundle: ${log.message}`);
    },
  });
  const { output } = await build.generate({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // As deep as the folders of the entries, for what is found relative to a module.
    chunkFileNames: 'shared/[name].js',
    comments: { legal: true, annotation: true, jsdoc: false },
    // What every entry needs is one file. What several entries need of a wing is a file, too. The command loads the library only for a
    // command that needs it: what it takes to read arguments and to describe an error is in files of their own.
    codeSplitting: {
      groups: [
        { name: 'base', test: isOf(/^core\/(internal\/(?!data\.js$)|error\/)/), priority: 6 },
        // What threads and processes of their own need besides.
        { name: 'remote', test: isOf(/^host\/remote\/(remote-(calls|error)|frames)\.js$/), priority: 5 },
        // What the process for the evaluation of code needs besides: it has to start fast.
        {
          name: 'evaluator',
          test: isOf(/^host\/(sandbox\/(evaluate\/protocol|backend\/output)|process\/output-window)\.js$/),
          priority: 5,
        },
        // How a journal lists runs and what it refuses, for one in memory and for the thread of another one.
        {
          name: 'listed-runs',
          test: isOf(
            /^(core\/runtime\/journal\/(kept-run|kept-once|kept-spending|run-inbox)|durable\/journal\/(lease-errors|formats))\.js$/,
          ),
          priority: 6,
        },
        // What tells a process from others: leases and locks ask for it. Modules of Node, which no other file for any runtime may bring along.
        {
          name: 'identity',
          test: isOf(/^host\/(lock\/(process-identity|sha256)|disk\/system-error)\.js$/),
          priority: 6,
        },
        // What the thread of a journal needs besides, without the core.
        {
          name: 'journal',
          test: isOf(/^durable\/sqlite\/(store\/|worker\/serve)/),
          priority: 5,
        },
        // What a skill is, for the suite and for what reads one from a disk: neither brings the other along.
        { name: 'skills', test: isOf(/^suite\/skills\/(front-matter|read-skills|skill)\.js$/), priority: 1 },
        // What starts processes, without the file systems of the disk. After the core, because a group takes along what its modules import.
        { name: 'process', test: isOf(/^host\/process\//), priority: 1 },
        { name: 'mcp', test: isIn('harness/mcp'), priority: 1 },
        { name: 'node', test: isOf(/^host\/(?!sandbox\/)/), priority: 1 },
        { name: 'otel', test: isIn('record/otel'), priority: 1 },
        { name: 'provider', test: isIn('providers/kit', 'harness/kit'), priority: 1 },
        // What the matchers of a test framework take of a record.
        { name: 'run-cost', test: isOf(/^record\/fold\/run-cost\.js$/), priority: 1 },
        { name: 'record', test: isOf(/^record\/(?!otel\/|vitest\/)/), priority: 1 },
        // The memory and the shapes of vendors are for `/tools` alone.
        {
          name: 'suite',
          test: isOf(/^suite\/(?!memory\/|provider-tools\/|vfs\/(?:v4a\/|apply-patch))/),
          priority: 1,
        },
        // The functions of the root are in the core, and load the rest of what a journal takes.
        { name: 'core', test: isOf(...definitions), priority: 3 },
        // What evaluates a prompt is apart from what defines one, and an agent: a bundle of a program that has no adapter has none of it.
        { name: 'evaluation', test: isOf(/^(core\/|durable\/open-tool-runtime\.js$)/), priority: 2 },
        // What every journal of a database is made of.
        // What a job is, for queues in memory as well.
        { name: 'jobs', test: isOf(/^durable\/queue\/run-job/), priority: 1 },
        { name: 'memory-journal', test: isOf(/^durable\/journal\/memory-/), priority: 1 },
        { name: 'leased-journal', test: isOf(/^durable\/(journal|blobs)\//), priority: 1 },
        { name: 'postgres', test: isOf(/^durable\/postgres\//), priority: 1 },
        {
          name: 'durable-runs',
          test: isOf(
            /^durable\/(?!sqlite\/|postgres\/|journal\/|blobs\/|budget\/|queue\/|steps\/|(index|on-demand|open-tool-runtime)\.js$)/,
          ),
        },
        // What programs on several machines use, and no other one.
        { name: 'worker', test: isOf(/^(agent\/worker|durable\/(budget|queue|steps))\//) },
        {
          name: 'wink',
          test: isOf(
            /^cli\/(process\/(?!redact|version|cache-folder|inside-folder)|options\/|commands\/|runs\/resume-arguments|model\/model-choice)/,
          ),
          priority: 4,
        },
        { name: 'wink-durable', test: isIn('cli/journal') },
        // Telemetry is a file of its own: only a run with --otel loads it.
        {
          name: 'wink-run',
          test: isOf(/^cli\/((model|mcp|folder|agent|report)\/|process\/redact|run-command\.js)/),
        },
      ],
    },
  });
  await build.close();
  for (const path of modules) rmSync(join(folder, path));
  mkdirSync(join(folder, 'shared'));
  // Which source a stretch of code comes from, without the name of the folder that it was built in.
  const origin = new RegExp(`^// ${basename(folder)}/(.+)\\.js$`, 'gm');
  for (const file of output) {
    const text =
      file.type === 'chunk' ? inAscii(markPure(file.code).replace(origin, '// src/$1.ts')) : file.source;
    writeFileSync(join(folder, file.fileName), text);
  }
}

/**
 * The same code in ASCII: V8 holds a module in which one character needs two bytes in twice the memory, and takes longer to read it. The characters are in
 * texts and patterns, where an escape means the same; not in the raw text of a tagged template.
 * @param {string} code
 */
function inAscii(code) {
  if (code.includes('String.raw'))
    throw new Error('bundle: an escape in String.raw would mean something else.');
  // One UTF-16 unit each.
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
