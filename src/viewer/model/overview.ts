import type { TokenUsage } from '../../core/tool/index.ts';
import type {
  RecordedCall,
  RecordedFileChange,
  RecordedQuestion,
  RecordedRun,
  RunOutcomeKind,
  RunRecord,
} from '../../record/index.ts';
import { diffLines, shownDiff } from './line-diff.ts';
import { askedMs } from './phases.ts';
import { messageOf } from './request.ts';
import { duration, roughly } from './words.ts';

/** The questions that the run waits for. */
export function openQuestions({ questions, cancelled }: RunRecord): readonly RecordedQuestion[] {
  return cancelled === undefined ? questions.filter(({ answer }) => answer === undefined) : [];
}

/** What the user said first. */
export function inputOf({ turns }: RecordedRun): readonly string[] {
  const first = turns.find(({ request }) => request !== undefined);
  const items = first?.request?.conversation ?? [];
  const end = items.findIndex(({ type }) => type !== 'user');
  return items
    .slice(0, end < 0 ? items.length : end)
    .flatMap((item) => (first === undefined ? [] : messageOf(item, first).texts));
}

/** What a run has spent; where the record ends before the run does, what its answers have. */
export function usageOf({ usage, turns }: RecordedRun): TokenUsage {
  if (usage !== undefined) return usage;
  const sum: Record<string, number> = {};
  for (const { response } of turns)
    for (const [name, value] of Object.entries(response?.usage ?? {}))
      if (typeof value === 'number') sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/** The model of a run; where it has several, all of them in their order. */
export function modelsOf({ model, models }: RecordedRun): string {
  return models === undefined ? model : models.map(({ name }) => name).join(' → ');
}

/** An approval that was asked for, as text. */
export interface Approval {
  readonly call: RecordedCall | undefined;
  readonly toolName: string;
  /** The policy, who answered, after how long, the note. */
  readonly words: string;
  /** Undefined: there is no answer yet. */
  readonly approved: boolean | undefined;
}

/**
 * When a question was asked, and how long it can be answered.
 *
 * @param nowMs milliseconds since the Unix epoch.
 */
export function askedText(
  { askedAtMs, expiresAtMs }: Pick<RecordedQuestion, 'askedAtMs' | 'expiresAtMs'>,
  { startedAtMs }: Pick<RunRecord, 'startedAtMs'>,
  nowMs: number,
): string {
  const asked = `asked ${roughly(nowMs - startedAtMs - askedAtMs)} ago`;
  if (expiresAtMs === undefined) return asked;
  const leftMs = startedAtMs + expiresAtMs - nowMs;
  return `${asked}, ${leftMs > 0 ? `can be answered for ${roughly(leftMs)}` : 'can no longer be answered'}`;
}

/**
 * The approvals of a run: the questions of a journal, and what was answered while the call waited.
 *
 * @param nowMs milliseconds since the Unix epoch.
 */
export function approvalsOf(record: RunRecord, nowMs: number): readonly Approval[] {
  const { questions, calls } = record;
  const asked = questions.filter(({ answer }) => answer !== undefined || record.cancelled === undefined);
  const known = new Set(asked.map(({ call, policy }) => `${call?.id} ${policy}`));
  return [
    ...asked.map((question): Approval => {
      const { call, toolName, policy, answer, askedAtMs } = question;
      const note = answer?.note === undefined ? [] : [`“${answer.note}”`];
      const by = `${answer?.by ?? 'answered'}, after ${duration((answer?.atMs ?? 0) - askedAtMs)}`;
      const words = answer === undefined ? [askedText(question, record, nowMs)] : [...note, by];
      return { call, toolName, words: [policy, ...words].join(' · '), approved: answer?.approved };
    }),
    ...calls.flatMap((call) =>
      call.approvals
        .filter(({ policy }) => !known.has(`${call.id} ${policy}`))
        .map(({ policy, approved, answer }): Approval => {
          const ms = askedMs([call]);
          const words = [
            policy,
            ...(answer === undefined ? [] : [`“${answer}”`]),
            ...(ms > 0 ? [`after ${duration(ms)}`] : []),
          ];
          return { call, toolName: call.toolName, words: words.join(' · '), approved };
        }),
    ),
  ];
}

/** `2026-01-02 03:04 UTC`. */
export function dateText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A file that the run has changed, against what it found. */
export interface OverviewFile {
  readonly path: string;
  /** `created`, `+3 −1`, `removed`. */
  readonly words: string;
}

/** The files that are others after the last commit than at the start, in the order in which they were changed first. */
export function changedFiles(record: RunRecord): readonly OverviewFile[] {
  const before = new Map(record.filesAt(0).map(({ path, content }) => [path, content]));
  const after = new Map(record.filesAt(record.commits.length).map(({ path, content }) => [path, content]));
  const paths = record.commits.flatMap(({ attempt }) => attempt.files.flatMap(pathsOf));
  return [...new Set(paths)].flatMap((path): readonly OverviewFile[] => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was?.hash === is?.hash) return [];
    if (was === undefined) return [{ path, words: 'created' }];
    if (is === undefined) return [{ path, words: 'removed' }];
    if (was.text === undefined || is.text === undefined) return [{ path, words: 'changed' }];
    const { added, removed } = shownDiff(diffLines(was.text, is.text));
    return [{ path, words: `+${added} −${removed}` }];
  });
}

/** Whether changes of files are in the folder, as far as a record says it; empty for one that does not. */
export function writtenText({ apply }: RunRecord, kind: RunOutcomeKind): string {
  switch (apply) {
    case undefined:
      return '';
    case 'each':
      return 'written to the folder';
    case 'never':
      return 'in memory: not written to the folder';
    case 'end':
      break;
  }
  switch (kind) {
    case 'finished':
      return 'written when the run ended, unless others had changed them';
    case 'waiting':
      return 'not written while the run waits';
    case 'running':
      return 'not written yet';
    case 'interrupted':
      return 'not written because the run was interrupted';
    default:
      return `not written because the run ${kind === 'cancelled' ? 'was ended' : 'failed'}`;
  }
}

/** What to do about each code that a run can end with, as the build puts it into the page; empty for a text that is not that. */
export function readAdvice(text: string): ReadonlyMap<string, string> {
  try {
    const advice: unknown = JSON.parse(text);
    return new Map(Object.entries(advice ?? {}).filter(([, each]) => typeof each === 'string'));
  } catch {
    return new Map();
  }
}

function pathsOf({ path, from, entry }: RecordedFileChange): readonly string[] {
  if (entry === 'directory') return [];
  return from === undefined ? [path] : [from, path];
}
