import { readdirSync } from 'node:fs';

/** A name in a directory of the host. */
export interface ListedName {
  /** Bytes that are not UTF-8 are replaced. */
  readonly name: string;
  /** False when bytes were replaced: no path leads to the entry by this name. */
  readonly isExact: boolean;
  /** Whether it is known to be a regular file. False also where the listing does not say what an entry is. */
  readonly isFile: boolean;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The names in a directory, in no particular order, as far as possible without inspecting the entries themselves.
 * @throws the error of the operating system.
 */
export function listNames(path: string): readonly ListedName[] {
  const entries = readdirSync(path, { withFileTypes: true });
  if (entries.some(({ name }) => name.includes('\uFFFD'))) return listByBytes(path);
  return entries.map((entry) => ({ name: entry.name, isExact: true, isFile: entry.isFile() }));
}

/** The same for names of which some may not be UTF-8: only their bytes say whether they are. */
function listByBytes(path: string): readonly ListedName[] {
  return readdirSync(path, { encoding: 'buffer' }).map((bytes) => {
    const name = decoder.decode(bytes);
    return { name, isExact: Buffer.from(name).equals(bytes), isFile: false };
  });
}
