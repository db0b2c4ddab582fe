import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { nearestNames } from '../../core/internal/index.ts';
import { isModuleName } from '../process/load-module.ts';

/** Of how many files the text is read, and how much of it. */
const maxFiles = 20;
const maxBytes = 32_768;

/**
 * The file beside a path without one that was probably meant: of those that look as if they made an agent, the one with the most similar name, or else the only one. No module is executed.
 *
 * @returns a path as the given one is written; undefined: nothing is like it, or there is a file.
 */
export function nearestAgent(path: string): string | undefined {
  if (existsSync(path) && extname(path) !== '') return undefined;
  const folder = dirname(path);
  const files = filesOf(folder).filter(
    (name) => isModuleName(name) && !/\.(?:d|test|spec)\.[cm]?ts$/.test(name),
  );
  // A name without its end is as near as it gets.
  const similar = [
    ...files.filter((name) => basename(name, extname(name)) === basename(path)),
    ...nearestNames(basename(path), files),
  ];
  const makers = files
    .toSorted((left, right) => rankIn(similar, left) - rankIn(similar, right))
    .slice(0, maxFiles)
    .filter((name) => looksLikeAgent(join(folder, name)));
  const found =
    makers.find((name) => similar.includes(name)) ?? (makers.length === 1 ? makers[0] : undefined);
  if (found === undefined) return undefined;
  return folder === '.' && !path.startsWith('.') ? found : join(folder, found);
}

function rankIn(names: readonly string[], name: string): number {
  const rank = names.indexOf(name);
  return rank < 0 ? names.length : rank;
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((each) => (each.isFile() ? [each.name] : []));
  } catch {
    return [];
  }
}

function looksLikeAgent(file: string): boolean {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const bytes = new Uint8Array(maxBytes);
      const count = readSync(descriptor, bytes, 0, maxBytes, 0);
      return new TextDecoder().decode(bytes.subarray(0, count)).includes('defineAgent');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}
