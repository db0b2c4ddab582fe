/** Messages that a run takes together: they follow each other, and the same one has said them. */
export interface TakenMessages {
  readonly ids: readonly string[];
  /** Who says it. Absent: not said. */
  readonly by?: string;
  /** Their texts, each on lines of its own. */
  readonly text: string;
}
