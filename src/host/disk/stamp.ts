import type { BigIntStats } from 'node:fs';

/** Identifies a file at one moment: it differs for any other file, and for the same file after a change. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  // In one piece: a template would be kept as the pieces that it was made of.
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/** Whether {@link stampOf} is the same for both. */
export function isSameMoment(before: BigIntStats, after: BigIntStats): boolean {
  return (
    before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs &&
    before.size === after.size &&
    before.ino === after.ino &&
    before.dev === after.dev
  );
}

/** Identifies a file for as long as it exists, whatever its name and content. */
export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Distinguishes a folder from another one at the same path, also after a reboot, when devices may get other numbers. */
export function rootMarkOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino}:${birthtimeNs}`;
}

/** False when the folder is certainly not the one with this mark. Inode numbers are reused, so the birth time is compared too. */
export function isMarkOf(mark: string, stats: BigIntStats): boolean {
  const [ino, birthtimeNs] = mark.split(':');
  if (ino !== String(stats.ino)) return false;
  // File systems without birth times report the time of the last change, or zero.
  const isKnown = stats.birthtimeNs > 0n && stats.birthtimeNs !== stats.ctimeNs;
  return !isKnown || birthtimeNs === String(stats.birthtimeNs);
}

/** Permission bits. */
export function modeOf({ mode }: BigIntStats): number {
  return Number(mode & 0o7777n);
}

/** Permissions and owner of a file. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export function accessOf(stats: BigIntStats): FileAccess {
  return { mode: modeOf(stats), uid: Number(stats.uid), gid: Number(stats.gid) };
}
