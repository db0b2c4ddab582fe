import { PromptValidationError } from '../error/index.ts';
import type {
  AnswerRow,
  AttemptRow,
  BeginRow,
  BlobRow,
  CommitRow,
  DeliveredRow,
  EndRow,
  EventRow,
  HeaderRow,
  PendingQuestion,
  RequestRow,
  ResponseRow,
  Row,
  SeenRow,
  StateRow,
} from '../record/index.ts';
import { RowReader } from '../record/internal.ts';
import type { JournalRow } from '../runtime/index.ts';

/** What a run decided in one step, in the order of the rows. */
export type Decision = (
  | { readonly kind: 'response'; readonly turn: number; readonly row: ResponseRow }
  | {
      readonly kind: 'call';
      readonly turn: number;
      readonly callId: string;
      readonly row: CommitRow | AttemptRow;
      delivered?: DeliveredRow;
    }
  | { readonly kind: 'event'; readonly turn: number; readonly row: EventRow }
) & {
  /** What others changed after it and before the next one. */
  readonly changes: StateRow[];
};

/** The decision of a call. */
export type CallDecision = Extract<Decision, { readonly kind: 'call' }>;

/** The rows of a run as they are needed to repeat it. */
export interface RunRows {
  readonly header: HeaderRow;
  readonly count: number;
  readonly decisions: readonly Decision[];
  /** What the session held at the start. */
  readonly start: StateRow | undefined;
  /** What others changed before the first decision. */
  readonly changes: readonly StateRow[];
  /** Questions that the run ended with, by their ids; those of the last time replace those of before. */
  readonly questions: ReadonlyMap<string, PendingQuestion>;
  /** Ids of the questions that it ended with last. */
  readonly pending: readonly string[];
  /** Answers, by the ids of the questions. */
  readonly answers: ReadonlyMap<string, AnswerRow>;
  /** Whether others changed the session after the questions. */
  readonly isChangedSince: boolean;
  /** Calls of the root run that began something that cannot be taken back; see {@link callKey}. */
  readonly begun: ReadonlySet<string>;
  /** The first request of the root run. */
  readonly firstRequest: RequestRow | undefined;
  /** The last request of the root run. */
  readonly lastRequest: RequestRow | undefined;
  /** How the run ended last; undefined when it did not end. */
  readonly end: EndRow | undefined;
  readonly commits: number;
  readonly runs: number;
  readonly seen: readonly SeenRow[];
  readonly blobs: ReadonlyMap<string, BlobRow>;
}

/** Identifies a call of the root run. */
export function callKey({ turn, callId }: Pick<BeginRow, 'turn' | 'callId'>): string {
  return `${turn}/${callId}`;
}

/** @throws {PromptValidationError} for a run that the journal does not have. */
export function readRunRows(runId: string, rows: readonly JournalRow[]): RunRows {
  const reader = new RowReader();
  const decisions: Decision[] = [];
  const calls = new Map<string, CallDecision>();
  const begun = new Set<string>();
  const seen: SeenRow[] = [];
  const changes: StateRow[] = [];
  const questions = new Map<string, PendingQuestion>();
  const answers = new Map<string, AnswerRow>();
  let pending: readonly string[] = [];
  let isChangedSince = false;
  let header: HeaderRow | undefined;
  let start: StateRow | undefined;
  let firstRequest: RequestRow | undefined;
  let lastRequest: RequestRow | undefined;
  let end: EndRow | undefined;
  let commits = 0;
  let runs = 1;

  const decide = (decision: Decision): void => void decisions.push(decision);
  const take = (row: Row): void => {
    if (row.type === 'run') runs += 1;
    if ('run' in row && row.run !== undefined && row.run !== 0) return;
    switch (row.type) {
      case 'header':
        header = row;
        break;
      case 'seen':
        seen.push(row);
        break;
      case 'state':
        if (row.kind === 'start') start = row;
        else {
          isChangedSince = true;
          (decisions.at(-1)?.changes ?? changes).push(row);
        }
        break;
      case 'request':
        firstRequest ??= row;
        lastRequest = row;
        break;
      case 'response':
        if (isDecidedResponse(row)) decide({ kind: 'response', turn: row.turn, row, changes: [] });
        break;
      case 'commit':
      case 'attempt': {
        if (row.type === 'commit') commits += 1;
        else if (!isDecidedFailure(row)) break;
        const { turn, callId } = row;
        const call: CallDecision = { kind: 'call', turn, callId, row, changes: [] };
        calls.set(callKey(row), call);
        decide(call);
        break;
      }
      case 'delivered': {
        const call = calls.get(callKey(row));
        if (call !== undefined) call.delivered = row;
        break;
      }
      case 'event':
        if (row.event.type === 'completion-checked' || row.event.type === 'hosted-approval-answered')
          decide({ kind: 'event', turn: row.event.turn, row, changes: [] });
        break;
      case 'begin':
        begun.add(callKey(row));
        break;
      case 'pending':
        pending = row.questions.map(({ id }) => id);
        isChangedSince = false;
        for (const question of row.questions) questions.set(question.id, question);
        break;
      case 'answer':
        answers.set(row.id, row);
        break;
      case 'end':
        end = row;
        break;
      case 'resumed':
        end = undefined;
        break;
      default:
        break;
    }
  };
  for (const { line } of rows) {
    const row = reader.read(line);
    if (row !== undefined && row.type !== 'unknown') take(row);
  }
  if (header === undefined) {
    throw new PromptValidationError(`The journal has no run "${runId}".`, { details: { option: 'runId' } });
  }
  return {
    ...{
      header,
      count: rows.length,
      decisions,
      start,
      changes,
      begun,
      firstRequest,
      lastRequest,
      end,
      commits,
      runs,
      seen,
    },
    ...{ questions, pending, answers, isChangedSince },
    blobs: reader.blobs,
  };
}

/** An answer, or a refusal that the run goes on from. With any other failure it ended: the model is asked again. */
function isDecidedResponse({ error }: ResponseRow): boolean {
  return error === undefined || error.code === 'model-context-exceeded';
}

/** Whether an attempt settled its call. What the end of a run cut off is not decided: resumed, it is done again. */
function isDecidedFailure({ why, result }: AttemptRow): boolean {
  if (why !== 'failed' || result === undefined) return false;
  return result.outcome !== 'aborted' || result.reason === 'in-doubt';
}
