import { type Finding, findingKinds } from '../finding.ts';
import { itemText, reportPath } from '../report-format.ts';
import type { FileReading } from './file-reading.ts';
import { shorten } from './file-scan.ts';
import type { FolderSurvey } from './folder-survey.ts';
import { baseName, fileKind, folderOf } from './rules/file-kind.ts';
import { resolveLinkTarget } from './rules/markdown-links.ts';
import { type CodeFacts, findMissingTests } from './rules/missing-tests.ts';
import { effort } from './settings.ts';

/** Empty files that are meant to be empty. */
const meantEmpty = /^(?:\..*|__init__\.py|py\.typed|CNAME)$/;

/** Everything the rules find in what was walked and read. */
export function collectFindings(survey: FolderSurvey, reading: FileReading): readonly Finding[] {
  const reports = [...reading.reports.values()];
  return [
    ...reports.flatMap((report) => report.findings),
    ...brokenLinks(survey, reading),
    ...missingTests(
      survey,
      reports.flatMap((report) => (report.code === undefined ? [] : [report.code])),
      reading.isComplete,
    ),
    ...emptyFiles(survey),
  ];
}

/**
 * What of it goes into a report: by kind, then path and line. Of a kind that comes up very often the last finding says how
 * many more there are.
 */
export function boundFindings(found: readonly Finding[]): readonly Finding[] {
  return findingKinds.flatMap((kind) =>
    bounded(withoutRepeats(found.filter((finding) => finding.kind === kind))),
  );
}

function brokenLinks(survey: FolderSurvey, reading: FileReading): readonly Finding[] {
  const findings: Finding[] = [];
  for (const report of reading.reports.values()) {
    for (const { line, target } of report.links) {
      const path = resolveLinkTarget(folderOf(report.path), target);
      if (path === undefined || path === reportPath || survey.mayHold(path)) continue;
      findings.push({
        kind: 'broken-link',
        path: report.path,
        line,
        text: `broken link to ${shorten(target)}`,
      });
    }
  }
  return findings;
}

/** A missing test can be reported only after every file was read. */
function missingTests(
  survey: FolderSurvey,
  code: readonly CodeFacts[],
  isComplete: boolean,
): readonly Finding[] {
  const { hasTests, untested } = findMissingTests(code, survey.files.keys());
  if (hasTests && !isComplete) return [];
  if (hasTests) {
    return untested.map((path) => ({
      kind: 'untested',
      path,
      text: 'has no test: none is named after it, none reaches it through imports',
    }));
  }
  if (untested.length === 0) return [];
  const sources = untested.length === 1 ? '1 source' : `${untested.length} sources`;
  return [{ kind: 'untested', path: '.', text: `no test in the whole folder, for ${sources}` }];
}

function emptyFiles(survey: FolderSurvey): readonly Finding[] {
  return [...survey.files]
    .filter(([path, bytes]) => bytes === 0 && !meantEmpty.test(baseName(path)) && path !== reportPath)
    .filter(([path]) => fileKind(path) !== 'data' && fileKind(path) !== 'generated')
    .map(([path]) => ({ kind: 'empty-file', path, text: 'is empty' }));
}

function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [itemText(finding), finding])).values()];
}

/** Of too many findings the first of every file, then the second of every file, and so on: a noisy file hides no other. */
function bounded(findings: readonly Finding[]): readonly Finding[] {
  const sorted = [...findings].sort(byPlace);
  const countByFile = new Map<string, number>();
  const ranked = sorted.map((finding) => {
    const rank = (countByFile.get(finding.path) ?? 0) + 1;
    countByFile.set(finding.path, rank);
    return { finding, rank };
  });
  ranked.sort((left, right) => left.rank - right.rank || byPlace(left.finding, right.finding));
  const rest = ranked.slice(effort.findingsPerKind).map(({ finding }) => finding);
  const [first] = rest;
  if (first === undefined) return sorted;
  const shown = ranked.slice(0, effort.findingsPerKind).map(({ finding }) => finding);
  const files = new Set(rest.map((finding) => finding.path)).size;
  const text = `${rest.length} more of this kind in ${files === 1 ? '1 file' : `${files} files`}`;
  return [...shown.sort(byPlace), { kind: first.kind, path: '.', text }];
}

function byPlace(left: Finding, right: Finding): number {
  if (left.path !== right.path) return left.path < right.path ? -1 : 1;
  return (left.line ?? 0) - (right.line ?? 0);
}
