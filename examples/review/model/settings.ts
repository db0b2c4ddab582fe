/** Limits that the rules check. */
export interface ReviewSettings {
  /** Name of the reviewed folder, for the title of the report. */
  readonly folderName: string;
  /** Lines a source may have. From 1. */
  readonly maxLines: number;
  /** Characters a line of code may have. From 1. */
  readonly maxLineCharacters: number;
}

/** Limits on the work of the rule-based model. Its report says what was omitted because of them. */
export interface Effort {
  /** Calls of one turn. */
  readonly callsPerTurn: number;
  /** Directories that are listed. */
  readonly directories: number;
  /** Files that are read. */
  readonly filesRead: number;
  /** Lines of one file that are read. */
  readonly linesPerFile: number;
  /** Characters of one line that the rules check. */
  readonly lineCharacters: number;
  /** Findings of one kind that are recorded one by one. */
  readonly findingsPerKind: number;
  /** Characters of a quoted mark or link target. */
  readonly quotedCharacters: number;
  /** Paths that one note of the report names. */
  readonly notedPaths: number;
  /** Times the report is corrected after a refusal. */
  readonly corrections: number;
}

/** @see Effort */
export const effort: Effort = Object.freeze({
  callsPerTurn: 12,
  directories: 4_000,
  filesRead: 2_000,
  linesPerFile: 20_000,
  lineCharacters: 2_000,
  findingsPerKind: 40,
  quotedCharacters: 120,
  notedPaths: 8,
  corrections: 2,
});
