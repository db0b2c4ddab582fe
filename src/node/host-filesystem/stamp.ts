import type { BigIntStats } from 'node:fs';

/** What tells a file from every other and from itself at another time. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** What tells a file from every other, whatever becomes of it. */
export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
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
