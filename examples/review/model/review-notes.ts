import type { Finding } from '../finding.ts';
import { reportPath } from '../report-format.ts';
import type { FileReading } from './file-reading.ts';
import type { FolderSurvey } from './folder-survey.ts';
import { Omissions } from './omissions.ts';
import { type FileKind, fileKind } from './rules/file-kind.ts';
import type { ReviewSettings } from './settings.ts';

/** Description of the default model in reports. */
export const modelDescription = 'rule-based model, no LLM';

/** The one paragraph under the status of a report. */
export function reviewSummary(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing found.';
  const files = new Set(findings.filter((finding) => finding.path !== '.').map((finding) => finding.path))
    .size;
  return `${count(findings.length, 'finding')} in ${count(files, 'file')}.`;
}

/** How the review was done and what it left out, one line each. */
export function reviewNotes(
  settings: ReviewSettings,
  survey: FolderSurvey,
  reading: FileReading,
  unrecorded: readonly string[],
): readonly string[] {
  // The report is the output of a review, not input.
  const paths = [...survey.files.keys()].filter((path) => path !== reportPath);
  const directories = survey.listedDirectories;
  const omissions = new Omissions();
  const ofKind = (kind: FileKind): readonly string[] => paths.filter((path) => fileKind(path) === kind);
  omissions.add('Not reviewed, test data', ofKind('data'));
  omissions.add('Not reviewed, generated', ofKind('generated'));
  omissions.add('Not reviewed, not in the workspace', survey.unmounted);
  return [
    `By a ${modelDescription}: every finding follows from what the tools showed of this folder.`,
    `Walked ${directories === 1 ? '1 directory' : `${directories} directories`} with ${count(paths.length, 'file')}, read ${reading.reports.size} of them.`,
    `Measured against ${settings.maxLines} lines for a source and ${settings.maxLineCharacters} characters for a line of code.`,
    ...omissions.lines(),
    ...survey.omissions.lines(),
    ...reading.omissions.lines(),
    ...(reading.isComplete
      ? []
      : ['Missing tests were not looked for file by file, since not every file was read.']),
    ...unrecorded.map((reason) => `Could not be recorded: ${reason}`),
  ];
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
