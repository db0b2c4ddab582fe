import { present } from '../../core/internal/index.ts';
import type { ConversationItem } from '../../core/tool/index.ts';
import type { RecordedCall, RecordedTurn } from '../../record/index.ts';

/** A part of a request, for the bar of shares. */
export interface Share {
  readonly name: string;
  readonly tokens: number;
}

/** What a request is made of: instructions, tools, what is kept of the conversation, what is new. `tokens` are estimates. */
export function sharesOf(turn: RecordedTurn): readonly Share[] {
  const tokens = turn.request?.tokens;
  if (tokens === undefined) return [];
  return [
    { name: 'Instructions', tokens: tokens.instructions },
    { name: 'Tools', tokens: tokens.tools },
    { name: 'Conversation kept', tokens: Math.max(0, tokens.conversation - tokens.added) },
    { name: 'New in this turn', tokens: tokens.added },
  ];
}

/** One item of a conversation as it is shown. */
export interface RequestMessage {
  readonly role: 'user' | 'assistant' | 'result' | 'approval';
  readonly texts: readonly string[];
  readonly call?: RecordedCall;
  readonly isError: boolean;
}

/** An item of the conversation of a turn; results name their call. */
export function messageOf(item: ConversationItem, turn: RecordedTurn): RequestMessage {
  switch (item.type) {
    case 'user':
      return { role: 'user', isError: false, texts: item.content.map(partText) };
    case 'assistant':
      return {
        role: 'assistant',
        isError: false,
        texts: item.content.map((part) => {
          switch (part.type) {
            case 'text':
              return part.text;
            case 'reasoning':
              return `(reasoning) ${part.text}`;
            case 'tool-call':
              return `${part.name}(${part.arguments})`;
            case 'approval-request':
              return `asks to run ${part.toolName} ${part.name}(${part.arguments})`;
          }
        }),
      };
    case 'tool-result': {
      const call = callOf(turn, item.callId);
      const attachments = (item.attachments ?? []).map(partText);
      return {
        role: 'result',
        isError: item.isError,
        texts: [item.text, ...attachments],
        ...present({ call }),
      };
    }
    case 'approval':
      return {
        role: 'approval',
        isError: !item.approved,
        texts: [
          `${item.approved ? 'approved' : 'not approved'}${item.reason === undefined ? '' : `: ${item.reason}`}`,
        ],
      };
  }
}

function partText(part: Extract<ConversationItem, { type: 'user' }>['content'][number]): string {
  if (part.type === 'text') return part.text;
  return `(${part.type} ${part.mediaType}${'name' in part && part.name !== undefined ? ` ${part.name}` : ''})`;
}

/** The last call before a turn whose result the model knows by an id. */
function callOf(turn: RecordedTurn, callId: string): RecordedCall | undefined {
  const { turns } = turn.run;
  for (let index = turns.indexOf(turn); index >= 0; index -= 1) {
    const found = turns[index]?.calls.find((call) => call.callId === callId);
    if (found !== undefined) return found;
  }
  return undefined;
}
