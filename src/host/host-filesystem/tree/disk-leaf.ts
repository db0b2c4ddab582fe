import type { BigIntStats } from 'node:fs';
import { FilesystemError } from '../../../core/error/index.ts';
import {
  type DirectoryNode,
  type FileLink,
  joinPath,
  type TreeNode,
} from '../../../core/filesystem/index.ts';
import { PersistentMap, present, quoteText } from '../../../core/internal/index.ts';
import { identityOf, stampOf } from '../../disk/stamp.ts';
import type { LinkEnd } from '../jail/jail.ts';
import type { Segments } from '../jail/open-directories.ts';
import { DiskContent, type ReadingContext, RefusedContent } from './disk-content.ts';
import { DiskFile } from './disk-file.ts';

/** A symbolic link on disk. */
export interface DiskLink {
  /** The path of the link. */
  readonly path: string;
  /** Its raw target. */
  readonly text: string;
  /** The same when it is not UTF-8. */
  readonly bytes?: Buffer | undefined;
  /** The final target below the root; undefined when it leads out of the root or nowhere. */
  readonly target: string | undefined;
}

/** A node that was read from a symbolic link. */
type LinkNode = TreeNode & { readonly diskLink: DiskLink };

/** The node of a link that is to be made, or undefined for a text that was not UTF-8: what it said is not known. */
export function newLinkNode(path: string, text: string): TreeNode | undefined {
  if (text.includes('\uFFFD')) return undefined;
  const content = new RefusedContent(
    true,
    '',
    () =>
      new FilesystemError('path-not-found', `${quoteText(path)} is a symbolic link that is not made yet.`),
  );
  const diskLink: DiskLink = { path, text, target: undefined };
  const node: LinkNode = { kind: 'file', content, modifiedAtMs: 0, linkText: text, diskLink };
  return node;
}

/** The link that a node was read from; undefined for what is not a link. */
export function linkOf(node: TreeNode | undefined): DiskLink | undefined {
  return node !== undefined && isLinkNode(node) ? node.diskLink : undefined;
}

function isLinkNode(node: TreeNode): node is LinkNode {
  return 'diskLink' in node;
}

/** The node of an entry that is not a directory: a file, a link, or a special file that is neither read nor written. */
export function leafNode(context: ReadingContext, segments: Segments, stats: BigIntStats): TreeNode {
  if (stats.isFile()) return new DiskFile(context, segments.slice(0, -1), segments.at(-1) ?? '', stats);
  if (stats.isSymbolicLink()) return linkNode(context, segments, stats);
  return refusedNode(stats, segments, {
    code: 'path-forbidden',
    problem: 'is not a regular file, so it is neither read nor written. Use another path.',
  });
}

function linkNode(context: ReadingContext, segments: Segments, stats: BigIntStats): LinkNode {
  const end = context.jail.follow(segments);
  const target = end.kind === 'inside' ? joinPath(end.segments) : undefined;
  const diskLink = { path: joinPath(segments), text: end.text, bytes: end.bytes, target };
  return { ...linkTargetNode(context, segments, stats, end), diskLink };
}

/** A link to a directory below the root: paths resolve through it, searches do not enter it. */
function directoryLinkNode(target: string, stamp: string, text: string): DirectoryNode {
  const entries = PersistentMap.empty<TreeNode>();
  return { kind: 'directory', entries, bytes: 0, files: 0, directories: 0, link: { target, stamp, text } };
}

function linkTargetNode(
  context: ReadingContext,
  segments: Segments,
  stats: BigIntStats,
  end: LinkEnd,
): TreeNode {
  const refuse = (code: Refusal['code'], link: FileLink, problem: string): TreeNode =>
    refusedNode(stats, segments, {
      code,
      link,
      linkText: end.text,
      problem: `is a symbolic link ${problem}`,
    });
  if (end.kind !== 'inside') {
    return end.kind === 'outside'
      ? refuse(
          'path-outside-root',
          { leads: 'outside' },
          'that leads out of the workspace, so it is not followed. Use another path.',
        )
      : refuse(
          'path-not-found',
          { leads: 'nowhere' },
          'that leads nowhere. Remove it to put something in its place, or use another path.',
        );
  }
  const path = joinPath(end.segments);
  const kind = end.stats.isDirectory() ? 'directory' : 'file';
  if (context.visible?.reaches(path, kind) === false)
    return refuse(
      'path-excluded',
      { leads: 'outside' },
      'that leads to a path that is excluded from the workspace, so it is not followed. Use another path.',
    );
  const stamp = `${stampOf(stats)}>${path}`;
  if (end.stats.isFile())
    return {
      kind: 'file',
      content: new DiskContent(context, end.segments, end.stats, true),
      modifiedAtMs: Number(end.stats.mtimeMs),
      stamp: `${stamp}>${stampOf(end.stats)}`,
      link: { leads: 'file', path },
      linkText: end.text,
    };
  if (end.stats.isDirectory()) return directoryLinkNode(path, stamp, end.text);
  return refuse(
    'path-forbidden',
    { leads: 'other', path },
    `to ${quoteText(path)}, which is not a regular file, so it is neither read nor written. Use another path.`,
  );
}

/** Why an entry is neither read nor written. */
interface Refusal {
  readonly code: 'path-outside-root' | 'path-not-found' | 'path-forbidden' | 'path-excluded';
  /** The part of the message after the path. */
  readonly problem: string;
  /** The target of a link. */
  readonly link?: FileLink;
  /** The same as it is written there. */
  readonly linkText?: string;
}

function refusedNode(
  stats: BigIntStats,
  segments: Segments,
  { code, problem, link, linkText }: Refusal,
): TreeNode {
  const path = joinPath(segments);
  const details = { path, ...present({ link: link?.leads }) };
  const content = new RefusedContent(
    link !== undefined,
    identityOf(stats),
    () => new FilesystemError(code, `${quoteText(path)} ${problem}`, { details }),
  );
  const node = { kind: 'file', content, modifiedAtMs: Number(stats.mtimeMs), stamp: stampOf(stats) } as const;
  return link === undefined || linkText === undefined ? node : { ...node, link, linkText };
}
