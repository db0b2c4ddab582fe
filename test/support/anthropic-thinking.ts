// What the Messages interface refuses about thinking, by the vendor's published rules.

import { type Fields, fieldsOf, listOf } from './conformance/fields.ts';

/** Why the provider would answer with status 400; undefined for a request that it takes. */
export function thinkingFault(body: Fields): string | undefined {
  const thinking = fieldsOf(body['thinking'])['type'];
  const turn = finalTurn(listOf(body['messages']));
  const choice = fieldsOf(body['tool_choice'])['type'];
  const edits = listOf(fieldsOf(body['context_management'])['edits']);
  const { effort } = fieldsOf(body['output_config']);
  if (thinking === 'enabled') {
    const begin = [turn.at(0), turn.at(-1)].map((blocks) => String(blocks?.[0]?.['type']));
    if (turn.length > 0 && !begin.some(isThinking))
      return `messages: Expected \`thinking\` or \`redacted_thinking\`, but found \`${begin.at(-1)}\`.`;
    if (choice === 'any' || choice === 'tool')
      return 'Thinking may not be enabled when tool_choice forces tool use.';
    return undefined;
  }
  if (thinking === 'adaptive') return undefined;
  if (edits.some(({ type }) => type === 'clear_thinking_20251015'))
    return '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive';
  if (thinking !== 'disabled') return undefined;
  if (turn.flat().some(({ type }) => isThinking(String(type))))
    return 'When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.';
  return effort === 'xhigh' || effort === 'max' ? `effort ${effort} needs thinking` : undefined;
}

/** The messages of the assistant since the last one of the user that has no results. */
function finalTurn(messages: readonly Fields[]): readonly (readonly Fields[])[] {
  const isNew = ({ role, content }: Fields): boolean =>
    role === 'user' && !listOf(content).some(({ type }) => type === 'tool_result');
  return messages
    .slice(messages.findLastIndex(isNew) + 1)
    .flatMap(({ role, content }) => (role === 'assistant' ? [listOf(content)] : []));
}

function isThinking(type: string): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
