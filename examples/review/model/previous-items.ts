import type { Finding } from '../finding.ts';
import { itemKey, itemText } from '../report-format.ts';
import { readName, showName } from '../text.ts';
import type { FileReading } from './file-reading.ts';
import type { FolderSurvey } from './folder-survey.ts';

/** An entry of the previous report, judged by what the folder holds now. */
export interface JudgedItem {
  readonly text: string;
  readonly isOpen: boolean;
  /** Why it is settled or carried over. */
  readonly note: string;
}

/** The words of findings that the rules make themselves; any other text was written by a person. */
const ownWords = [
  /^(?:TODO|FIXME|HACK|XXX): /,
  /^broken link to /,
  /^unresolved merge conflict$/,
  /^has \d+ lines, more than /,
  /^\d+ lines? longer than /,
  /^has no test: /,
  /^no test in the whole folder, /,
  /^is empty$/,
  /^\d+ more of this kind in /,
];

/** The path that an entry is about; undefined when it names none. */
export function itemPath(item: string): string | undefined {
  const shown = /^`([^`]+?)(?::\d+)?`/.exec(item)?.[1];
  return shown === undefined ? undefined : readName(shown);
}

/** Entries that a refusal of `publish_report` names, in its order: one line each, with the reason in brackets at its end. */
export function refusedItems(text: string, reason: string): readonly string[] {
  const end = ` (${reason})`;
  return text
    .split('\n')
    .filter((line) => line.startsWith('- ') && line.endsWith(end))
    .map((line) => line.slice(2, -end.length));
}

/**
 * Judges an entry of the previous report. The rules settle only what they could have found again: an entry in other words
 * stays open, because no rule can tell whether it was dealt with.
 */
export function judgeItem(
  text: string,
  findings: readonly Finding[],
  folder: { readonly survey: FolderSurvey; readonly reading: FileReading },
): JudgedItem {
  const path = itemPath(text);
  if (path !== undefined && path !== '.' && !folder.survey.mayHold(path)) {
    return { text, isOpen: false, note: `settled: there is no ${showName(path)} any more` };
  }
  const words = text.replace(/^`[^`]*`\s*/, '');
  if (path === undefined || !ownWords.some((pattern) => pattern.test(words)))
    return { text, isOpen: true, note: 'carried over: no rule can judge it' };
  const ofFile = folder.reading.reports.get(path)?.findings ?? [];
  if ([...findings, ...ofFile].some((finding) => itemKey(itemText(finding)) === itemKey(text))) {
    return { text, isOpen: true, note: 'found again' };
  }
  const wasRead = path === '.' || words === 'is empty' || folder.reading.reports.has(path);
  return wasRead
    ? { text, isOpen: false, note: 'settled: not found any more' }
    : { text, isOpen: true, note: 'carried over: its file was not read' };
}
