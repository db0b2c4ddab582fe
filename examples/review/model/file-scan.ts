import type { Finding } from '../finding.ts';
import { createConflictMarkerScanner } from './rules/conflict-markers.ts';
import { commentStyleOf, fileKind } from './rules/file-kind.ts';
import { createMarkdownLinkScanner, type MarkdownLink } from './rules/markdown-links.ts';
import type { CodeFacts } from './rules/missing-tests.ts';
import { declaresCode, importedModules, isInlineTest } from './rules/module-imports.ts';
import { findOpenMark } from './rules/open-mark.ts';
import { effort, type ReviewSettings } from './settings.ts';
import type { ShownLine } from './tool-text.ts';

/** What reading one file brought to light. */
export interface FileReport {
  readonly path: string;
  readonly findings: readonly Finding[];
  /** Links of a Markdown file, not yet resolved. */
  readonly links: readonly MarkdownLink[];
  /** Present for sources and tests. */
  readonly code?: CodeFacts;
}

/** Takes the lines of one file as they are read, so that no text has to be kept. */
export interface FileScan {
  readonly scan: (line: ShownLine) => void;
  readonly finish: (totalLines: number) => FileReport;
}

/** A scan of the file at `path` with all rules that need only one file. */
export function createFileScan(path: string, settings: ReviewSettings): FileScan {
  const kind = fileKind(path);
  const isCode = kind === 'source' || kind === 'test';
  const style = commentStyleOf(path);
  const links = kind === 'markdown' ? createMarkdownLinkScanner() : undefined;
  const conflicts = createConflictMarkerScanner();
  const imports = new Set<string>();
  const found: Finding[] = [];
  const foundLinks: MarkdownLink[] = [];
  const longLines = { count: 0, first: 0, longest: 0 };
  let hasCode = false;
  let hasInlineTest = false;

  return {
    scan({ number, text: whole, length }) {
      const text = whole.slice(0, effort.lineCharacters);
      const conflict = conflicts.scan(number, text);
      if (conflict !== undefined) {
        found.push({ kind: 'conflict-marker', path, line: conflict, text: 'unresolved merge conflict' });
      }
      const mark = findOpenMark(text, style);
      if (mark !== undefined) {
        found.push({
          kind: 'open-mark',
          path,
          line: number,
          text: shorten(`${mark.mark}: ${mark.text || 'says nothing'}`),
        });
      }
      if (links !== undefined) foundLinks.push(...links.scan(number, text));
      if (!isCode) return;
      for (const module of importedModules(path, text)) imports.add(module);
      hasCode ||= declaresCode(text);
      hasInlineTest ||= isInlineTest(path, text);
      if (length > settings.maxLineCharacters) {
        longLines.count += 1;
        longLines.first ||= number;
        longLines.longest = Math.max(longLines.longest, length);
      }
    },
    finish(totalLines) {
      if (kind === 'source' && totalLines > settings.maxLines) {
        found.push({
          kind: 'long-file',
          path,
          text: `has ${totalLines} lines, more than ${settings.maxLines}`,
        });
      }
      if (longLines.count > 0) {
        const lines = longLines.count === 1 ? '1 line' : `${longLines.count} lines`;
        const text = `${lines} longer than ${settings.maxLineCharacters} characters, up to ${longLines.longest}`;
        found.push({ kind: 'long-lines', path, line: longLines.first, text });
      }
      const report = { path, findings: found, links: foundLinks };
      return isCode ? { ...report, code: { path, imports, hasCode, hasInlineTest } } : report;
    },
  };
}

/** One line of text, without control characters, cut to what a finding may quote. */
export function shorten(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length <= effort.quotedCharacters
    ? line
    : `${line.slice(0, effort.quotedCharacters - 1).trimEnd()}…`;
}
