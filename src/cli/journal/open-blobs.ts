import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import type { BlobStore } from '../../core/runtime/index.ts';
import { directoryBlobs } from '../../host/index.ts';
import type { JournalNames } from '../options/journal-names.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { errorMessage, orUsageError, UsageError } from '../process/errors.ts';
import { isModuleName, loadModule } from '../process/load-module.ts';
import { printable } from '../process/plain-text.ts';

/** Where the rows of a journal are that are too long for it. */
export interface BlobsPlace {
  /** `module`: one whose default export is the store. */
  readonly kind: 'folder' | 'module';
  readonly path: string;
}

/** The environment variable that names the place for commands without `--blobs`. */
const variable = 'WINK_BLOBS';

/**
 * The place that is named; undefined: the rows are in the journal, all of them.
 *
 * @throws {UsageError} for an address, which is neither a folder nor a module.
 */
export function blobsPlace(
  names: JournalNames | undefined,
  variables: CliEnvironment['variables'],
): BlobsPlace | undefined {
  const path = names?.blobs ?? variables[variable] ?? '';
  if (path === '') return undefined;
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(path)?.[1];
  if (scheme !== undefined) {
    throw new UsageError(
      `blobs are in a folder, or in a store that a module exports as default, and not in one of "${printable(scheme)}": for a bucket write a module that exports s3Blobs({ client, bucket }).`,
    );
  }
  return { kind: isModuleName(path) ? 'module' : 'folder', path };
}

/** How {@link openBlobs} opens a place. */
export interface OpenBlobsOptions {
  /** What is done about a folder that is not there; `shared`: it is refused, since other machines have it. */
  readonly ifAbsent: 'make' | 'refuse' | 'shared';
  /** As for {@link loadModule}. */
  readonly cacheFolder: string | undefined;
}

/**
 * Opens the store of a place.
 *
 * @throws {UsageError} for a folder that is absent or cannot be made, and for a module that cannot be loaded or exports no store.
 */
export async function openBlobs(
  { kind, path }: BlobsPlace,
  { cacheFolder, ifAbsent }: OpenBlobsOptions,
): Promise<BlobStore> {
  if (kind === 'module') return storeOf((await loadModule(path, 'blob store', cacheFolder)).exported, path);
  const shown = printable(path);
  if (!existsSync(path)) {
    if (ifAbsent !== 'make') {
      const hint =
        ifAbsent === 'shared' ? '; make it on the disk that all machines of the journal share' : '';
      throw new UsageError(`the folder of blobs "${shown}" does not exist${hint}.`);
    }
    await orUsageError(
      () => mkdir(path, { recursive: true, mode: 0o700 }),
      (error) => `the folder of blobs "${shown}" cannot be made: ${errorMessage(error)}.`,
    );
  }
  const found = await orUsageError(
    () => stat(path),
    (error) => `the folder of blobs "${shown}" cannot be read: ${errorMessage(error)}.`,
  );
  if (found.isDirectory()) return directoryBlobs({ folder: path });
  throw new UsageError(
    `the blobs "${shown}" are a file: name a folder, or a module (.ts, .mts, .js, .mjs) that exports a store.`,
  );
}

const methods = ['put', 'get', 'remove'] as const;

/** @throws {UsageError} for a module whose default export is not a store. */
function storeOf(exported: unknown, path: string): BlobStore {
  const store = memberOf(exported, 'default');
  const missing = methods.filter((name) => typeof memberOf(store, name) !== 'function');
  const list = memberOf(store, 'list');
  if (missing.length === 0 && (list === undefined || typeof list === 'function')) return store as BlobStore;
  const problem =
    store === undefined
      ? 'it has no default export'
      : missing.length === 0
        ? 'its list is not a function'
        : `what it exports has no ${missing.map((name) => `${name}()`).join(', ')}`;
  throw new UsageError(
    `"${printable(path)}" exports no blob store as default: ${problem}. A store has put(key, bytes), get(key), remove(keys) and perhaps list(prefix), as s3Blobs({ client, bucket }) has them.`,
  );
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? Reflect.get(value, name) : undefined;
}
