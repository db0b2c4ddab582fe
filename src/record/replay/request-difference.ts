import { present } from '../../core/internal/index.ts';
import type { ModelRequest } from '../../core/runtime/index.ts';
import type { ConversationItem } from '../../core/tool/index.ts';
import type { RecordedRequest } from '../fold/run-record.ts';
import { hostedToolPart } from '../format/row-parts.ts';
import { describeDifference, firstDifference } from './json-difference.ts';

/** A part of a request that differs from the recorded one. */
export interface RequestDifference {
  readonly part: 'instructions' | 'tools' | 'conversation' | 'outputSchema' | 'toolChoice' | 'settings';
  /** Index of the first item that differs; of the conversation. */
  readonly index?: number;
  /** The tool that differs, or the call whose result does. */
  readonly name?: string;
  /** One sentence with both sides where they begin to differ. */
  readonly text: string;
}

/** What of a request can be compared. */
export type ComparedRequest = Pick<
  ModelRequest,
  'instructions' | 'conversation' | 'tools' | 'hostedTools' | 'outputSchema' | 'toolChoice' | 'settings'
>;

/** Every part of a request that differs from the recorded one; empty when the model would read the same. */
export function requestDifferences(
  recorded: RecordedRequest,
  now: ComparedRequest,
): readonly RequestDifference[] {
  const differences: RequestDifference[] = [];
  const compare = (part: RequestDifference['part'], left: unknown, right: unknown): void => {
    const found = firstDifference(left, right);
    if (found !== undefined)
      differences.push({ part, text: `The ${partNames[part]} differ${describeDifference(found)}.` });
  };
  compare('instructions', recorded.instructions, now.instructions);
  const tool = toolDifference(recorded, now);
  if (tool !== undefined) differences.push(tool);
  const item = conversationDifference(recorded.conversation, now.conversation);
  if (item !== undefined) differences.push(item);
  compare('outputSchema', recorded.outputSchema, now.outputSchema);
  compare('toolChoice', recorded.toolChoice, now.toolChoice);
  compare('settings', recorded.settings, now.settings);
  return differences;
}

const partNames: Readonly<Record<RequestDifference['part'], string>> = {
  instructions: 'instructions',
  tools: 'tools',
  conversation: 'messages',
  outputSchema: 'parts of the answer schema',
  toolChoice: 'tool choices',
  settings: 'settings',
};

function toolDifference(recorded: RecordedRequest, now: ComparedRequest): RequestDifference | undefined {
  const names = firstDifference(
    recorded.tools.map(({ name }) => name),
    now.tools.map(({ name }) => name),
  );
  for (const tool of recorded.tools) {
    const current = now.tools.find(({ name }) => name === tool.name);
    if (current === undefined)
      return { part: 'tools', name: tool.name, text: `The tool "${tool.name}" is missing.` };
    const { name, description, inputSchema } = current;
    const found = firstDifference(
      { name: tool.name, description: tool.description, inputSchema: tool.inputSchema },
      { name, description, inputSchema },
    );
    if (found !== undefined)
      return { part: 'tools', name, text: `The tool "${name}" differs${describeDifference(found)}.` };
  }
  const added = now.tools.find(({ name }) => !recorded.tools.some((tool) => tool.name === name));
  if (added !== undefined)
    return { part: 'tools', name: added.name, text: `The tool "${added.name}" is new.` };
  if (names !== undefined)
    return { part: 'tools', text: `The order of the tools differs${describeDifference(names)}.` };
  const hosted = firstDifference(recorded.hostedTools, now.hostedTools.map(hostedToolPart));
  return hosted === undefined
    ? undefined
    : { part: 'tools', text: `The hosted tools differ${describeDifference(hosted)}.` };
}

/** A message as the model reads it: it is not shown who said what it gets in the role of the user. */
function asRead(item: ConversationItem | undefined): ConversationItem | undefined {
  return item?.type === 'user' ? { type: item.type, content: item.content } : item;
}

function conversationDifference(
  recorded: readonly ConversationItem[],
  now: readonly ConversationItem[],
): RequestDifference | undefined {
  for (let index = 0; index < Math.max(recorded.length, now.length); index += 1) {
    const left = recorded[index];
    const right = now[index];
    const found = firstDifference(asRead(left), asRead(right));
    if (found === undefined) continue;
    const item = left ?? right;
    const call = item?.type === 'tool-result' ? ` of "${item.toolName}", ${item.callId}` : '';
    const what = `Message ${index} (${item?.type ?? 'none'}${call})`;
    const text =
      left === undefined
        ? `${what} is new.`
        : right === undefined
          ? `${what} is missing.`
          : `${what} differs${describeDifference(found)}.`;
    return {
      part: 'conversation',
      index,
      ...present({ name: item?.type === 'tool-result' ? item.callId : undefined }),
      text,
    };
  }
  return undefined;
}
