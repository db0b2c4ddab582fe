import { cutAfter, endOf, startOf } from '../../core/internal/index.ts';
import type { RecordedCall, RecordedTurn, RecordedWrite } from '../../record/index.ts';
import { diffLines, textsOf } from './line-diff.ts';
import { inline } from './words.ts';

/** The first text of a call that holds a query in lower case; undefined: none does. */
export function findInCall(call: RecordedCall, query: string): string | undefined {
  for (const text of textsOfCall(call)) if (text.toLowerCase().includes(query)) return text;
  for (const attempt of call.attempts) {
    for (const file of attempt.files) {
      const line = findChangedLine(file, query);
      if (line !== undefined) return line;
    }
  }
  return undefined;
}

/** The first text of a turn that holds a query in lower case. */
export function findInTurn(turn: RecordedTurn, query: string): string | undefined {
  for (const text of textsOfTurn(turn)) if (text.toLowerCase().includes(query)) return text;
  return undefined;
}

function* textsOfCall(call: RecordedCall): Generator<string> {
  yield call.id;
  yield call.toolName;
  if (call.params !== undefined) {
    if (typeof call.params === 'object' && call.params !== null)
      for (const [name, value] of Object.entries(call.params)) yield `${name}: ${inline(value)}`;
    else yield inline(call.params);
  }
  if (call.modelText !== undefined) yield call.modelText;
  if (call.message !== undefined) yield call.message;
  if (call.reason !== undefined) yield call.reason;
  if (call.policy !== undefined) yield call.policy;
  if (call.error !== undefined) yield `${call.error.name}: ${call.error.message}`;
  for (const answer of call.approvals) yield `${answer.policy}: ${answer.reason} ${answer.answer ?? ''}`;
  for (const effect of call.residualEffects) yield effect;
  for (const attempt of call.attempts) {
    for (const { policy, reason } of attempt.policies) if (reason !== undefined) yield `${policy}: ${reason}`;
    for (const conflict of attempt.conflicts) yield conflict.what;
    for (const file of attempt.files) yield file.path;
    for (const write of attempt.writes) yield `${write.slice} ${writtenText(write)}`;
    for (const { slice, items } of attempt.log) yield `${slice} ${JSON.stringify(items)}`;
  }
}

function writtenText(write: RecordedWrite): string {
  if (write.op === 'append') return JSON.stringify(write.items);
  if (write.op === 'put') return `${write.key} ${inline(write.item)}`;
  return write.op === 'remove' ? write.keys.join(', ') : '';
}

function* textsOfTurn(turn: RecordedTurn): Generator<string> {
  const { request, response } = turn;
  if (response !== undefined) {
    yield response.text;
    yield response.reasoning;
    if (response.error !== undefined) yield response.error.message;
  }
  for (const item of request?.added ?? []) {
    // Results are part of their calls.
    if (item.type === 'user') for (const part of item.content) if (part.type === 'text') yield part.text;
  }
}

/** A changed line with a query in lower case; lines are compared only in files that hold it at all. */
function findChangedLine(
  file: RecordedCall['attempts'][number]['files'][number],
  query: string,
): string | undefined {
  const texts = textsOf(file);
  if (texts === undefined) return undefined;
  if (!texts.before.toLowerCase().includes(query) && !texts.after.toLowerCase().includes(query))
    return undefined;
  const line = diffLines(texts.before, texts.after).find(
    ({ op, text }) => op !== 'same' && text.toLowerCase().includes(query),
  );
  return line === undefined
    ? undefined
    : `${file.path}  ${line.op === 'added' ? '+' : '−'} ${line.text.trim()}`;
}

/** The part of a text around a query, on one line, as the pieces before, at and after it. */
export function snippetOf(
  text: string,
  query: string,
): readonly [before: string, hit: string, after: string] {
  const at = text.toLowerCase().indexOf(query);
  if (query === '' || at < 0) return [startOf(text, 120), '', ''];
  const line = (part: string): string => part.replace(/\s+/g, ' ');
  const end = at + query.length;
  return [
    `${at > 36 ? '…' : ''}${line(endOf(text.slice(0, at), 36))}`,
    text.slice(at, end),
    line(cutAfter(text.slice(end), 70)),
  ];
}
