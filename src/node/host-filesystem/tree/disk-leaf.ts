import type { BigIntStats } from 'node:fs';
import { FilesystemError } from '../../../error/index.ts';
import { type FileLink, joinPath, type TreeNode } from '../../../filesystem/index.ts';
import { quoteText } from '../../../internal/index.ts';
import { identityOf, stampOf } from '../../disk/stamp.ts';
import type { LinkEnd, Segments } from '../jail/jail.ts';
import { DiskContent, type ReadingContext, RefusedContent } from './disk-content.ts';
import { asLink, linkNode } from './disk-link.ts';

/** The node of what is not a directory: a file, a link, or something that is neither read nor written. */
export function leafNode(context: ReadingContext, segments: Segments, stats: BigIntStats): TreeNode {
  if (stats.isFile()) return fileNode(context, segments, stats, stampOf(stats));
  if (stats.isSymbolicLink()) return linkedNode(context, segments, stats);
  return refusedNode(stats, segments, {
    code: 'permission-denied',
    problem: 'is not a regular file, so it is neither read nor written. Use another path.',
  });
}

function linkedNode(context: ReadingContext, segments: Segments, stats: BigIntStats): TreeNode {
  const end = context.jail.follow(segments);
  return asLink(whatLinkStandsFor(context, segments, stats, end), {
    path: joinPath(segments),
    text: end.text,
    ...(end.bytes === undefined ? {} : { bytes: end.bytes }),
    target: end.kind === 'inside' ? joinPath(end.segments) : undefined,
  });
}

function whatLinkStandsFor(
  context: ReadingContext,
  segments: Segments,
  stats: BigIntStats,
  end: LinkEnd,
): TreeNode {
  const refuse = (code: Refusal['code'], link: FileLink, problem: string): TreeNode =>
    refusedNode(stats, segments, { code, link, problem: `is a symbolic link ${problem}` });
  if (end.kind !== 'inside') {
    return end.kind === 'outside'
      ? refuse(
          'outside-root',
          { leads: 'outside' },
          'that leads out of the workspace, so it is not followed. Use another path.',
        )
      : refuse(
          'not-found',
          { leads: 'nowhere' },
          'that leads nowhere. Remove it to put something in its place, or use another path.',
        );
  }
  const path = joinPath(end.segments);
  const kind = end.stats.isDirectory() ? 'directory' : 'file';
  if (context.visible?.reaches(path, kind) === false)
    return refuse(
      'left-out',
      { leads: 'outside' },
      'that leads to what is left out of the workspace, so it is not followed. Use another path.',
    );
  const stamp = `${stampOf(stats)}>${path}`;
  if (end.stats.isFile())
    return fileNode(context, end.segments, end.stats, `${stamp}>${stampOf(end.stats)}`, {
      leads: 'file',
      path,
    });
  if (end.stats.isDirectory()) return linkNode(path, stamp);
  return refuse(
    'permission-denied',
    { leads: 'other', path },
    `to ${quoteText(path)}, which is not a regular file, so it is neither read nor written. Use another path.`,
  );
}

function fileNode(
  context: ReadingContext,
  segments: Segments,
  stats: BigIntStats,
  stamp: string,
  link?: FileLink,
): TreeNode {
  const content = new DiskContent(context, segments, stats, link !== undefined);
  const node = { kind: 'file', content, modifiedAtMs: Number(stats.mtimeMs), stamp } as const;
  return link === undefined ? node : { ...node, link };
}

/** Why something is neither read nor written. */
interface Refusal {
  readonly code: 'outside-root' | 'not-found' | 'permission-denied' | 'left-out';
  /** What follows the path in the message. */
  readonly problem: string;
  /** For a link: where it leads. */
  readonly link?: FileLink;
}

function refusedNode(stats: BigIntStats, segments: Segments, { code, problem, link }: Refusal): TreeNode {
  const path = joinPath(segments);
  const details = { path, ...(link === undefined ? {} : { link: link.leads }) };
  const content = new RefusedContent(
    link !== undefined,
    identityOf(stats),
    () => new FilesystemError(code, `${quoteText(path)} ${problem}`, { details }),
  );
  const node = { kind: 'file', content, modifiedAtMs: Number(stats.mtimeMs), stamp: stampOf(stats) } as const;
  return link === undefined ? node : { ...node, link };
}
