import type { BigIntStats } from 'node:fs';
import { FilesystemError } from '../../error/index.ts';
import { joinPath, type TreeNode } from '../../filesystem/index.ts';
import { DiskContent, type ReadingContext, RefusedContent } from './disk-content.ts';
import { asLink, linkNode } from './disk-link.ts';
import type { LinkEnd, Segments } from './jail.ts';
import { identityOf, stampOf } from './stamp.ts';

/** The node of what is not a directory: a file, a link, or something that is neither read nor written. */
export function leafNode(context: ReadingContext, segments: Segments, stats: BigIntStats): TreeNode {
  if (stats.isFile()) return fileNode(context, segments, stats, false, stampOf(stats));
  if (stats.isSymbolicLink()) return linkedNode(context, segments, stats);
  return refused(
    stats,
    'permission-denied',
    segments,
    'is no regular file, so it is neither read nor written.',
  );
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
  if (end.kind !== 'inside') {
    return end.kind === 'outside'
      ? refused(
          stats,
          'outside-root',
          segments,
          'is a symbolic link that leaves the root. It is not followed.',
        )
      : refused(stats, 'not-found', segments, 'is a symbolic link that leads to nothing.');
  }
  const target = joinPath(end.segments);
  const kind = end.stats.isDirectory() ? 'directory' : 'file';
  if (context.visible?.reaches(target, kind) === false) {
    return refused(stats, 'left-out', segments, 'is a link to something that is left out of this workspace.');
  }
  const stamp = `${stampOf(stats)}>${target}`;
  if (end.stats.isFile())
    return fileNode(context, end.segments, end.stats, true, `${stamp}>${stampOf(end.stats)}`);
  if (end.stats.isDirectory()) return linkNode(target, stamp);
  return refused(stats, 'permission-denied', segments, 'is a link to something that is no regular file.');
}

function fileNode(
  context: ReadingContext,
  segments: Segments,
  stats: BigIntStats,
  isLink: boolean,
  stamp: string,
): TreeNode {
  const content = new DiskContent(context, segments, stats, isLink);
  return { kind: 'file', content, modifiedAtMs: Number(stats.mtimeMs), stamp };
}

function refused(
  stats: BigIntStats,
  code: 'outside-root' | 'not-found' | 'permission-denied' | 'left-out',
  segments: Segments,
  problem: string,
): TreeNode {
  const path = joinPath(segments);
  const content = new RefusedContent(
    stats.isSymbolicLink(),
    identityOf(stats),
    () => new FilesystemError(code, `"${path}" ${problem} Use another path.`, { details: { path } }),
  );
  return { kind: 'file', content, modifiedAtMs: Number(stats.mtimeMs), stamp: stampOf(stats) };
}
