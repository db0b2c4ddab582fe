/** Bounds of a digest: what is looked at, and what it holds. It is part of every prompt, and of the state of its session. */
export interface DigestLimits {
  /** Files and directories that are counted; beyond them the digest says that there are more. */
  readonly maxEntries: number;
  /** Levels of directories that the layout shows. */
  readonly maxDepth: number;
  /** Directories that the layout shows, those of upper levels first. */
  readonly maxDirectories: number;
  /** Manifests that are read for commands, those of upper levels first. */
  readonly maxManifests: number;
  /** Commands of one manifest. */
  readonly maxCommands: number;
  /** Notable files, those of upper levels first. */
  readonly maxNotable: number;
}

/** The bounds of every digest; tests have smaller ones. */
export const digestLimits: DigestLimits = Object.freeze({
  maxEntries: 20_000,
  maxDepth: 3,
  maxDirectories: 60,
  maxManifests: 12,
  maxCommands: 20,
  maxNotable: 40,
});
