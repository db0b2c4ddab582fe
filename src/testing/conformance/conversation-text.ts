import type { ConversationItem } from '../../core/tool/index.ts';
import type { ConformanceItem, ConformanceRequest } from './request.ts';

/**
 * A conversation as one string, so that it can be compared with the beginning of another. The string does not depend on how
 * text was divided into parts.
 */
export function conversationText(conversation: readonly ConversationItem[]): string {
  return textOf(conversation.flatMap(toItems), conversation);
}

/** The same for the conversation in a request. */
export function requestText(request: ConformanceRequest, conversation: readonly ConversationItem[]): string {
  return textOf(request.conversation, conversation);
}

function toItems(item: ConversationItem): readonly ConformanceItem[] {
  switch (item.type) {
    case 'user':
      return item.content.flatMap((part) =>
        part.type === 'text' ? [{ type: 'user', text: part.text }] : [],
      );
    case 'assistant':
      return item.content.flatMap((part): readonly ConformanceItem[] => {
        if (part.type === 'text') return [{ type: 'assistant', text: part.text }];
        if (part.type !== 'tool-call') return [];
        return [{ type: 'call', callId: part.callId, name: part.name, arguments: part.arguments }];
      });
    case 'tool-result':
      return [{ type: 'result', callId: item.callId, text: item.text }];
    case 'approval':
      return [{ type: 'approval', approvalId: item.approvalId, approved: item.approved }];
  }
}

function textOf(items: readonly ConformanceItem[], conversation: readonly ConversationItem[]): string {
  const malformed = malformedCalls(conversation);
  // Calls are numbered, because an adapter may have to change the ids of another provider's calls.
  const numbers = new Map<string, number>();
  let calls = 0;
  return items
    .map((item) => {
      switch (item.type) {
        case 'assistant':
          return item.text;
        case 'reasoning':
        case 'media':
          return '';
        case 'call': {
          // Malformed JSON may have to be sent back as valid JSON.
          const args = malformed.has(item.callId) ? '…' : normalized(item.arguments);
          calls += 1;
          numbers.set(item.callId, calls);
          return `\n[call ${calls}] ${item.name}(${args})\n`;
        }
        case 'result':
          return `\n[result of call ${numbers.get(item.callId)}] ${item.text}\n`;
        case 'user':
          return `\n[user] ${item.text}\n`;
        case 'approval':
          return `\n[approval ${item.approvalId}] ${item.approved}\n`;
      }
    })
    .join('');
}

function malformedCalls(conversation: readonly ConversationItem[]): ReadonlySet<string> {
  const calls = conversation.flatMap((item) => (item.type === 'assistant' ? item.content : []));
  return new Set(
    calls.flatMap((part) =>
      part.type === 'tool-call' && normalized(part.arguments) === undefined ? [part.callId] : [],
    ),
  );
}

/** JSON without insignificant spaces; undefined for invalid JSON. */
function normalized(text: string): string | undefined {
  if (text.trim() === '') return '{}';
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
