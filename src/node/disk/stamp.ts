import type { BigIntStats } from 'node:fs';

/** What tells a file from every other and from itself at another time. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** What tells a file from every other, whatever becomes of it. */
export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** What tells a folder from another one in its place, also after the machine was started anew: devices get other numbers then. */
export function rootMarkOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino}:${birthtimeNs}`;
}

/** True unless a folder certainly is another one than the one with this mark: numbers of inodes are given again. */
export function isMarkOf(mark: string, stats: BigIntStats): boolean {
  const [ino, birthtimeNs] = mark.split(':');
  if (ino !== String(stats.ino)) return false;
  // File systems that do not know when a file was made say the time of its last change, or the beginning of time.
  const isKnown = stats.birthtimeNs > 0n && stats.birthtimeNs !== stats.ctimeNs;
  return !isKnown || birthtimeNs === String(stats.birthtimeNs);
}

/** Permission bits. */
export function modeOf({ mode }: BigIntStats): number {
  return Number(mode & 0o7777n);
}

/** Who may do what with a file. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export function accessOf(stats: BigIntStats): FileAccess {
  return { mode: modeOf(stats), uid: Number(stats.uid), gid: Number(stats.gid) };
}
