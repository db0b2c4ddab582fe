import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type PackedPackage, packPackage } from './packed-package.ts';

/** The entries that run in any runtime. */
const { anyRuntime }: { readonly anyRuntime: readonly string[] } = JSON.parse(
  readFileSync(new URL('../../scripts/wings.json', import.meta.url), 'utf8'),
);
const specifierOf = (entry: string): string =>
  entry === 'index' ? 'weakincentives' : `weakincentives/${entry}`;

let packed: PackedPackage;
beforeAll(() => {
  const problem = inject('buildProblem');
  if (problem !== '') throw new Error(problem);
  packed = packPackage();
});
afterAll(() => packed?.[Symbol.dispose]());

/** Where a bundle is to run. `problems` are what the bundler warns of. */
interface BundleOptions {
  readonly minify: boolean;
  readonly platform?: 'node' | 'browser';
  readonly plugin?: Plugin;
  readonly problems?: string[];
}

interface Bundled {
  /** The code that a program loads before it runs. */
  readonly code: string;
  readonly bytes: number;
  /** The packages whose code is in it. */
  readonly packages: readonly string[];
  /** The packages in what is loaded on demand. */
  readonly onDemand: readonly string[];
  /** Of the chunks that hold code of this package. */
  readonly bytesOnDemand: number;
}

/** Bundles a module of a project that depends on the package; optional peers stay outside, as they are not installed. */
async function bundle(source: string, options: BundleOptions): Promise<Bundled> {
  const input = join(packed.project, 'bundled.mjs');
  writeFileSync(input, source);
  const peers = Object.keys(packed.manifest.peerDependencies);
  await using build = await rolldown({
    input,
    cwd: packed.project,
    platform: options.platform ?? 'node',
    onLog: (_level, { message }) => void options.problems?.push(message),
    // With their subpaths.
    external: (id) => peers.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: options.plugin === undefined ? [] : [options.plugin],
  });
  const { output } = await build.generate({ format: 'esm', minify: options.minify });
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const first = chunksFrom(chunks);
  const code = first.map((chunk) => chunk.code).join('\n');
  const others = [...chunks.values()].filter((chunk) => !first.includes(chunk));
  return {
    code,
    bytes: Buffer.byteLength(code),
    packages: packagesOf(first),
    onDemand: packagesOf(others),
    bytesOnDemand: others
      .filter((chunk) => packagesOf([chunk]).includes('weakincentives'))
      .reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code), 0),
  };
}

/** The entry and what it imports before it runs. */
function chunksFrom(chunks: ReadonlyMap<string, OutputChunk>): readonly OutputChunk[] {
  const waiting = [...chunks.values()].filter(({ isEntry }) => isEntry);
  const found = new Set<OutputChunk>();
  for (let chunk = waiting.pop(); chunk !== undefined; chunk = waiting.pop()) {
    found.add(chunk);
    for (const name of chunk.imports) {
      const imported = chunks.get(name);
      if (imported !== undefined && !found.has(imported)) waiting.push(imported);
    }
  }
  return [...found];
}

function packagesOf(chunks: readonly OutputChunk[]): readonly string[] {
  const modules = chunks.flatMap((chunk) =>
    Object.entries(chunk.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
  );
  const names = modules.map((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}

/** Without it a bundler leaves out a module of which nothing is used (`sideEffects: false`), whatever effects its evaluation has. */
const withSideEffects: Plugin = {
  name: 'with-side-effects',
  async resolveId(specifier, importer) {
    const resolved = await this.resolve(specifier, importer, { skipSelf: true });
    return resolved === null
      ? null
      : { ...resolved, moduleSideEffects: resolved.id.startsWith(packed.folder) };
  },
};

/** What a stranger downloads before the program runs. */
async function compressedKilobytes(source: string): Promise<number> {
  const { code } = await bundle(source, { minify: true });
  return gzipSync(code, { level: 9 }).length / 1000;
}

const agentProgram = `import { promptTemplate, section, tool, ToolResult } from 'weakincentives';
  import { scriptedAdapter } from 'weakincentives/testing';
  export { promptTemplate, scriptedAdapter, section, tool, ToolResult };`;

describe('a bundle of a program', () => {
  it('keeps nothing of an entry of which nothing is used', async () => {
    const subpaths = Object.entries(packed.manifest.exports).filter(
      ([, target]) => typeof target === 'object',
    );
    expect(subpaths.length).toBeGreaterThan(5);
    for (const [subpath] of subpaths) {
      const source = `import '${subpath.replace('.', packed.manifest.name)}';`;
      // What is left has an effect when it is evaluated: work that every import pays, used or not.
      const { code } = await bundle(source, { minify: false, plugin: withSideEffects });
      expect(code.replace(/^\/\/.*$|^export \{\s*\};$/gm, '').trim(), subpath).toBe('');
    }
  });

  it.each(anyRuntime)('for a browser takes the entry %s, with what it loads on demand', async (name) => {
    const problems: string[] = [];
    const { packages } = await bundle(`export * from '${specifierOf(name)}';`, {
      minify: false,
      platform: 'browser',
      problems,
    });
    expect(problems).toEqual([]);
    expect(packages).toContain('weakincentives');
  });

  it('for a browser fails on an entry that needs Node', async () => {
    const problems: string[] = [];
    await bundle(`export * from '${specifierOf('node')}';`, { minify: false, platform: 'browser', problems });
    expect(problems.join('\n')).toContain('node:fs');
  });

  it('holds the engine for patterns apart, to be loaded on demand', async () => {
    const source = `export { MemoryFilesystem, redactPatterns } from 'weakincentives';`;
    const { packages, onDemand } = await bundle(source, { minify: true });
    expect(packages).toEqual(['weakincentives']);
    expect(onDemand).toEqual(['re2js']);
  });

  it('holds what a journal takes apart, for the first run that has one', async () => {
    const { packages, bytesOnDemand, code } = await bundle(agentProgram, { minify: true });
    expect(packages).toEqual(['weakincentives']);
    expect(bytesOnDemand / 1000).toBeLessThanOrEqual(132);
    // Texts of src/durable and of src/record, which are what a row is written and read by.
    expect(code).not.toContain('could not be written to its journal');
    expect(code).not.toContain('The journal lacks the content');
    // Continuing a run loads it, too, and not the program that could do so.
    const resuming = await bundle(`export { resumeRun } from 'weakincentives';`, { minify: true });
    expect(resuming.code).not.toContain('could not be written to its journal');
    expect(resuming.bytesOnDemand).toBeGreaterThan(10_000);
  });

  // The library alone, without a schema library. A bundler that holds what a journal takes apart, to be loaded on demand, leaves in the first part all that this
  // part needs of a file which the program needs, too; so what defines an agent and what evaluates its prompt are two files.
  it.each([
    ['promptTemplate', `export { promptTemplate } from 'weakincentives';`, 51.5],
    ['runAgent', `export { runAgent } from 'weakincentives';`, 62.5],
    [
      'the smallest agent on an adapter of its own',
      `import { defineAgent, promptTemplate, runAgent, section, tool } from 'weakincentives';
       import { providerAdapter } from 'weakincentives/provider';
       export { defineAgent, promptTemplate, providerAdapter, runAgent, section, tool };`,
      138,
    ],
  ])('of %s is small once compressed', async (_name, source, budgetInKilobytes) => {
    expect(await compressedKilobytes(source)).toBeLessThanOrEqual(budgetInKilobytes);
  });

  it('of runAgent is hardly larger than of the template that it runs', async () => {
    const template = await compressedKilobytes(`export { promptTemplate } from 'weakincentives';`);
    const run = await compressedKilobytes(`export { runAgent } from 'weakincentives';`);
    expect(run - template).toBeLessThanOrEqual(12);
  });

  it.each([
    ['PolicyDecision', `export { PolicyDecision } from 'weakincentives';`, 1],
    ['Session', `export { Session } from 'weakincentives';`, 93.5],
    ['promptTemplate', `export { promptTemplate } from 'weakincentives';`, 159],
    ['an agent with a scripted model', agentProgram, 416],
    [
      'the same agent, run by runAgent()',
      `${agentProgram}\n  export { defineAgent, runAgent } from 'weakincentives';`,
      428,
    ],
    [
      'an agent with a model of OpenAI',
      `import { promptTemplate, section, tool, ToolResult } from 'weakincentives';
       import { openai } from 'weakincentives/openai';
       export { openai, promptTemplate, section, tool, ToolResult };`,
      475,
    ],
  ])('of %s is at most as large as it was', async (_name, source, budgetInKilobytes) => {
    const { bytes } = await bundle(source, { minify: true });
    expect(bytes / 1000).toBeLessThanOrEqual(budgetInKilobytes);
  });
});
