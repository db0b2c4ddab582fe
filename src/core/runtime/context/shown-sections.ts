import { isRecord, readJson } from '../../internal/index.ts';
import { readSection, sectionToolNames } from '../../prompt/index.ts';
import type { AssistantItem, ToolResultItem } from '../../tool/index.ts';
import type { LoopState } from '../model/loop-state.ts';
import type { VisiblePrompt } from '../model/visible-prompt.ts';

/**
 * Finds the results that show sections of the instructions: of calls that opened some, and of each section that was read without
 * opening it the last one that did. Goes through the whole conversation: for when something has to be left out of it.
 */
export function createSectionCheck(
  state: Pick<LoopState, 'conversation' | 'openings'>,
  display: Pick<VisiblePrompt, 'toolNamed'>,
): (result: ToolResultItem) => boolean {
  const opened = new Set(state.openings.map(({ callId }) => callId));
  const shown = new Set(sectionsReadIn(state, display).values());
  return (result) => opened.has(result.callId) || shown.has(result);
}

/** The sections that calls of a conversation have read without opening them, each with the last result that shows it. */
export function sectionsReadIn(
  { conversation }: Pick<LoopState, 'conversation'>,
  display: Pick<VisiblePrompt, 'toolNamed'>,
): ReadonlyMap<string, ToolResultItem> {
  const read = new Map<string, ToolResultItem>();
  // A prompt without summarized sections may have another tool of this name.
  const canRead = display.toolNamed(sectionToolNames.read)?.tool === readSection();
  let asked: AssistantItem | undefined;
  for (const item of canRead ? conversation : []) {
    if (item.type === 'assistant') asked = item;
    else if (item.type === 'tool-result' && !item.isError && item.toolName === sectionToolNames.read)
      read.set(sectionReadBy(item, asked), item);
  }
  return read;
}

/** The section that a call has read, as the tool finds it; the id of the call where that is not known. */
function sectionReadBy({ callId }: ToolResultItem, asked: AssistantItem | undefined): string {
  const call = asked?.content.find((part) => part.type === 'tool-call' && part.callId === callId);
  const params = call?.type === 'tool-call' ? readJson(call.arguments) : undefined;
  const key = isRecord(params) ? params['section_key'] : undefined;
  return typeof key === 'string' ? key.trim().toLowerCase() : callId;
}
