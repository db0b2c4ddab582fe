import {
  defineEvent,
  defineSlice,
  type EventDefinition,
  jsonSchema,
  type Schema,
  type Slice,
} from 'weakincentives';
import { findingKinds, type RecordedFinding } from './finding.ts';

const recordedFinding: Schema<RecordedFinding> = jsonSchema<RecordedFinding>({
  type: 'object',
  properties: {
    number: { type: 'integer', minimum: 1 },
    kind: { enum: [...findingKinds] },
    path: { type: 'string' },
    line: { type: 'integer', minimum: 1 },
    text: { type: 'string' },
  },
  required: ['number', 'kind', 'path', 'text'],
  additionalProperties: false,
});

/** A finding was recorded. */
export const FindingRecorded: EventDefinition<RecordedFinding, RecordedFinding> = defineEvent({
  name: 'review.finding-recorded',
  schema: recordedFinding,
});

/** Everything the review has found so far, in order of its numbers. */
export const Findings: Slice<RecordedFinding> = defineSlice({
  name: 'review.findings',
  schema: recordedFinding,
  reducers: (on) => [on(FindingRecorded, (findings, finding) => findings.append(finding))],
});

/** An entry that the report of an earlier review left open. */
export interface PreviousItem {
  readonly text: string;
}

const previousItem: Schema<PreviousItem> = jsonSchema<PreviousItem>({
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
});

/** The open entries of the report that was in the folder before the review. Filled before the review starts. */
export const PreviousItems: Slice<PreviousItem> = defineSlice({
  name: 'review.previous-items',
  schema: previousItem,
});

/** What a published report says of itself. */
export interface Publication {
  readonly findings: number;
}

const publication: Schema<Publication> = jsonSchema<Publication>({
  type: 'object',
  properties: { findings: { type: 'integer', minimum: 0 } },
  required: ['findings'],
  additionalProperties: false,
});

/** The report was published. */
export const ReportPublished: EventDefinition<Publication, Publication> = defineEvent({
  name: 'review.report-published',
  schema: publication,
});

/** Publications of the report, none until one succeeded. */
export const Publications: Slice<Publication> = defineSlice({
  name: 'review.publications',
  schema: publication,
  reducers: (on) => [on(ReportPublished, (publications, payload) => publications.append(payload))],
});

/** A file or directory of the folder that is not reviewed, and why. */
export interface UnmountedEntry {
  readonly path: string;
  readonly reason: string;
}

/** What of the folder is not reviewed. */
export interface Unmounted {
  /** Names of directories that are left out at any depth. */
  readonly folders: readonly string[];
  /** Files and directories that could not be taken, the first of them. */
  readonly entries: readonly UnmountedEntry[];
  /** All that could not be taken, also what `entries` has no room for. */
  readonly total: number;
}

export const unmounted: Schema<Unmounted> = jsonSchema<Unmounted>({
  type: 'object',
  properties: {
    folders: { type: 'array', items: { type: 'string' } },
    entries: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, reason: { type: 'string' } },
        required: ['path', 'reason'],
        additionalProperties: false,
      },
    },
    total: { type: 'integer', minimum: 0 },
  },
  required: ['folders', 'entries', 'total'],
  additionalProperties: false,
});

/** What of the folder is not reviewed, one item. Filled before the review starts. */
export const UnmountedFiles: Slice<Unmounted> = defineSlice({
  name: 'review.unmounted-files',
  schema: unmounted,
});
