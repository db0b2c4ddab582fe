import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isRecord, withoutByteOrderMark } from '../../core/internal/index.ts';
import type { Finding } from './finding.ts';

/** How many files one after the other may extend another one. */
const maxDepth = 10;
const oldResolutions: ReadonlySet<string> = new Set(['classic', 'node', 'node10']);

/** The settings of TypeScript beside an agent. @returns undefined: there are none, or they are in a package. */
export function checkTsconfig(folder: string): Finding | undefined {
  const options = optionsIn(join(folder, 'tsconfig.json'), 0);
  if (options === undefined) return undefined;
  const subject = 'tsconfig.json';
  const textOf = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value.toLowerCase() : undefined;
  };
  const resolution = textOf('moduleResolution');
  const module = textOf('module');
  const isOld =
    resolution === undefined ? module === undefined || module === 'commonjs' : oldResolutions.has(resolution);
  const { lib } = options;
  const names = Array.isArray(lib) ? lib.map((each) => String(each).toLowerCase()) : undefined;
  const hasDisposable =
    names === undefined
      ? textOf('target') === 'esnext'
      : names.some((name) => name === 'esnext' || name === 'esnext.disposable');
  const faults = [
    ...(isOld ? [{ about: 'packages with entries are not found', repair: '"module": "nodenext"' }] : []),
    ...(hasDisposable
      ? []
      : [{ about: '"await using" is not known', repair: '"lib": ["es2023", "esnext.disposable"]' }]),
  ];
  if (faults.length > 0) {
    const about = faults.map((fault) => fault.about).join('; ');
    return { status: 'warning', subject, about, repair: faults.map(({ repair }) => repair).join(', ') };
  }
  return { status: 'ok', subject, about: 'module resolution, "await using"' };
}

/** The options of the compiler in a file, over those of the files that it extends; undefined: it is not there, or cannot be read. */
function optionsIn(file: string, depth: number): Readonly<Record<string, unknown>> | undefined {
  if (depth > maxDepth) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(withoutComments(withoutByteOrderMark(readFileSync(file, 'utf8'))));
  } catch {
    return undefined;
  }
  if (!isRecord(content)) return undefined;
  const { compilerOptions, extends: outer } = content;
  const bases = (Array.isArray(outer) ? outer : outer === undefined ? [] : [outer]).map(String);
  let options: Readonly<Record<string, unknown>> = {};
  for (const base of bases) {
    // What a package sets is not known here.
    if (!base.startsWith('.')) return undefined;
    const path = resolve(dirname(file), base.endsWith('.json') ? base : `${base}.json`);
    options = { ...options, ...optionsIn(path, depth + 1) };
  }
  return { ...options, ...(isRecord(compilerOptions) ? compilerOptions : {}) };
}

/** JSON without the comments and last commas that TypeScript allows. */
function withoutComments(text: string): string {
  const withoutLines = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) =>
    part.startsWith('"') ? part : ' ',
  );
  return withoutLines.replaceAll(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part));
}
