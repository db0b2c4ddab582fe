import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { linksOf } from '../docs/links.ts';
import { findAnyTypes, followImports } from './module-graph.ts';
import { linkTypes, type PackedPackage, packPackage } from './packed-package.ts';

const sources = fileURLToPath(new URL('../../src', import.meta.url));
const compiler = fileURLToPath(new URL('../../node_modules/typescript-7/bin/tsc', import.meta.url));

/** The entries that run in any runtime, by the names that users import. */
const wings: { readonly anyRuntime: readonly string[] } = JSON.parse(
  readFileSync(new URL('../../scripts/wings.json', import.meta.url), 'utf8'),
);
const anyRuntime = wings.anyRuntime.map((name) =>
  name === 'index' ? 'weakincentives' : `weakincentives/${name}`,
);

let packed: PackedPackage;
beforeAll(() => {
  const problem = inject('buildProblem');
  if (problem !== '') throw new Error(problem);
  packed = packPackage();
  linkTypes(packed.project, '@types/node');
  linkTypes(packed.project, 'undici-types');
});
afterAll(() => packed?.[Symbol.dispose]());

/** The subpaths with code, as a user writes them, with their files. */
function entries(): readonly { readonly name: string; readonly code: string; readonly types: string }[] {
  return Object.entries(packed.manifest.exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            name: subpath.replace('.', packed.manifest.name),
            code: target.default.slice('./'.length),
            types: target.types.slice('./'.length),
          },
        ],
  );
}

function entry(name: string): { readonly code: string; readonly types: string } {
  const found = entries().find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`the package does not export ${name}`);
  return found;
}

/** What the agents of examples work on, with faults on purpose. */
const isMaterial = (file: string): boolean =>
  /^examples\/(?:review\/fixture|fix-tests\/(?:node-)?project)\//.test(file);

describe('packed files', () => {
  it('are the build and the documents', () => {
    const tops = new Set(packed.files.map((file) => file.split('/', 1).join()));
    // The guides are packed as soon as there is one.
    tops.delete('guides');
    expect([...tops].sort()).toEqual([
      'AGENTS.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'VERSIONING.md',
      'bench',
      'dist',
      'docs',
      'examples',
      'llms.txt',
      'package.json',
      'templates',
    ]);
  });

  it('hold no test, script or leftover', () => {
    const unwanted = /\.(test|test-d|bench)\.|\.(tsbuildinfo|tgz|log)$|(^|\/)\.[^/]+$/;
    // The tests of the templates are what projects begin with; those of examples are what agents work on.
    const own = packed.files.filter(
      (file) => !/^templates\/\w+\/agent\.test\.ts$/.test(file) && !isMaterial(file),
    );
    expect(own.filter((file) => unwanted.test(file))).toEqual([]);
  });

  it('hold the declarations of every source, the code in few modules, and nothing else in dist', () => {
    const declarations = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('viewer'))
      .map((file) => `dist/${file.replace(/\.ts$/, '.d.ts')}`);
    const modules = [
      ...entries().map(({ code }) => code),
      ...Object.values(packed.manifest.bin).map((path) => path.replace(/^\.\//, '')),
      // Programs that run in a thread or a process of their own.
      'dist/cli/query/program.js',
      'dist/host/sandbox/evaluate/program.js',
      'dist/host/sandbox/virtual/program.js',
      'dist/durable/sqlite/worker/program.js',
      'dist/testing/durable/child/program.js',
      // Loaded by its address, because it needs Node and its entry does not.
      'dist/testing/durable/parent/matrix.js',
      ...[
        'acp',
        'ai-sdk',
        'anthropic',
        'base',
        'budgets-command',
        'case-list',
        'claude-agent',
        'core',
        'durable-runs',
        'evaluation',
        'evaluator',
        'identity',
        'internal',
        'jobs',
        'journal',
        'leased-journal',
        'listed-runs',
        'manual-clock',
        'memory-journal',
        'mcp',
        'node',
        'openai',
        'otel',
        'postgres',
        'provider',
        'record',
        'refuse-client',
        'scripted-adapter',
        'process',
        'remote',
        'run-cost',
        'skills',
        'sqlite-journal',
        'suite',
        'virtual-sandbox',
        'worker',
      ].map((name) => `dist/shared/${name}.js`),
      // The command's, whose own commands are loaded on demand, and what these take of an entry's code.
      ...[
        'acp2',
        'ai-sdk2',
        'anthropic2',
        'approvals-command',
        'claude-agent2',
        'complete-command',
        'doctor-command',
        'fork-command',
        'init-command',
        'journal-command',
        'mcp-servers',
        'once-command',
        'open-database',
        'open-journal',
        'open-queue',
        'openai2',
        'prompt-command',
        'query-command',
        'record-file',
        'record2',
        'records-command',
        'records-folder',
        'redact',
        'replay-command',
        'result-text',
        'resume-command',
        'resume-command2',
        'rewind-command',
        'run-command',
        'run-left',
        'runs-command',
        'sandbox',
        'say-command',
        'serve-command',
        'sqlite',
        'start',
        'submit-command',
        'telemetry',
        'view-command',
        'watch-command',
        'watched-run',
        'wink',
        'wink-durable',
        'wink-run',
        'worker-command',
      ].map((name) => `dist/shared/${name}.js`),
      // The viewer is one page, which the command fills.
      'dist/viewer/page.html',
    ];
    expect(declarations.length).toBeGreaterThan(300);
    expect(packed.files.filter((file) => file.startsWith('dist/'))).toEqual(
      [...declarations, ...modules].sort(),
    );
  });

  it('hold code in ASCII, which V8 keeps in half the memory', () => {
    const others = packed.files.filter(
      (file) => file.endsWith('.js') && /[\u0080-\uffff]/.test(packed.read(file)),
    );
    expect(others).toEqual([]);
  });

  it('link only to what is packed, too', () => {
    const broken = packed.files
      .filter((file) => file.endsWith('.md') && !isMaterial(file))
      .flatMap((file) =>
        linksOf({ file, text: packed.read(file) })
          .filter(({ path }) => !packed.files.some((name) => name === path || name.startsWith(`${path}/`)))
          .map(({ target }) => `${file}: ${target}`),
      );
    expect(broken).toEqual([]);
  });

  it('bring every command as an executable script', () => {
    for (const path of Object.values(packed.manifest.bin)) {
      expect(packed.read(path).split('\n')[0]).toBe('#!/usr/bin/env node');
      expect(statSync(join(packed.folder, path)).mode & 0o111).toBe(0o111);
    }
  });
});

describe('the page of wink view', () => {
  it('is one file of limited size, which the library does not load', () => {
    const page = packed.read('dist/viewer/page.html');
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(165_000);
    // As most servers send it to a browser.
    expect(gzipSync(page, { level: 9 }).length).toBeLessThanOrEqual(57_000);
    expect(page).not.toMatch(/\b(src|href)="/);
    const { files } = followImports(
      entries().map(({ code }) => code),
      packed.read,
    );
    expect([...files].filter((file) => file.includes('view'))).toEqual([]);
  });
});

describe('command wink', () => {
  it('runs through the link that npm makes for it', () => {
    const command = join(packed.project, 'wink');
    symlinkSync(join(packed.folder, packed.manifest.bin['wink'] ?? ''), command);
    expect(execFileSync(command, ['--version'], { encoding: 'utf8' }).trim()).toContain(
      packed.manifest.version,
    );
    expect(execFileSync(command, ['--help'], { encoding: 'utf8' })).toContain('wink');
  });

  it('names the package to install for --otel where it is not there', () => {
    writeFileSync(
      join(packed.project, 'agent.mjs'),
      `import { defineAgent, promptTemplate, section } from 'weakincentives';
       import { scriptedAdapter } from 'weakincentives/testing';
       const sections = [section({ title: 'Task', key: 'task', template: 'Answer.' })];
       const template = promptTemplate({ ns: 'test', key: 'agent', sections });
       export default defineAgent({ template, workspace: false, adapter: scriptedAdapter([{ text: 'Done.' }]) });`,
    );
    const command = join(packed.folder, packed.manifest.bin['wink'] ?? '');
    const { status, stderr } = spawnSync(command, ['run', join(packed.project, 'agent.mjs'), '--otel'], {
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toBe(
      'wink: --otel needs the package "@opentelemetry/sdk-node", which is not installed where the agent or this command would find it. Install it with "npm install @opentelemetry/api @opentelemetry/sdk-node".\n',
    );
  });

  it('loads nothing of the library but its errors before a command is chosen', () => {
    const importsOf = (file: string): readonly string[] =>
      [...packed.read(file).matchAll(/^import .* from "(\..*)";$/gm)].map(([, path = '']) => path);
    expect(importsOf(packed.manifest.bin['wink'] ?? '')).toEqual([]);
    expect(importsOf('dist/shared/start.js')).toEqual(['./wink.js', './base.js']);
  });

  it('prints its version before it loads the rest of itself', () => {
    const alone = join(packed.project, 'alone');
    const command = packed.manifest.bin['wink'] ?? '';
    for (const file of [command, 'package.json']) {
      mkdirSync(join(alone, dirname(file)), { recursive: true });
      copyFileSync(join(packed.folder, file), join(alone, file));
    }
    for (const option of ['--version', '-V']) {
      expect(execFileSync(process.execPath, [join(alone, command), option], { encoding: 'utf8' })).toBe(
        `${packed.manifest.version}\n`,
      );
    }
  });

  it('loads what --otel takes with that option only', () => {
    const importing = packed.files.filter(
      (file) => file.endsWith('.js') && /^import .*telemetry\.js";$/m.test(packed.read(file)),
    );
    expect(importing).toEqual([]);
    expect(packed.read('dist/shared/wink-run.js')).toContain('import("./telemetry.js")');
  });
});

describe('an entry for any runtime', () => {
  it.each(anyRuntime)('%s reaches no Node module, nor do its declarations', (name) => {
    const { code, types } = entry(name);
    const { outside } = followImports([code, types], packed.read);
    expect([...outside].filter(([specifier]) => isBuiltin(specifier))).toEqual([]);
  });
});

describe('root entry', () => {
  it('loads no Node module, its dependencies included', () => {
    writeFileSync(
      join(packed.project, 'record-builtins.mjs'),
      `export async function resolve(specifier, context, next) {
         const resolved = await next(specifier, context);
         if (resolved.url.startsWith('node:')) throw new Error('builtin ' + resolved.url + ' from ' + context.parentURL);
         return resolved;
       }`,
    );
    const load = (name: string): string =>
      packed.run(
        `import { register } from 'node:module';
         register('./record-builtins.mjs', 'file://' + process.cwd() + '/');
         await import('${name}');
         console.log('loaded');`,
      );
    expect(load('weakincentives').trim()).toBe('loaded');
    expect(load('weakincentives/testing').trim()).toBe('loaded');
    // The recorder itself works: this entry is the one that needs Node.
    expect(() => load('weakincentives/node')).toThrow(/builtin node:/);
  });

  it('loads the engine for patterns with the first pattern', () => {
    writeFileSync(
      join(packed.project, 'print-packages.mjs'),
      `export async function resolve(specifier, context, next) {
         if (specifier === 're2js') process._rawDebug('loads re2js');
         return next(specifier, context);
       }`,
    );
    const printed = packed.run(
      `import { register } from 'node:module';
       import { spawnSync } from 'node:child_process';
       const program = \`
         import { register } from 'node:module';
         register('./print-packages.mjs', 'file://' + process.cwd() + '/');
         const { MemoryFilesystem } = await import('weakincentives');
         const files = new MemoryFilesystem({ files: { a: 'text' } });
         await files.grep('text', { literal: true });
         process._rawDebug('searches');
         await files.grep('t.xt');
       \`;
       const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
       console.log(stderr);`,
    );
    expect(printed.trim().split('\n')).toEqual(['searches', 'loads re2js']);
  });

  it('exports at most 89 values by name and nothing by default', () => {
    const names: readonly string[] = JSON.parse(
      packed.run(`console.log(JSON.stringify(Object.keys(await import('weakincentives'))));`),
    );
    expect(names).not.toContain('default');
    // Which exports belong to the root and which to the suite: docs/decisions/0082-root-suite-provider.md.
    expect(names.length).toBeLessThanOrEqual(89);
  });
});

describe('every entry', () => {
  it('can be imported where only the runtime dependencies are installed', () => {
    const names = entries().map(({ name }) => name);
    expect(names).toEqual([
      'weakincentives',
      'weakincentives/acp',
      'weakincentives/ai-sdk',
      'weakincentives/anthropic',
      'weakincentives/claude-agent',
      'weakincentives/conformance',
      'weakincentives/durable',
      'weakincentives/mcp',
      'weakincentives/node',
      'weakincentives/openai',
      'weakincentives/otel',
      'weakincentives/postgres',
      'weakincentives/provider',
      'weakincentives/record',
      'weakincentives/sandbox',
      'weakincentives/sqlite',
      'weakincentives/testing',
      'weakincentives/tools',
      'weakincentives/vitest',
    ]);
    for (const name of names) {
      const count = packed.run(`console.log(Object.keys(await import('${name}')).length);`);
      expect(Number(count), name).toBeGreaterThan(0);
    }
  });

  it('imports only declared dependencies and Node', () => {
    const { outside } = followImports(
      [...entries().flatMap(({ code, types }) => [code, types]), ...Object.values(packed.manifest.bin)].map(
        (file) => file.replace(/^\.\//, ''),
      ),
      packed.read,
    );
    const { dependencies, peerDependencies } = packed.manifest;
    const declared = Object.keys({ ...dependencies, ...peerDependencies });
    const undeclared = [...outside].filter(
      ([specifier]) =>
        !isBuiltin(specifier) &&
        !declared.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
    );
    expect(undeclared).toEqual([]);
  });

  it.each([
    ['anthropic', '@anthropic-ai/sdk'],
    ['openai', 'openai'],
  ])('names the package to install when %s needs %s and it is not there', (adapter, peer) => {
    const printed = packed.run(
      `import { promptTemplate, section } from 'weakincentives';
       import { ${adapter} as adapter } from 'weakincentives/${adapter}';
       const sections = [section({ title: 'Task', key: 'task', template: 'Answer.' })];
       const prompt = promptTemplate({ ns: 'test', key: 'peer', sections }).bind();
       await adapter({ model: 'm', apiKey: 'none' }).evaluate(prompt).catch(({ phase, cause }) =>
         console.log(JSON.stringify([phase, cause.name, cause.code, cause.message, cause.cause.code])));`,
    );
    const [phase, name, code, message, reason] = JSON.parse(printed);
    expect([phase, name, code, reason]).toEqual([
      'request',
      'MissingPeerError',
      'peer-missing',
      'ERR_MODULE_NOT_FOUND',
    ]);
    expect(message).toContain(`npm install ${peer}`);
  });

  it('asks in its declarations for no package that may not be there', () => {
    const { outside } = followImports(
      entries().map(({ types }) => types),
      packed.read,
    );
    const optional = Object.keys(packed.manifest.peerDependencies);
    expect([...outside.keys()].filter((specifier) => optional.includes(specifier))).toEqual([]);
  });

  it('has declarations without any', () => {
    const { files } = followImports(
      entries().map(({ types }) => types),
      packed.read,
    );
    expect([...files].flatMap((file) => findAnyTypes(file, packed.read(file)))).toEqual([]);
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'preserve'],
  ])('type-checks in a strict project with module resolution %s', (moduleResolution, module) => {
    const names = entries().map(({ name }) => name);
    writeFileSync(
      join(packed.project, 'consumer.ts'),
      `${names.map((name, index) => `import * as entry${index} from '${name}';`).join('\n')}
       export const loaded: readonly object[] = [${names.map((_, index) => `entry${index}`).join(', ')}];`,
    );
    writeFileSync(
      join(packed.project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          noEmit: true,
          strict: true,
          exactOptionalPropertyTypes: true,
          target: 'es2022',
          lib: ['es2023', 'esnext.disposable'],
          types: ['node'],
          module,
          moduleResolution,
        },
        files: ['consumer.ts'],
      }),
    );
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', packed.project, '--pretty', 'false'], {
      cwd: packed.project,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });
});

describe('findAnyTypes', () => {
  it('sees the keyword and neither comments nor names', () => {
    const text = [
      '/** any */',
      'export declare const many: string;',
      'export declare function f(x: any): Any;',
    ].join('\n');
    expect(findAnyTypes('x.d.ts', text)).toEqual(['x.d.ts:3']);
  });
});
