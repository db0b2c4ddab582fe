import {
  jsonSchema,
  type PromptTemplate,
  promptTemplate,
  type Section,
  section,
  sequentialDependencyPolicy,
  toolsSection,
} from 'weakincentives';
import { PlanningStrategy, planningToolsSection, vfsToolsSection } from 'weakincentives/tools';
import { findingHeadings, findingKinds } from './finding.ts';
import { listUnmounted } from './list-unmounted.ts';
import { publishReport } from './publish-report.ts';
import { recordFinding } from './record-finding.ts';
import { draftStatus, notesHeading, reportPath } from './report-format.ts';
import { Findings, PreviousItems, Publications, UnmountedFiles } from './slices.ts';

/** Parameters of a review that describe its folder. */
export interface ReviewParams {
  /** Name of the folder, without the way to it. */
  readonly folderName: string;
  /** Lines a source may have. */
  readonly maxLines: number;
  /** Characters a line of code may have. */
  readonly maxLineCharacters: number;
}

const kinds = findingKinds.map((kind) => `- \`${kind}\`: ${findingHeadings[kind]}`).join('\n');

const limits: Section<Pick<ReviewParams, 'maxLines' | 'maxLineCharacters'>> = section({
  title: 'What counts as a finding',
  key: 'kinds',
  params: jsonSchema<Pick<ReviewParams, 'maxLines' | 'maxLineCharacters'>>({
    type: 'object',
    properties: {
      maxLines: { type: 'integer', minimum: 1 },
      maxLineCharacters: { type: 'integer', minimum: 1 },
    },
    required: ['maxLines', 'maxLineCharacters'],
    additionalProperties: false,
  }),
  template: (p) => `
    A source is over-long beyond ${p.maxLines} lines, a line of code beyond ${p.maxLineCharacters} characters. Links count
    when they are relative and lead to nothing. Test data and generated files are not reviewed. The kinds are:
    ${kinds}
  `,
});

const way = section({
  title: 'Way of working',
  key: 'way',
  template: () => `
    Walk the folder first, then read what you report on, several files in one turn. When a result says that it is cut,
    ask for the rest. Report only what the tools have shown you.
  `,
});

const task = section({
  title: 'Task',
  key: 'task',
  params: jsonSchema<Pick<ReviewParams, 'folderName'>>({
    type: 'object',
    properties: { folderName: { type: 'string', minLength: 1 } },
    required: ['folderName'],
    additionalProperties: false,
  }),
  template: (p) => `
    Review the folder ${p.folderName}. What list_unmounted names is not reviewed. Record every
    finding, write ${reportPath} at the root, then publish it.
  `,
  children: [way, limits],
});

const plan = planningToolsSection({ title: 'Plan', key: 'plan', strategy: PlanningStrategy.planActReflect });

const files = vfsToolsSection({
  title: 'Files',
  tools: ['ls', 'read_file', 'write_file', 'edit_file', 'glob', 'grep'],
});

const report = section({
  title: 'Report',
  key: 'report',
  template: () => `
    Under its title ${reportPath} has the line "${draftStatus}" and a paragraph that sums up. Each kind has a heading, each
    finding one entry: a checkbox, the place in backticks (path, colon, line), the text as recorded. The last part is
    "${notesHeading}". What the previous report left open is listed again, or ticked when it is settled.
  `,
  tools: [recordFinding, publishReport],
  slices: [Findings, PreviousItems, Publications, UnmountedFiles],
  children: [toolsSection({ title: 'Surroundings', key: 'surroundings', tools: [listUnmounted] })],
});

/** The prompt of the review agent. A report can be published only after one was written. */
export const reviewTemplate: PromptTemplate<ReviewParams, undefined> = promptTemplate({
  ns: 'wink/agents',
  key: 'review',
  name: 'Review',
  sections: [task, plan, files, report],
  policies: [sequentialDependencyPolicy({ dependencies: { publish_report: ['write_file'] } })],
});
