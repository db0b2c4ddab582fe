import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { describeError } from '../../core/error/index.ts';
import { errorMessage, missingModule, orUsageError, UsageError } from './errors.ts';
import { loadJiti } from './load-jiti.ts';
import { printable } from './plain-text.ts';

const extensions: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs']);

/** Whether a name is that of a module that can be loaded, by its end. */
export function isModuleName(name: string): boolean {
  return extensions.has(extname(name));
}

/** A module that was loaded. */
export interface LoadedModule {
  /** What it exports. */
  readonly exported: unknown;
  /** Absolute path of its directory. */
  readonly folder: string;
}

/**
 * Loads a module that the user names. TypeScript is loaded without a build step. Imports of `weakincentives` in the module resolve to this running library, so that tokens
 * and classes are identical.
 *
 * @param what what the module has to export, for errors: `agent`.
 * @param cacheFolder where what TypeScript is translated to is kept for the next process. Default: it is not kept.
 * @throws {UsageError} when there is no such file, or it cannot be loaded.
 */
export async function loadModule(name: string, what: string, cacheFolder?: string): Promise<LoadedModule> {
  const shown = printable(name);
  if (!isModuleName(name)) {
    throw new UsageError(
      `there is no ${what} "${shown}": name a file (.ts, .mts, .js, .mjs) that exports one.`,
    );
  }
  const path = resolve(name);
  await checkFile(path, shown, what);
  return { exported: await importModule(path, shown, what, cacheFolder), folder: dirname(path) };
}

async function checkFile(path: string, shown: string, what: string): Promise<void> {
  const found = await orUsageError(
    () => stat(path),
    (error) => `the ${what} "${shown}" cannot be read: ${errorMessage(error)}.`,
  );
  if (!found.isFile()) throw new UsageError(`the ${what} "${shown}" is not a file.`);
}

async function importModule(
  path: string,
  shown: string,
  what: string,
  cacheFolder: string | undefined,
): Promise<unknown> {
  const jiti = loadJiti().createJiti(import.meta.url, {
    // Its own choice of a folder is shared: others could plant code there for this process to run.
    fsCache: cacheFolder === undefined ? false : join(cacheFolder, 'modules'),
    interopDefault: false,
    virtualModules: ownModules(),
  });
  return orUsageError<unknown>(
    () => jiti.import(path),
    (error) => {
      const missing = missingModule(error);
      if (missing !== undefined) return `the ${what} "${shown}" cannot be loaded: ${missing}.`;
      const folder = dirname(path);
      // The first line has the reason; further lines contain absolute paths. A parse error has its position on the second
      // line.
      const [first = '', second = ''] = describeError(error)
        .split('\n')
        .map((line) => line.replaceAll(`${folder}/`, '').trim());
      const place = /^\S+:\d+:\d+$/.test(second) ? ` (${second})` : '';
      return `the ${what} "${shown}" cannot be loaded: ${printable(first.replace(/\.$/, '') + place)}.`;
    },
  );
}

/**
 * The files that modules of this process were loaded from, also the one that could not be translated, without those of installed packages. Modules that Node imports without a
 * translation are not among them.
 */
export function loadedFiles(): readonly string[] {
  const { cache } = createRequire(import.meta.url);
  return Object.keys(cache).filter((path) => !path.split(sep).includes('node_modules'));
}

/** What the package exports. */
const ownEntries: readonly string[] = [
  'weakincentives',
  'weakincentives/acp',
  'weakincentives/ai-sdk',
  'weakincentives/anthropic',
  'weakincentives/claude-agent',
  'weakincentives/conformance',
  'weakincentives/mcp',
  'weakincentives/node',
  'weakincentives/openai',
  'weakincentives/otel',
  'weakincentives/durable',
  'weakincentives/postgres',
  'weakincentives/provider',
  'weakincentives/record',
  'weakincentives/sandbox',
  'weakincentives/sqlite',
  'weakincentives/testing',
  'weakincentives/tools',
  'weakincentives/vitest',
];

/**
 * The entries of this package, which a package finds by its own name. Each is loaded when a module imports it: jiti reads the member then, and
 * waits for it.
 */
function ownModules(): Record<string, unknown> {
  const modules = {};
  for (const name of ownEntries) {
    Object.defineProperty(modules, name, { enumerable: true, get: () => import(name) });
  }
  return modules;
}
