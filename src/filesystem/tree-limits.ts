/** What a tree may hold at most. */
export interface TreeLimits {
  /** All files together. */
  readonly maxBytes: number;
  /** Each file. */
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Without the root. */
  readonly maxDirectories: number;
}

/** True when no total is bounded, so that nobody has to know the totals. */
export function isUnlimited({ maxBytes, maxFiles, maxDirectories }: TreeLimits): boolean {
  const unlimited = Number.POSITIVE_INFINITY;
  return maxBytes === unlimited && maxFiles === unlimited && maxDirectories === unlimited;
}
