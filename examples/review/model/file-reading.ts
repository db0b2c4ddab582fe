import { reportPath } from '../report-format.ts';
import { createFileScan, type FileReport, type FileScan } from './file-scan.ts';
import { type FolderSurvey, textArgument } from './folder-survey.ts';
import { Omissions } from './omissions.ts';
import { fileKind } from './rules/file-kind.ts';
import { effort, type ReviewSettings } from './settings.ts';
import { type AnsweredCall, RequestQueue, type ToolRequest } from './tool-request.ts';
import { parseWindow } from './tool-text.ts';

/**
 * Second stage of a review: reads the files worth reading, window by window, and runs the rules over their lines. The
 * report itself is output, not input: it is not read.
 */
export class FileReading {
  readonly #settings: ReviewSettings;
  readonly #survey: FolderSurvey;
  readonly #queue = new RequestQueue();
  readonly #scans = new Map<string, FileScan>();
  readonly #wanted = new Set<string>();
  #isPlanned = false;
  /** Results for each file that was read, by path. */
  readonly reports: Map<string, FileReport> = new Map<string, FileReport>();
  /** What could not be read, or not to its end. */
  readonly omissions: Omissions = new Omissions();
  /** False when files that are worth reading were not read to their ends. */
  isComplete = true;

  constructor(settings: ReviewSettings, survey: FolderSurvey) {
    this.#settings = settings;
    this.#survey = survey;
  }

  /** The next windows to read. Files that the survey found come up once the survey has nothing left to ask. */
  next(): readonly ToolRequest[] {
    if (!this.#isPlanned) this.#plan();
    return this.#queue.next(effort.callsPerTurn);
  }

  /** Reads one more file, unless it was already read or is not a file of the folder. */
  want(path: string): void {
    if (path === reportPath || this.#wanted.has(path) || !this.#survey.files.has(path)) return;
    this.#wanted.add(path);
    this.#queue.add({ name: 'read_file', arguments: { file_path: path } });
  }

  noteAsked(request: ToolRequest): void {
    this.#queue.markAsked(request);
  }

  observe(call: AnsweredCall): void {
    const path = textArgument(call, 'file_path');
    if (path === undefined) return;
    const window = call.isError ? undefined : parseWindow(call.text);
    if (window === undefined) {
      const isBinary = call.text.includes(' is a binary file');
      this.omissions.add(isBinary ? 'Not reviewed, binary' : 'Not reviewed, could not be read', [path]);
      return;
    }
    const scan = this.#scans.get(path) ?? createFileScan(path, this.#settings);
    for (const line of window.lines) scan.scan(line);
    const last = window.lines.at(-1)?.number ?? 0;
    if (window.nextOffset !== undefined && last < effort.linesPerFile) {
      this.#scans.set(path, scan);
      this.#queue.add({ name: 'read_file', arguments: { file_path: path, offset: window.nextOffset } });
      return;
    }
    if (window.nextOffset !== undefined) {
      this.isComplete = false;
      this.omissions.add(`Only the first ${last} lines were read`, [path]);
    }
    this.#scans.delete(path);
    this.reports.set(path, scan.finish(window.totalLines));
  }

  #plan(): void {
    this.#isPlanned = true;
    const paths = [...this.#survey.files].filter(
      ([path, bytes]) => bytes !== 0 && this.#isWorthReading(path),
    );
    paths.sort(([left, leftBytes], [right, rightBytes]) => {
      const order = this.#priority(left) - this.#priority(right);
      if (order !== 0) return order;
      if (paths.length > effort.filesRead && leftBytes !== rightBytes)
        return (rightBytes ?? 0) - (leftBytes ?? 0);
      return left < right ? -1 : 1;
    });
    for (const [path] of paths.slice(0, effort.filesRead)) this.want(path);
    const left = paths.slice(effort.filesRead).map(([path]) => path);
    this.isComplete = left.length === 0;
    this.omissions.add(`Not read, beyond ${effort.filesRead} files`, left);
  }

  #isWorthReading(path: string): boolean {
    const kind = fileKind(path);
    if (kind === 'other') return this.#survey.matching.has(path);
    return kind === 'source' || kind === 'test' || kind === 'markdown';
  }

  #priority(path: string): number {
    if (this.#survey.matching.has(path)) return 0;
    const kind = fileKind(path);
    return kind === 'markdown' ? 1 : kind === 'test' ? 2 : 3;
  }
}
