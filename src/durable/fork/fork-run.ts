import {
  assertKeptName,
  assertOptions,
  keptName,
  PromptValidationError,
  required,
} from '../../core/error/index.ts';
import { quotedList } from '../../core/internal/index.ts';
import type { JournalRow, RunJournal } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { type Clock, type IdSource, randomIds, systemClock } from '../../core/session/index.ts';
import {
  type BlobRow,
  type HeaderRow,
  isDecidedFailure,
  lineOf,
  type RecordedCall,
  RowReader,
  type RunRecord,
} from '../../record/index.ts';
import { appendRows, withLease } from '../rows/journal-writer.ts';
import { callKey, readRunRows } from '../rows/run-rows.ts';
import { knownSummary } from '../rows/run-summary.ts';

/** Options of {@link forkRun}. */
export interface ForkRunOptions {
  /** Keeps the run, and the new one. */
  readonly journal: RunJournal;
  /** The run to fork; it may still be running. */
  readonly runId: string;
  /**
   * The last commit that the new run has: its number, where 0 is before anything was decided, or the id of its call, as records name it. A call inside another one is for the commit of
   * the outer one.
   */
  readonly at: number | string;
  /** Name of the new run, as `runId` of `evaluate`. Default: a random one. */
  readonly newRunId?: string;
  /** Makes names. Default: random ones. */
  readonly ids?: IdSource;
  /** Default: the clock of the machine. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** A run that {@link forkRun} has begun. */
export interface ForkedRun {
  readonly runId: string;
  readonly sessionId: string;
  /** The number of its last commit. */
  readonly seq: number;
}

/** See on-demand.ts, through which it is loaded. */
export async function forkRun(options: ForkRunOptions): Promise<ForkedRun> {
  assertOptions('forkRun()', options, {
    at: 'any',
    journal: 'object!',
    runId: required(keptName),
    newRunId: keptName,
    ids: 'function',
    clock: 'object',
  });
  const { journal, runId, at, ids = randomIds, clock = systemClock } = options;
  const rows = await journal.read(runId);
  const { header, record } = readRunRows(runId, rows);
  if (header.redacted) {
    throw new PromptValidationError(
      `The run "${runId}" cannot be forked: its rows were redacted, so they are not what it did.`,
      { details: { runId } },
    );
  }
  if (header.toolRuntime === true) {
    throw new PromptValidationError(
      `The run "${runId}" cannot be forked: it is that of a tool runtime, and the loop around its calls is not in the journal. "wink rewind" takes its calls back.`,
      { details: { runId } },
    );
  }
  const seq = commitOf(runId, record(), at, 'forked');
  const fork: ForkedRun = { runId: options.newRunId ?? ids(), sessionId: ids(), seq };
  for (const name of [fork.runId, fork.sessionId]) assertKeptName('ids()', 'a name that it makes', name);
  if ((await journal.read(fork.runId)).length > 0) {
    throw new PromptValidationError(
      `The journal has a run "${fork.runId}" already: choose another name for the fork.`,
      { details: { option: 'newRunId' } },
    );
  }
  const lines = rowsUntil(rows, { ...fork, base: { runId, seq } });
  const copied = lines.map(({ type, line }, number) => ({ seq: number, type, line }));
  const copy = readRunRows(fork.runId, copied);
  const known = await knownSummary(journal, copy, clock.now(), header);
  const summary = { current: () => ({ ...known, status: 'running', pending: 0 }) as const };
  await withLease(journal, fork.sessionId, (lease) =>
    appendRows(
      { journal, lease, runId: fork.runId, clock, rows: undefined, summary },
      (_recorder, writer) => {
        for (const { type, line } of copied) writer.add(line, type);
      },
    ),
  );
  return fork;
}

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

/** Most calls that are named in place of one that is not there. */
const maxNamed = 5;

function lastCommitted({ commits }: RunRecord): string {
  const last = commits.slice(-maxNamed).map((commit) => commit.call.id);
  return last.length === 0 ? '' : `; the last calls that it committed are ${quotedList(last)}`;
}

function commitOfCall(record: RunRecord, id: string, refuse: (why: string) => PromptValidationError): number {
  const call = record.call(id);
  if (call === undefined) throw refuse(`it has made no call "${id}"${lastCommitted(record)}`);
  if (call.seq !== undefined && call.isFinal) return call.seq;
  const seq = commitsBefore(record, call);
  const next = record.commits[seq];
  const place =
    next === undefined
      ? 'no commit came after it'
      : `the next commit is number ${seq + 1}, of "${next.call.id}"`;
  throw refuse(`its call "${id}" was not committed; ${place}`);
}

/** How many commits there were when a call began that was not committed itself. */
export function commitsBefore({ calls, commits }: RunRecord, call: RecordedCall): number {
  const order = new Map(calls.map((each, index) => [each.id, index]));
  const at = order.get(call.id) ?? 0;
  const first = commits.findIndex(
    (commit) =>
      commit.atMs > call.startedAtMs ||
      (order.get(commit.call.id) ?? 0) >= at ||
      call.id.startsWith(`${commit.call.id}/`),
  );
  return first < 0 ? commits.length : first;
}

/** What the header of a fork says. */
type ForkHeader = Required<Pick<HeaderRow, 'runId' | 'sessionId' | 'base'>> & { readonly seq: number };

/**
 * The rows of a run up to a commit, with the deliveries of what was decided by then. Up to commit 0: the beginning, and what the model was asked first. A call
 * begins something outside only when all before it are decided, so that nothing is left in doubt.
 */
function rowsUntil(rows: readonly JournalRow[], header: ForkHeader): readonly Line[] {
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
      case 'life':
        // The fork has lives of its own.
        return;
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
