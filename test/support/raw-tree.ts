import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Entry of `rawTree` for one name. */
export interface RawEntry {
  readonly kind: 'directory' | 'file' | 'link' | 'special';
  readonly inode: bigint;
  /** Bytes of a file or of the text of a link, in hexadecimal. */
  readonly content: string;
}

/** Everything below a folder by its path, bytes read as Latin-1, so that no two names are the same. */
export function rawTree(folder: string): ReadonlyMap<string, RawEntry> {
  const found = new Map<string, RawEntry>();
  const walk = (at: Buffer, prefix: string): void => {
    for (const name of readdirSync(at, { encoding: 'buffer' })) {
      const path = Buffer.concat([at, Buffer.from('/'), name]);
      const key = `${prefix}${name.toString('latin1')}`;
      const stats = lstatSync(path, { bigint: true });
      const inode = stats.ino;
      if (stats.isDirectory()) {
        found.set(key, { kind: 'directory', inode, content: '' });
        walk(path, `${key}/`);
      } else if (stats.isSymbolicLink()) {
        const content = readlinkSync(path, { encoding: 'buffer' }).toString('hex');
        found.set(key, { kind: 'link', inode, content });
      } else if (stats.isFile()) found.set(key, { kind: 'file', inode, content: readFileSync(path, 'hex') });
      else found.set(key, { kind: 'special', inode, content: '' });
    }
  };
  walk(Buffer.from(folder), '');
  return found;
}

/** The path of a name that is bytes, in a folder. */
export function rawPath(folder: string, name: Uint8Array | string): Buffer {
  return Buffer.concat([
    Buffer.from(`${folder}/`),
    typeof name === 'string' ? Buffer.from(name, 'latin1') : name,
  ]);
}
