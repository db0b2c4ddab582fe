import { jsonSchema, type Schema, type Tool, ToolResult, tool } from 'weakincentives';
import { type Finding, findingKinds } from './finding.ts';
import { FindingRecorded, Findings } from './slices.ts';
import { quoteText } from './text.ts';

/** What `record_finding` returns. */
export interface RecordFindingResult {
  /** Number of the finding, from 1. */
  readonly number: number;
}

const inputSchema: Schema<Finding> = jsonSchema<Finding>({
  type: 'object',
  properties: {
    kind: { enum: [...findingKinds], description: 'What sort of finding it is.' },
    path: {
      type: 'string',
      minLength: 1,
      description: 'File it is about, from the workspace root; "." for the folder as a whole.',
    },
    line: { type: 'integer', minimum: 1, description: 'Line in the file. Leave out for the whole file.' },
    text: {
      type: 'string',
      minLength: 1,
      maxLength: 300,
      pattern: '^[^\\r\\n]*$',
      description: 'What is the matter, one line.',
    },
  },
  required: ['kind', 'path', 'text'],
  additionalProperties: false,
});

const outputSchema: Schema<RecordFindingResult> = jsonSchema<RecordFindingResult>({
  type: 'object',
  properties: { number: { type: 'integer', minimum: 1 } },
  required: ['number'],
  additionalProperties: false,
});

/**
 * The tool `record_finding`. Findings are numbered without gaps, so each call reads how many there are: of several calls
 * in one turn all but the first run again on what the one before them recorded.
 */
export const recordFinding: Tool<Finding, RecordFindingResult> = tool({
  name: 'record_finding',
  description: 'Record one finding of the review and get its number.',
  inputSchema,
  outputSchema,
  effects: 'state',
  idempotent: false,
  examples: [
    {
      description: 'Record an open mark.',
      input: { kind: 'open-mark', path: 'src/queue.ts', line: 12, text: 'TODO: drop the oldest entry' },
      output: { number: 4 },
    },
  ],
  render: () => '',
  execute: async (finding, { session, filesystem }) => {
    if ((await filesystem.stat(finding.path)) === undefined) {
      return ToolResult.error(
        `There is no ${quoteText(finding.path)}. A finding must name a file or directory that exists.`,
      );
    }
    const number = session.slice(Findings).length + 1;
    session.dispatch(FindingRecorded, { number, ...finding });
    return ToolResult.ok({ number }, `Recorded as finding ${number}.`);
  },
});
