import { ModelResponseError } from '../../../core/error/index.ts';
import type { ProviderAdapter } from '../../../core/evaluation/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { ConversationItem } from '../../../core/runtime/index.ts';
import { type ScriptedToolCall, scriptedAdapter } from '../../doubles/scripted-adapter.ts';
import { answerUsage } from '../life.ts';
import type { Points } from './points.ts';

/** The calls of each turn. A turn without calls is an answer; the first answer is sent back. */
const turns: readonly string[] = [
  'count count look fail',
  'send:ann count look',
  'book look',
  'nested mail:bob move',
  'post:cid undo clean',
  '',
  'count',
  '',
];

/** The turn before which the conversation has become too long. */
const longTurn = 5;

/** The model of the cases: follows a script, and refuses a long conversation once. */
export function matrixModel(points: Points): ProviderAdapter {
  return scriptedAdapter((conversation) => {
    points.pass('model in');
    // A request that was refused counts as a turn of the run.
    const turn = conversation.filter(({ type }) => type === 'assistant').length + 1;
    const said = firstTextOf(conversation);
    const [, inner] = /^inner (.*)$/.exec(said) ?? [];
    if (inner === undefined && turn === longTurn && !conversation.some(isDropped))
      throw new ModelResponseError('model-context-exceeded', 'The conversation is too long.');
    points.pass('model out');
    const calls = inner === undefined ? (turns[turn - 1] ?? '') : turn === 1 ? 'count' : '';
    return {
      text: `Turn ${turn}.`,
      toolCalls: calls
        .split(' ')
        .filter(Boolean)
        .map(toCall(inner ?? said, turn)),
      usage: answerUsage,
    };
  });
}

function toCall(prefix: string, turn: number): (call: string, index: number) => ScriptedToolCall {
  return (call, index) => {
    const [name = '', to] = call.split(':');
    return {
      name,
      callId: `${prefix}.${turn}-${index}`,
      ...present({ arguments: to === undefined ? undefined : { to } }),
    };
  };
}

function firstTextOf(conversation: readonly ConversationItem[]): string {
  const first = conversation.find(({ type }) => type === 'user');
  const part = first?.type === 'user' ? first.content[0] : undefined;
  return part?.type === 'text' ? part.text : '';
}

function isDropped(item: ConversationItem): boolean {
  return item.type === 'tool-result' && item.text.startsWith('[This result was dropped');
}
