import { describeError, JournalError, WinkError } from '../../core/error/index.ts';
import { isRecord, present } from '../../core/internal/index.ts';
import {
  type JournalBatch,
  PromptEvaluationError,
  type PromptEvaluationErrorCode,
} from '../../core/runtime/index.ts';

/** What an engine keeps of a step: rows, or how the run has ended. */
export type StepEntry =
  | { readonly kind: 'rows'; readonly sessionId: string; readonly batch: JournalBatch }
  /** What `start` has resolved with, as JSON keeps it. */
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: Error };

/** Of the texts below. A change that an earlier version would misread raises it. */
const format = 1;

/**
 * The text that an engine keeps: what the step is, and its rows, a line each, so that they are quoted no more than once.
 *
 * @see docs/spec/durable-runs.md §15
 */
export function writeEntry(runId: string, entry: StepEntry): string {
  const about = { weakincentives: format, runId, kind: entry.kind };
  if (entry.kind === 'error') return JSON.stringify({ ...about, error: packError(entry.error) });
  if (entry.kind === 'result') return JSON.stringify({ ...about, result: entry.result });
  const { sessionId, batch } = entry;
  const { rows, summary, takes } = batch;
  const from = rows[0]?.seq ?? 0;
  const types = rows.map(({ type }) => type);
  const head = JSON.stringify({ ...about, sessionId, from, types, summary, ...present({ takes }) });
  return [head, ...rows.map(({ line }) => line)].join('\n');
}

/**
 * What a text says.
 *
 * @param name of the step.
 * @throws {JournalError} `journal-damaged` when it is not the text of a step of this run; `journal-version-unsupported` when another version has written it.
 */
export function readEntry(runId: string, name: string, text: unknown): StepEntry {
  const [head = '', ...lines] = typeof text === 'string' ? text.split('\n') : [];
  const about = readObject(head);
  const version = about['weakincentives'];
  if (typeof version !== 'number') throw damaged(runId, name, 'it has something else');
  if (version !== format) {
    throw new JournalError(
      'journal-version-unsupported',
      `The step "${name}" of the run "${runId}" was written by another version of weakincentives. Continue the run in that version.`,
      { details: { runId, version } },
    );
  }
  if (about['runId'] !== runId)
    throw damaged(runId, name, `it is a step of the run "${String(about['runId'])}"`);
  const { kind, error, result } = about;
  if (kind === 'error') return { kind, error: unpackError(error) };
  if (kind === 'result') return { kind, result };
  const { sessionId, from, types, summary, takes } = about;
  if (
    kind !== 'rows' ||
    typeof sessionId !== 'string' ||
    typeof from !== 'number' ||
    !isTexts(types) ||
    types.length !== lines.length ||
    !isRecord(summary)
  )
    throw damaged(runId, name, 'it is not whole');
  const rows = lines.map((line, at) => ({ seq: from + at, type: types[at] ?? '', line }));
  const taken = isTexts(takes) ? takes : undefined;
  // Written from a summary.
  const batch = {
    runId,
    rows,
    summary: summary as unknown as JournalBatch['summary'],
    ...present({ takes: taken }),
  };
  return { kind, sessionId, batch };
}

function damaged(runId: string, name: string, why: string): JournalError {
  return new JournalError(
    'journal-damaged',
    `The engine has no rows of the run "${runId}" in its step "${name}": ${why}. The steps before the run have changed since it began, or the run has another name: continue it in the program that began it.`,
    { details: { runId, step: name } },
  );
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** How deep causes are kept. */
const maxCauses = 4;

/** An error as JSON: with its code, its details and its own members, and its causes. */
function packError(error: unknown, causes = maxCauses): object {
  const { name, message, cause } = error instanceof Error ? error : new Error(describeError(error));
  const { code, details } = WinkError.isInstance(error) ? error : {};
  const members = Object.entries(Object(error) as object).filter(([member]) => !isNamed(member));
  return {
    name,
    message,
    ...present({
      code,
      details: asJson(details),
      members: asJson(Object.fromEntries(members)),
      cause: cause === undefined || causes === 0 ? undefined : packError(cause, causes - 1),
    }),
  };
}

const isNamed = (member: string): boolean =>
  ['name', 'message', 'code', 'details', 'cause', 'stack'].includes(member);

/** @returns undefined for what JSON cannot hold. */
function asJson(value: unknown): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/** The error again: one of the library is recognized by `isInstance` of its class. */
function unpackError(packed: unknown): Error {
  const { name, message, code, details, members, cause } = isRecord(packed) ? packed : {};
  const text = typeof message === 'string' ? message : 'An error that the engine did not keep.';
  const own = isRecord(members) ? members : {};
  const because = present({ cause: cause === undefined ? undefined : unpackError(cause) });
  if (typeof code !== 'string')
    return Object.assign(new Error(text, because), { name: String(name), ...own });
  const options = { ...because, ...present({ details: isRecord(details) ? details : undefined }) };
  if (name === 'PromptEvaluationError') {
    // Packed from one.
    const { phase, promptName, usage } = own as unknown as Pick<
      PromptEvaluationError,
      'phase' | 'promptName' | 'usage'
    >;
    return new PromptEvaluationError(code as PromptEvaluationErrorCode, text, {
      phase,
      promptName,
      usage,
      ...options,
    });
  }
  return Object.assign(new WinkError(String(name), text, { code, ...options }), own);
}
