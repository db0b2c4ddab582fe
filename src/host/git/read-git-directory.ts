import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { showName } from '../../core/internal/index.ts';
import { noFollow, onlyDirectory, openFiles } from '../disk/open-flags.ts';
import { NoDirectoryError } from '../host-filesystem/jail/disk-error.ts';
import type { HostJail } from '../host-filesystem/jail/jail.ts';
import type { Segments } from '../host-filesystem/jail/open-directories.ts';
import { type ObjectFormat, readObjectFormat } from './git-config.ts';
import { GitRefusal } from './git-error.ts';
import { isObjectId, isRefName } from './git-names.ts';

/** What is copied of the directory `.git` of a repository: data that was checked, no setting. */
export interface GitDirectory {
  readonly format: ObjectFormat;
  /** The content of the file `HEAD`. */
  readonly head: string;
  /** Object ids by the names of refs. */
  readonly refs: ReadonlyMap<string, string>;
  /** The commits whose parents a shallow clone does not have. */
  readonly shallow: readonly string[];
}

const gitName = '.git';
const maxSmallFile = 1_048_576;
const maxRefFile = 4096;
const maxRefDepth = 20;
const maxSymbolicRefs = 5;

/**
 * Reads the directory `.git` at the root of a folder. No link is followed.
 * @param maxRefBytes the maximum total size of refs.
 * @throws {GitRefusal} when there is no repository, or one that stores its objects or refs in a way that is not supported.
 */
export function readGitDirectory(jail: HostJail, maxRefBytes: number): GitDirectory {
  const kind = kindOf(jail, [gitName]);
  if (kind === undefined)
    throw new GitRefusal('The workspace is not the root of a repository: it contains no directory ".git".');
  if (kind === 'file') {
    throw new GitRefusal(
      'The file ".git" of the workspace names a repository outside of the workspace, as in a linked worktree or a submodule. That is not supported.',
    );
  }
  assertDirectory(jail, [gitName]);
  for (const part of ['objects', 'refs']) {
    if (kindOf(jail, [gitName, part]) === undefined)
      throw new GitRefusal(
        `The directory ".git" of the workspace contains no "${part}": it is not a repository.`,
      );
    assertDirectory(jail, [gitName, part]);
  }
  if (kindOf(jail, [gitName, 'commondir']) !== undefined)
    throw new GitRefusal(
      'The repository shares the objects of another one (".git/commondir"). That is not supported.',
    );
  if (kindOf(jail, [gitName, 'reftable']) !== undefined)
    throw new GitRefusal(
      'The repository stores its refs as "reftable". Only the storage "files" is supported.',
    );
  if (readText(jail, ['objects', 'info', 'alternates'], maxSmallFile)?.trim())
    throw new GitRefusal(
      'The repository borrows objects of another one (".git/objects/info/alternates"). That is not supported.',
    );
  const format = readObjectFormat(readText(jail, ['config'], maxSmallFile) ?? '');
  const idLength = format === 'sha1' ? 40 : 64;
  const isId = (text: string): boolean => isObjectId(text) && text.length === idLength;
  const refs = readRefs(jail, maxRefBytes, isId);
  const head = readText(jail, ['HEAD'], maxRefFile)?.trim();
  const target = head === undefined ? undefined : symbolicTarget(head);
  if (head === undefined || !(target === undefined ? isId(head) : isRefName(target)))
    throw new GitRefusal(
      'The file ".git/HEAD" of the workspace is missing or invalid: it is not a repository.',
    );
  const shallow = (readText(jail, ['shallow'], maxRefBytes) ?? '').split('\n').filter(isId);
  return { format, head: target === undefined ? head : `ref: ${target}`, refs, shallow };
}

/** The objects of a repository, kept open so that another process cannot put another directory in their place. */
export interface ObjectDirectory extends Disposable {
  /** A path to the directory for calls to the operating system. */
  readonly path: string;
  /** The directories in it that contain objects. */
  readonly parts: readonly string[];
}

/** @throws {GitRefusal} when a link is in the place of a directory or a file. */
export function openObjects(jail: HostJail): ObjectDirectory {
  const file = jail.kind === 'kernel' ? openHandle(jail) : undefined;
  try {
    const objects: Segments = [gitName, 'objects'];
    const parts = jail
      .within(objects, (pathOf) => readdirSync(pathOf()))
      .filter((name) => name === 'pack' || /^[0-9a-f]{2}$/.test(name));
    for (const part of parts) {
      assertDirectory(jail, [...objects, part]);
      const entries = jail.within([...objects, part], (pathOf) =>
        readdirSync(pathOf(), { withFileTypes: true }),
      );
      for (const entry of entries) if (!entry.isFile()) assertNotLink([...objects, part, entry.name], entry);
    }
    return {
      // A child process reaches the open directory through this process.
      path:
        file === undefined
          ? `${jail.realPath}/${gitName}/objects`
          : `${openFiles.replace('self', String(process.pid))}/${file}`,
      parts,
      [Symbol.dispose]: () => {
        if (file !== undefined) closeSync(file);
      },
    };
  } catch (error) {
    if (file !== undefined) closeSync(file);
    if (error instanceof NoDirectoryError) throw changed();
    throw error;
  }
}

function openHandle(jail: HostJail): number {
  try {
    return jail.within([gitName], (pathOf) =>
      openSync(pathOf('objects'), constants.O_RDONLY | onlyDirectory | noFollow),
    );
  } catch (error) {
    if (error instanceof NoDirectoryError) throw changed();
    throw new GitRefusal('The directory ".git/objects" of the workspace cannot be opened.');
  }
}

function changed(): GitRefusal {
  return new GitRefusal('The directory ".git" of the workspace was changed while it was read. Try again.');
}

function readRefs(
  jail: HostJail,
  maxBytes: number,
  isId: (text: string) => boolean,
): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  let left = maxBytes;
  const take = (bytes: number): void => {
    left -= bytes;
    if (left < 0)
      throw new GitRefusal(
        `The refs of the repository have more than ${maxBytes} bytes. Raise limits.maxRefBytes.`,
      );
  };
  const packed = readText(jail, ['packed-refs'], maxBytes) ?? '';
  take(packed.length);
  for (const line of packed.split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) contents.set(line.slice(space + 1), line.slice(0, space));
  }
  const walk = (directory: readonly string[]): void => {
    if (directory.length > maxRefDepth) return;
    for (const entry of jail.within([gitName, ...directory], (pathOf) =>
      readdirSync(pathOf(), { withFileTypes: true }),
    )) {
      const at = [...directory, entry.name];
      take(at.join('/').length);
      assertNotLink([gitName, ...at], entry);
      // A name that is not UTF-8 is decoded with replacement characters, so it cannot be opened.
      if (entry.name.includes('\ufffd')) continue;
      if (entry.isDirectory()) walk(at);
      else if (entry.isFile() && isRefName(at.join('/'))) {
        const content = readText(jail, at, maxRefFile)?.trim();
        if (content !== undefined) contents.set(at.join('/'), content);
      }
    }
  };
  try {
    walk(['refs']);
  } catch (error) {
    if (error instanceof NoDirectoryError) throw changed();
    throw error;
  }
  const refs = new Map<string, string>();
  for (const [name, content] of contents) {
    if (!isRefName(name) || name.startsWith('refs/replace/')) continue;
    let value: string | undefined = content;
    for (let links = 0; value !== undefined && links < maxSymbolicRefs; links += 1) {
      const target = symbolicTarget(value);
      if (target === undefined) break;
      value = contents.get(target);
    }
    if (value !== undefined && isId(value)) refs.set(name, value);
  }
  return refs;
}

function symbolicTarget(content: string): string | undefined {
  return content.startsWith('ref:') ? content.slice('ref:'.length).trim() : undefined;
}

function kindOf(jail: HostJail, segments: Segments): 'file' | 'directory' | 'link' | undefined {
  const stats = jail.statOf(segments);
  if (stats === undefined) return undefined;
  return stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'directory' : 'file';
}

function assertDirectory(jail: HostJail, segments: Segments): void {
  const kind = kindOf(jail, segments);
  if (kind === 'directory') return;
  const path = showName(segments.join('/'));
  throw new GitRefusal(
    kind === 'link'
      ? `${path} of the workspace is a symbolic link. A repository with links in its directory is not read.`
      : `${path} of the workspace is not a directory: it is not a repository.`,
  );
}

function assertNotLink(segments: Segments, entry: { isSymbolicLink(): boolean }): void {
  if (!entry.isSymbolicLink()) return;
  throw new GitRefusal(
    `${showName(segments.join('/'))} of the workspace is a symbolic link. A repository with links in its directory is not read.`,
  );
}

/** The text of a small file below `.git`; undefined when there is none. @throws {GitRefusal} for a link or a file that is too large. */
function readText(jail: HostJail, path: Segments, maxBytes: number): string | undefined {
  const segments = [gitName, ...path];
  if (kindOf(jail, segments) === 'link') assertNotLink(segments, { isSymbolicLink: () => true });
  return jail.readFile(segments, (file) => {
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const chunk = Buffer.alloc(Math.min(65_536, maxBytes + 1 - total));
      const bytes = readSync(file, chunk, 0, chunk.length, null);
      if (bytes === 0) return Buffer.concat(chunks).toString('utf8');
      chunks.push(chunk.subarray(0, bytes));
      total += bytes;
      if (total > maxBytes)
        throw new GitRefusal(
          `${showName(segments.join('/'))} of the workspace has more than ${maxBytes} bytes.`,
        );
    }
  });
}
