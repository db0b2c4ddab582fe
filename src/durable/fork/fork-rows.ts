import { PromptValidationError } from '../../core/error/index.ts';
import type { JournalRow } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { BlobRow, HeaderRow } from '../../record/index.ts';
import { isDecidedFailure, lineOf, RowReader, type RunRecord } from '../../record/index.ts';
import { callKey } from '../rows/run-rows.ts';

type Line = Pick<JournalRow, 'type' | 'line'>;

/**
 * The number of the commit that someone means by a number or by the id of a call.
 *
 * @param what is to be done there, for the error.
 * @throws {PromptValidationError} for one that the run does not have.
 */
export function commitOf(
  runId: string,
  record: RunRecord,
  at: number | string,
  what: 'forked' | 'taken back',
): number {
  const refuse = (why: string): PromptValidationError =>
    new PromptValidationError(`The run "${runId}" cannot be ${what} there: ${why}.`, {
      details: { option: 'at' },
    });
  if (typeof at === 'number') {
    const { length } = record.commits;
    if (Number.isInteger(at) && at >= 0 && at <= length) return at;
    throw refuse(`it has ${length} ${length === 1 ? 'commit' : 'commits'}, and none has the number ${at}`);
  }
  return commitOfCall(record, at, refuse);
}

function commitOfCall(record: RunRecord, id: string, refuse: (why: string) => PromptValidationError): number {
  const call = record.call(id);
  if (call === undefined) throw refuse(`it has made no call "${id}"`);
  if (call.seq === undefined || !call.isFinal) throw refuse(`its call "${id}" was not committed`);
  return call.seq;
}

/** What the header of a fork says. */
type ForkHeader = Required<Pick<HeaderRow, 'runId' | 'sessionId' | 'base'>> & { readonly seq: number };

/**
 * The rows of a run up to a commit, with the deliveries of what was decided by then. Up to commit 0: the beginning, and what the model was asked first. A call
 * begins something outside only when all before it are decided, so that nothing is left in doubt.
 */
export function rowsUntil(rows: readonly JournalRow[], header: ForkHeader): readonly Line[] {
  const until = new RowsUntil(header);
  for (const row of rows) until.take(row);
  return until.lines;
}

class RowsUntil {
  readonly lines: Line[] = [];
  readonly #header: ForkHeader;
  readonly #reader = new RowReader();
  /** Calls that were decided up to the commit, each as its run and its key. */
  readonly #decided = new Set<string>();
  /** Texts after the commit. */
  #later: Line[] = [];
  #isReached = false;

  constructor(header: ForkHeader) {
    this.#header = header;
  }

  take({ type, line }: Line): void {
    const row = this.#reader.read(line);
    if (row === undefined || row.type === 'unknown') {
      if (!this.#isReached) this.lines.push({ type, line });
      else if (type === 'blob') this.#later.push({ type, line });
      return;
    }
    const placeOf = (call: Parameters<typeof callKey>[0]): string =>
      `${'run' in row ? (row.run ?? 0) : 0}/${callKey(call)}`;
    if (this.#isReached) {
      if (row.type === 'delivered' && this.#decided.has(placeOf(row))) this.#addWithTexts({ type, line });
      return;
    }
    const { seq, runId, sessionId, base } = this.#header;
    switch (row.type) {
      case 'header': {
        // Long texts stay references.
        const changed = { ...(JSON.parse(line) as JsonObject), runId, sessionId, base };
        this.lines.push({ type, line: lineOf(changed) });
        return;
      }
      case 'commit':
      case 'attempt':
        if (row.type === 'commit' || isDecidedFailure(row)) this.#decided.add(placeOf(row));
        this.#isReached = row.type === 'commit' && seq > 0 && row.seq === seq;
        break;
      case 'request':
        this.#isReached = seq === 0 && row.run === undefined;
        break;
      default:
        break;
    }
    this.lines.push({ type, line });
  }

  /** Adds a row from after the commit, with the texts that it refers to. */
  #addWithTexts(row: Line): void {
    const isMeant = (blob: Line): boolean => row.line.includes(hashOf(blob));
    this.lines.push(...this.#later.filter(isMeant), row);
    this.#later = this.#later.filter((blob) => !isMeant(blob));
  }
}

function hashOf({ line }: Line): string {
  // The reader of rows has checked it.
  return (JSON.parse(line) as BlobRow).hash;
}
