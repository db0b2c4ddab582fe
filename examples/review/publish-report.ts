import { jsonSchema, type Schema, type Tool, ToolResult, tool } from 'weakincentives';
import { draftStatus, itemKey, itemText, publishedStatus, reportItems, reportPath } from './report-format.ts';
import { Findings, PreviousItems, type Publication, ReportPublished } from './slices.ts';

/** Missing entries that one refusal names. */
const maxNamedItems = 50;

/** Why an entry has to be in the report; a refusal adds it after the entry. */
export const missingBecause: Readonly<Record<'recorded' | 'previous', string>> = Object.freeze({
  recorded: 'recorded as a finding',
  previous: 'open in the previous report: list it again, or ticked when it is settled',
});

const outputSchema: Schema<Publication> = jsonSchema<Publication>({
  type: 'object',
  properties: { findings: { type: 'integer', minimum: 0 } },
  required: ['findings'],
  additionalProperties: false,
});

const inputSchema: Schema<Record<string, never>> = jsonSchema<Record<string, never>>({
  type: 'object',
  properties: {},
  additionalProperties: false,
});

/**
 * The tool `publish_report`. It sets the status in the report and marks the report published first and then checks the
 * report as it would be: a refusal is a failed result, so the call is rolled back and the report is a draft again.
 */
export const publishReport: Tool<Record<string, never>, Publication> = tool({
  name: 'publish_report',
  description: `Publish ${reportPath}. Refused while it lacks a recorded finding or drops what the previous report left open.`,
  inputSchema,
  outputSchema,
  effects: 'state',
  render: () => '',
  execute: async (_params, { session, filesystem, progress }) => {
    if ((await filesystem.stat(reportPath))?.kind !== 'file') {
      return ToolResult.error(`There is no ${reportPath}. Write it first.`);
    }
    const findings = session.slice(Findings).all();
    const draft = await readWhole(filesystem, reportPath);
    if (!draft.split('\n').includes(draftStatus)) {
      return ToolResult.error(`${reportPath} has no line "${draftStatus}". Add it under the title.`);
    }
    const published = draft.replace(statusLine, `${publishedStatus}, ${findings.length} findings`);
    await filesystem.write(reportPath, published);
    session.dispatch(ReportPublished, { findings: findings.length });
    progress(`set the status of ${reportPath} to published`);
    progress(`entered a publication with ${findings.length} findings`);

    const listed = new Set(reportItems(published).map((item) => itemKey(item.text)));
    const lacks = (text: string): boolean => !listed.has(itemKey(text));
    const missing = [
      ...findings
        .map((finding) => itemText(finding))
        .filter(lacks)
        .map((text) => `- ${text} (${missingBecause.recorded})`),
      ...session
        .slice(PreviousItems)
        .all()
        .filter((item) => lacks(item.text))
        .map((item) => `- ${item.text} (${missingBecause.previous})`),
    ];
    if (missing.length > 0) return ToolResult.error(refusal(missing));
    return ToolResult.ok(
      { findings: findings.length },
      `Published ${reportPath} with ${findings.length} findings.`,
    );
  },
});

const statusLine = /^Status: draft$/m;

async function readWhole(
  filesystem: {
    read(path: string, window: { offset: number; limit: number }): Promise<{ readonly text: string }>;
  },
  path: string,
): Promise<string> {
  return (await filesystem.read(path, { offset: 0, limit: Number.MAX_SAFE_INTEGER })).text;
}

function refusal(missing: readonly string[]): string {
  const named = missing.slice(0, maxNamedItems);
  const rest = missing.length - named.length;
  const entries = missing.length === 1 ? '1 entry is' : `${missing.length} entries are`;
  return [
    `${reportPath} is not complete, ${entries} missing:`,
    ...named,
    ...(rest > 0 ? [`and ${rest} more.`] : []),
  ].join('\n');
}
