import { cutLine } from '../../core/internal/index.ts';
import type { RecordedCall, RecordedRun, RecordedTurn, RunRecord } from '../../record/index.ts';
import { endOf } from './phases.ts';
import { duration, many, maxBriefCharacters } from './words.ts';

/** The id of a turn in addresses and rows: `turn-5`, inside a call `run-2-turn-1`. */
export function turnId(turn: RecordedTurn): string {
  return turn.run.index === 0 ? `turn-${turn.number}` : `run-${turn.run.index}-turn-${turn.number}`;
}

/** When the model had answered, and the calls of the turn could begin. */
export function answeredAt(turn: RecordedTurn): number {
  if (turn.response !== undefined) return turn.response.atMs;
  const first = turn.calls[0];
  return first === undefined ? turn.startedAtMs : first.startedAtMs;
}

/** When the last call of a turn had ended. */
export function turnEnd(turn: RecordedTurn): number {
  let end = Math.max(answeredAt(turn), turn.endedAtMs ?? 0);
  for (const call of turn.calls) end = Math.max(end, endOf(call));
  return end;
}

/** The end of the run; where the record ends before it, the last time in it. */
export function runEnd(record: RunRecord): number {
  const { outcome, startedAtMs, endedAtMs = startedAtMs } = record.root;
  // What waits for a person continues when the run has ended.
  if (outcome !== undefined && outcome !== 'suspended') return endedAtMs;
  let end = endedAtMs;
  for (const turn of record.turns) end = Math.max(end, turnEnd(turn));
  return end;
}

/** The turn that a call belongs to. */
export function turnOf(call: RecordedCall): RecordedTurn | undefined {
  return call.run.turns.find((turn) => turn.number === call.turn && turn.calls.includes(call));
}

/** Size of the request in tokens: as the provider counts them, otherwise the estimate of the record. */
export function requestTokens(turn: RecordedTurn): number | undefined {
  const counted = turn.response?.usage?.inputTokens;
  if (counted !== undefined) return counted;
  const tokens = turn.request?.tokens;
  return tokens === undefined ? undefined : tokens.instructions + tokens.tools + tokens.conversation;
}

/** What a turn says in one line of the timeline. */
export function headlineOf(turn: RecordedTurn): {
  readonly text: string;
  readonly kind: 'said' | 'json' | 'note';
} {
  const { response } = turn;
  if (response?.error !== undefined) return { kind: 'note', text: `No answer: ${response.error.message}` };
  const said = response?.text.trim() ?? '';
  if (said !== '') return { kind: /^[[{]/.test(said) ? 'json' : 'said', text: said };
  if (response === undefined)
    return {
      kind: 'note',
      text: turn.request === undefined ? 'Calls of a tool runtime' : 'No answer in this record',
    };
  const reasoning = response.reasoning.trim();
  if (reasoning !== '') return { kind: 'note', text: reasoning };
  return { kind: 'note', text: turn.calls.length > 0 ? 'No text, only calls' : 'An empty answer' };
}

/** Where a run continued in a turn after it had been resumed; undefined for a turn in which it did not. */
export function resumeText({ events, run }: RecordedTurn, { pauses }: RunRecord): string | undefined {
  if (run.index > 0) return undefined;
  const texts = events.flatMap(({ event, atMs }) => {
    if (event.type !== 'run-resumed') return [];
    const pause = pauses.find(({ toMs }) => toMs === atMs);
    const later = pause === undefined ? '' : `, ${duration(pause.toMs - pause.fromMs)} later`;
    const changed = event.changed.length === 0 ? '' : `; changed since: ${event.changed.join(', ')}`;
    return [`after resume${later}${changed}`];
  });
  return texts.length === 0 ? undefined : texts.join(' · ');
}

/** What came before a turn: what people said to the run, a compaction, another model; undefined for a turn before which nothing did. */
export function inputText({ events }: RecordedTurn): string | undefined {
  const texts = events.flatMap(({ event }) => {
    switch (event.type) {
      case 'input-taken':
        return [`${event.by ?? 'someone'} said: ${event.text}`];
      case 'context-compacted':
        return [`compacted, ${many(event.turns, 'turn')} left`];
      case 'model-changed':
        return [`${event.to} took over`];
      default:
        return [];
    }
  });
  return texts.length === 0 ? undefined : cutLine(texts.join(' · '), maxBriefCharacters);
}

/** The name of an evaluation inside a call. */
export function innerName(run: RecordedRun): string {
  const policy = run.parent?.policy;
  return policy === undefined ? run.promptName : `${run.promptName}, asked by ${policy}`;
}
