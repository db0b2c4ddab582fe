/** The bounds of every digest: what is looked at, and what it holds. It is part of every prompt, and of the state of its session. */
export const digestLimits = {
  /** Files and directories that are counted; beyond them the digest says that there are more. */
  maxEntries: 20_000,
  /** Levels of directories that the layout shows. */
  maxDepth: 3,
  /** Directories that the layout shows, those of upper levels first. */
  maxDirectories: 60,
  /** Manifests that are read for commands, those of upper levels first. */
  maxManifests: 12,
  /** Commands of one manifest. */
  maxCommands: 20,
  /** Notable files, those of upper levels first. */
  maxNotable: 40,
} as const;

/** Such bounds; tests have smaller ones. */
export type DigestLimits = Readonly<Record<keyof typeof digestLimits, number>>;
