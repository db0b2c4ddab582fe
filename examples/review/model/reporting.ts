import type { Finding } from '../finding.ts';
import { missingBecause } from '../publish-report.ts';
import { formatReport, formatSincePrevious, notesHeading, reportPath } from '../report-format.ts';
import { showName } from '../text.ts';
import { boundFindings, collectFindings } from './collect-findings.ts';
import type { FileReading } from './file-reading.ts';
import { type FolderSurvey, textArgument } from './folder-survey.ts';
import { itemPath, type JudgedItem, judgeItem, refusedItems } from './previous-items.ts';
import { reviewNotes, reviewSummary } from './review-notes.ts';
import type { ReviewStage } from './review-plan.ts';
import { effort, type ReviewSettings } from './settings.ts';
import { type AnsweredCall, RequestQueue, type ToolRequest } from './tool-request.ts';
import { parseWindow } from './tool-text.ts';

type Phase = 'record' | 'write' | 'publish' | 'inspect' | 'published' | 'given-up';

/**
 * Last stage of a review: records the findings, writes the report and publishes it. It reacts to tool results: a
 * refused overwrite makes it read the existing report, a refused publication makes it account for what was
 * missing.
 */
export class Reporting {
  readonly #settings: ReviewSettings;
  readonly #survey: FolderSurvey;
  readonly #reading: FileReading;
  readonly #queue = new RequestQueue();
  #findings: readonly Finding[] | undefined;
  #phase: Phase = 'record';
  /** Offset of the next window of the report that has to be read before continuing; undefined when none has. */
  #reportOffset: number | undefined;
  #hasReadReport = false;
  #refusedEntries: readonly string[] = [];
  #accounted: readonly JudgedItem[] = [];
  #corrections = 0;
  #writeFailure = '';
  #hasBegun = false;
  readonly #unrecorded: string[] = [];
  /** Final text of the review. */
  closing = '';

  constructor(settings: ReviewSettings, survey: FolderSurvey, reading: FileReading) {
    this.#settings = settings;
    this.#survey = survey;
    this.#reading = reading;
  }

  /** True after the first request. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The current step, set by {@link next}. */
  get stage(): ReviewStage {
    if (this.#phase === 'record') return this.#queue.size > 0 ? 'record' : 'write';
    return this.#phase === 'inspect' ? 'write' : this.#phase;
  }

  next(): readonly ToolRequest[] {
    if (this.#reportOffset !== undefined) {
      const window = this.#reportOffset === 0 ? {} : { offset: this.#reportOffset };
      const report = { name: 'read_file', arguments: { file_path: reportPath, ...window } };
      return [report, ...this.#reading.next().slice(0, effort.callsPerTurn - 1)];
    }
    switch (this.#phase) {
      case 'record': {
        const requests = this.#nextRecords();
        return requests.length > 0 ? requests : [this.#writeRequest()];
      }
      case 'write':
        return [this.#writeRequest()];
      case 'publish':
        return [{ name: 'publish_report', arguments: {} }];
      case 'inspect': {
        const requests = this.#reading.next();
        return requests.length > 0 ? requests : [this.#correction()];
      }
      case 'published':
      case 'given-up':
        return [];
    }
  }

  noteAsked(request: ToolRequest): void {
    this.#hasBegun = true;
    this.#queue.markAsked(request);
  }

  observe(call: AnsweredCall): void {
    if (call.name === 'record_finding') {
      if (call.isError)
        this.#unrecorded.push(`${showName(textArgument(call, 'path') ?? '')}: ${firstLine(call.text)}`);
    } else if (call.name === 'read_file') this.#observeReport(call);
    else if (call.name === 'write_file') this.#observeWrite(call);
    else if (call.name === 'edit_file') {
      if (call.isError) this.#phase = 'write';
      else this.#reportChanged();
    } else if (call.name === 'publish_report') this.#observePublication(call);
  }

  #observeReport(call: AnsweredCall): void {
    const next = call.isError ? undefined : parseWindow(call.text)?.nextOffset;
    this.#reportOffset = next;
    this.#hasReadReport = next === undefined;
    if (call.isError) this.#giveUp(`${this.#writeFailure} Reading it did not help: ${call.text}`);
  }

  #observeWrite(call: AnsweredCall): void {
    if (!call.isError) this.#reportChanged();
    else {
      this.#writeFailure = `${reportPath} could not be written: ${call.text}`;
      if (this.#hasReadReport) {
        this.#giveUp(this.#writeFailure);
        return;
      }
      // Most likely an unread report exists: read it, then write again.
      this.#phase = 'write';
      this.#reportOffset = 0;
    }
  }

  #observePublication(call: AnsweredCall): void {
    if (!call.isError) {
      this.#phase = 'published';
      this.closing = firstLine(call.text);
      return;
    }
    this.#refusedEntries = refusedItems(call.text, missingBecause.previous);
    this.#corrections += 1;
    if (this.#refusedEntries.length === 0 || this.#corrections > effort.corrections) {
      this.#giveUp(`${reportPath} was written but not published: ${call.text}`);
      return;
    }
    // The refused call was rolled back, so the report is unchanged: read it again, and the files its entries refer to.
    this.#phase = 'inspect';
    this.#reportOffset = 0;
    for (const entry of this.#refusedEntries) {
      const path = itemPath(entry);
      if (path !== undefined) this.#reading.want(path);
    }
  }

  #nextRecords(): readonly ToolRequest[] {
    if (this.#findings === undefined) {
      for (const finding of this.#collected()) {
        this.#queue.add({ name: 'record_finding', arguments: { ...finding } });
      }
    }
    return this.#queue.next(effort.callsPerTurn);
  }

  #collected(): readonly Finding[] {
    this.#findings ??= boundFindings(collectFindings(this.#survey, this.#reading));
    return this.#findings;
  }

  #writeRequest(): ToolRequest {
    return { name: 'write_file', arguments: { file_path: reportPath, content: this.#report() } };
  }

  /** Puts the entries that were missing into the report, just before its last part. */
  #correction(): ToolRequest {
    if (this.#accounted.length > 0) return this.#writeRequest();
    return {
      name: 'edit_file',
      arguments: {
        file_path: reportPath,
        old_string: `\n${notesHeading}\n`,
        new_string: `\n${formatSincePrevious(this.#sincePrevious())}\n\n${notesHeading}\n`,
      },
    };
  }

  /** Entries of the previous report: those in the report by now, and those that the last refusal named. */
  #sincePrevious(): readonly JudgedItem[] {
    if (this.#refusedEntries.length === 0) return this.#accounted;
    const folder = { survey: this.#survey, reading: this.#reading };
    const findings = collectFindings(this.#survey, this.#reading);
    return [...this.#accounted, ...this.#refusedEntries.map((entry) => judgeItem(entry, findings, folder))];
  }

  #report(): string {
    const findings = this.#collected();
    return formatReport({
      title: `Review of ${this.#settings.folderName}`,
      summary: reviewSummary(findings),
      findings,
      sincePrevious: this.#sincePrevious(),
      notes: reviewNotes(this.#settings, this.#survey, this.#reading, this.#unrecorded),
    });
  }

  #reportChanged(): void {
    this.#accounted = this.#sincePrevious();
    this.#refusedEntries = [];
    this.#phase = 'publish';
  }

  #giveUp(reason: string): void {
    this.#phase = 'given-up';
    this.closing = reason;
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
