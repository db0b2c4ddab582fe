/** Kinds of findings, in the order in which a report lists them. */
export const findingKinds = [
  'conflict-marker',
  'broken-link',
  'open-mark',
  'long-file',
  'long-lines',
  'untested',
  'empty-file',
] as const;

/** Kind of one finding. */
export type FindingKind = (typeof findingKinds)[number];

/** One thing the review found. */
export interface Finding {
  readonly kind: FindingKind;
  /** The file, from the root of the folder; `.` for the folder as a whole. */
  readonly path: string;
  /** Line in the file, from 1; absent when the finding is about the whole file. */
  readonly line?: number;
  /** Description of the problem, one line. */
  readonly text: string;
}

/** A recorded finding with its number, from 1 in the order of recording. */
export interface RecordedFinding extends Finding {
  readonly number: number;
}

/** Heading of each kind in a report. */
export const findingHeadings: Readonly<Record<FindingKind, string>> = Object.freeze({
  'conflict-marker': 'Unresolved merge conflicts',
  'broken-link': 'Broken links',
  'open-mark': 'Open TODO, FIXME, HACK and XXX marks',
  'long-file': 'Over-long files',
  'long-lines': 'Over-long lines',
  untested: 'Sources without a test',
  'empty-file': 'Empty files',
});
