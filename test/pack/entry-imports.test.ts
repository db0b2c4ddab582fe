import { isBuiltin } from 'node:module';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { followStaticImports } from './module-graph.ts';
import { type PackedPackage, packPackage } from './packed-package.ts';

let packed: PackedPackage;
beforeAll(() => {
  const problem = inject('buildProblem');
  if (problem !== '') throw new Error(problem);
  packed = packPackage();
});
afterAll(() => packed?.[Symbol.dispose]());

/** Modules of Node that take long to load, or that not every Node has: what needs one of them imports it then. */
const dear = ['http', 'https', 'http2', 'tls', 'inspector', 'sqlite', 'zlib', 'vm', 'repl', 'test'];

/**
 * What the import of an entry reads: kilobytes of this package at most, and the packages of others. The optional peers are not among these: they are
 * loaded with the first use.
 */
const budgets: Readonly<
  Record<string, { readonly kilobytes: number; readonly packages?: readonly string[] }>
> = {
  '.': { kilobytes: 929 },
  './acp': { kilobytes: 1512 },
  './ai-sdk': { kilobytes: 1156 },
  './anthropic': { kilobytes: 1088 },
  './claude-agent': { kilobytes: 1516 },
  './conformance': { kilobytes: 1136, packages: ['iso-3166/1-a2-to-1-a3.js'] },
  './durable': { kilobytes: 1274, packages: ['@noble/hashes/sha2.js', '@noble/hashes/utils.js'] },
  './mcp': { kilobytes: 1062 },
  './node': { kilobytes: 1253 },
  './openai': { kilobytes: 1090 },
  './otel': { kilobytes: 606 },
  './postgres': { kilobytes: 1055 },
  './provider': { kilobytes: 1049 },
  './record': { kilobytes: 1070, packages: ['@noble/hashes/sha2.js', '@noble/hashes/utils.js'] },
  './sandbox': { kilobytes: 1482, packages: ['iso-3166/1-a2-to-1-a3.js'] },
  './sqlite': { kilobytes: 1336 },
  './testing': { kilobytes: 1226, packages: ['@noble/hashes/sha2.js', '@noble/hashes/utils.js'] },
  './tools': { kilobytes: 1104, packages: ['iso-3166/1-a2-to-1-a3.js'] },
  './vitest': { kilobytes: 578 },
};

/** The module that a subpath exports. */
function codeOf(subpath: string): string {
  const target = packed.manifest.exports[subpath];
  if (typeof target !== 'object') throw new Error(`the package exports no module as ${subpath}`);
  return target.default.slice('./'.length);
}

describe('the import of an entry', () => {
  it('is limited for each', () => {
    const subpaths = Object.keys(packed.manifest.exports).filter((subpath) => subpath !== './package.json');
    expect(Object.keys(budgets)).toEqual(subpaths);
  });

  it.each(Object.entries(budgets))('%s reads no more than it did', (subpath, budget) => {
    const { files, outside } = followStaticImports([codeOf(subpath)], packed.read);
    const bytes = [...files].reduce((sum, file) => sum + Buffer.byteLength(packed.read(file)), 0);
    expect(bytes / 1000).toBeLessThanOrEqual(budget.kilobytes);
    const [builtins, packages] = [
      [...outside.keys()].filter(isBuiltin),
      [...outside.keys()].filter((name) => !isBuiltin(name)),
    ];
    expect(builtins.filter((name) => dear.includes(name.replace('node:', '').split('/', 1).join()))).toEqual(
      [],
    );
    expect(packages.sort()).toEqual(budget.packages ?? []);
  });

  it('of the root runs few functions', () => {
    // Schemas and tools that the library makes for itself are made when they are first used.
    const printed = packed.run(
      `import { Session } from 'node:inspector/promises';
       const session = new Session();
       session.connect();
       await session.post('Profiler.enable');
       await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
       await import('weakincentives');
       const { result } = await session.post('Profiler.takePreciseCoverage');
       const own = result.filter(({ url }) => url.includes('/dist/')).flatMap(({ functions }) => functions);
       const counts = own.map(({ ranges: [{ count }] }) => count).filter((count) => count > 0);
       console.log(JSON.stringify({ functions: counts.length, calls: counts.reduce((sum, count) => sum + count) }));`,
    );
    const run: { readonly functions: number; readonly calls: number } = JSON.parse(printed);
    expect(run.functions).toBeGreaterThan(50);
    expect(run.functions).toBeLessThanOrEqual(126);
    expect(run.calls).toBeLessThanOrEqual(1_155);
  });
});

describe('followStaticImports', () => {
  it('follows what is loaded at once and nothing else', () => {
    const files: Readonly<Record<string, string>> = {
      'a.js': "import './b.js'; export { c } from './c.js'; const d = () => import('./d.js');",
      'b.js': "import 'one';",
      'c.js': "export const c = await import('two');",
    };
    const { files: reached, outside } = followStaticImports(['a.js'], (file) => files[file] ?? '');
    expect([[...reached].sort(), [...outside.keys()]]).toEqual([['a.js', 'b.js', 'c.js'], ['one']]);
  });
});
