import { wrapColumns } from '../process/plain-text.ts';
import type { TextStyle, TextTone } from '../process/text-style.ts';
import { type Finding, isBlocking } from './finding.ts';

const statusColumns = 9;
/** As wide as the longest name, within these. */
const subjectColumns = { least: 26, most: 36 };
const aboutColumns = 22;
/** Below it what was found is under what was checked. */
const narrowColumns = 60;
const indent = ' '.repeat(statusColumns);

/** Findings as a table: what was checked, what it is for, and the line that repairs it, which is never broken. */
export function findingLines(
  findings: readonly Finding[],
  width: number,
  style: TextStyle,
): readonly string[] {
  const longest = Math.max(0, ...findings.map(({ subject }) => subject.length + 2));
  const subjects = Math.min(Math.max(longest, subjectColumns.least), subjectColumns.most);
  return findings.flatMap((finding) => {
    const { status, subject, about, repair = '' } = finding;
    const head = `${style(toneOf(finding), status)}${' '.repeat(statusColumns - status.length)}`;
    if (width < narrowColumns) {
      const texts = [
        subject,
        ...wrapColumns(about, width - statusColumns),
        ...(repair === '' ? [] : [repair]),
      ];
      return texts.map((text, index) => `${index === 0 ? head : indent}${text}`);
    }
    const first = subject.length < subjects ? subject.padEnd(subjects) : `${subject}  `;
    const column = statusColumns + first.length;
    // With a gap between them.
    const isBeside = about.length <= aboutColumns - 2 && column + aboutColumns + repair.length <= width;
    if (repair !== '' && isBeside) return [`${head}${first}${about.padEnd(aboutColumns)}${repair}`];
    const [line = '', ...others] = wrapColumns(about, width - column);
    const below = ' '.repeat(column);
    return [
      `${head}${first}${line}`.trimEnd(),
      ...others.map((text) => `${below}${text}`),
      ...(repair === '' ? [] : [`${indent}${repair}`]),
    ];
  });
}

function toneOf(finding: Finding): TextTone {
  if (finding.status === 'ok') return 'good';
  if (isBlocking(finding)) return 'bad';
  return finding.status === 'warning' ? 'warning' : 'faint';
}
