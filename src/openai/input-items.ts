import type { AssistantItem, ConversationItem, InputPart } from '../runtime/index.ts';
import type { InputContent, InputItem } from './wire.ts';

/** Stands in for the user where nobody said anything; the task is in the instructions. */
const opening: InputItem = {
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: 'Please begin.' }],
};

/**
 * The conversation as the provider takes it. What it said itself, under the name `provider`, goes back exactly as it
 * came, reasoning and ids included; what another provider said is told from its text and its calls.
 */
export function toInputItems(conversation: readonly ConversationItem[], provider: string): InputItem[] {
  const items = conversation.flatMap((item) => toItems(item, provider));
  return conversation.some((item) => item.type === 'user') ? items : [opening, ...items];
}

function toItems(item: ConversationItem, provider: string): readonly InputItem[] {
  switch (item.type) {
    case 'user':
      return [{ type: 'message', role: 'user', content: item.content.map(toContent) }];
    case 'assistant':
      return fromAssistant(item, provider);
    case 'tool-result':
      return [{ type: 'function_call_output', call_id: item.callId, output: item.text }];
    case 'approval':
      return [];
  }
}

function fromAssistant(item: AssistantItem, provider: string): readonly InputItem[] {
  // The provider takes back every item it makes; this adapter does not look into them.
  if (item.raw?.provider === provider) return item.raw.items as readonly InputItem[];
  return item.content.flatMap((part): readonly InputItem[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ type: 'message', role: 'assistant', content: part.text }];
      case 'tool-call':
        return [
          {
            type: 'function_call',
            call_id: part.callId,
            name: part.name,
            arguments: part.arguments === '' ? '{}' : part.arguments,
          },
        ];
      case 'approval-request':
      case 'reasoning':
        // The reasoning of another model is not this model's to go on with.
        return [];
    }
  });
}

function toContent(part: InputPart): InputContent {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', image_url: toUrl(part), detail: 'auto' };
    case 'file':
      return isWebUrl(part.data)
        ? { type: 'input_file', file_url: part.data }
        : { type: 'input_file', file_data: toUrl(part), filename: part.name ?? 'file' };
  }
}

function isWebUrl(data: string): boolean {
  return /^https?:/i.test(data);
}

function toUrl({ mediaType, data }: { readonly mediaType: string; readonly data: string }): string {
  return isWebUrl(data) || /^data:/i.test(data) ? data : `data:${mediaType};base64,${data}`;
}
