import { type Finding, findingHeadings } from './finding.ts';
import { printable, readName, showName } from './text.ts';

/** The file a review writes, at the root of the reviewed folder. */
export const reportPath = 'REVIEW.md';
/** The line that marks a report as unpublished; exactly one per report. */
export const draftStatus = 'Status: draft';
/** How the status line begins once the report is published. */
export const publishedStatus = 'Status: published';

/** The text of a finding's entry in a report, without its checkbox: one line, even when a path or a link contains line breaks. */
export function itemText(finding: Finding): string {
  const path = showName(finding.path);
  const place = finding.line === undefined ? path : `${path}:${finding.line}`;
  return printable(`\`${place}\` ${finding.text}`);
}

/**
 * Identifies an entry across reviews by its file and text. Line numbers and counts change from one review to the
 * next, so digits after the path do not count; neither do case, backticks and spacing.
 */
export function itemKey(item: string): string {
  const match = /^`([^`]*?)(?::\d+)?`\s*(.*)$/s.exec(item.trim());
  const path = readName(match?.[1] ?? '');
  const words = (match?.[2] ?? item)
    .replaceAll('`', '')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  return `${path}\n${words}`;
}

/** An entry of a report. */
export interface ReportItem {
  readonly isOpen: boolean;
  /** The entry without its checkbox. */
  readonly text: string;
  /** A remark below the entry. Default: none. */
  readonly note?: string;
}

/** All entries of a report, `- [ ] …` and `- [x] …`, outside of fenced code. */
export function reportItems(report: string): readonly ReportItem[] {
  const items: ReportItem[] = [];
  let isFenced = false;
  for (const line of report.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    const match = isFenced ? null : /^\s*[-*] \[([ xX])\] (.*\S)\s*$/s.exec(line);
    if (match?.[2] !== undefined) items.push({ isOpen: match[1] === ' ', text: match[2] });
  }
  return items;
}

/** Contents of a report. */
export interface ReportContent {
  readonly title: string;
  /** One paragraph under the status line. */
  readonly summary: string;
  /** Grouped by kind, in the order given. */
  readonly findings: readonly Finding[];
  /** Entries of the previous report that are settled or carried over. */
  readonly sincePrevious: readonly ReportItem[];
  /** Method and omissions of the review, one line each. */
  readonly notes: readonly string[];
}

/** Heading of the last part of every report. */
export const notesHeading = '## How this was reviewed';

/** A report as Markdown, as a draft. */
export function formatReport(content: ReportContent): string {
  const parts = [`# ${content.title}`, draftStatus, content.summary];
  for (const [kind, heading] of Object.entries(findingHeadings)) {
    const ofKind = content.findings.filter((finding) => finding.kind === kind);
    if (ofKind.length > 0)
      parts.push(`## ${heading}`, ofKind.map((finding) => `- [ ] ${itemText(finding)}`).join('\n'));
  }
  if (content.sincePrevious.length > 0) parts.push(formatSincePrevious(content.sincePrevious));
  parts.push(notesHeading, content.notes.map((note) => `- ${note}`).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

/** The part of a report that accounts for entries of the previous one. */
export function formatSincePrevious(items: readonly ReportItem[]): string {
  const lines = items.map(({ isOpen, text, note }) => {
    const remark = note === undefined ? '' : `\n  - ${note}`;
    return `- [${isOpen ? ' ' : 'x'}] ${text}${remark}`;
  });
  return `## Since the previous review\n\n${lines.join('\n')}`;
}
