import { type Writable, wellFormed, wellFormedText, withoutBlockTags } from '../../internal/index.ts';
import type { ToolInvokedPayload, ToolResultItem } from '../../tool/index.ts';
import { feedbackText } from '../feedback/feedback-runner.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import { charactersOf, mapTexts, shortenedValue } from './tool-call/shortened-value.ts';
import type { ToolCallResult } from './tool-call/tool-call.ts';

/** The answer to a call as it is in the conversation. */
export function toResultItem(
  { attachments, invocation }: Pick<ToolCallResult, 'attachments' | 'invocation'>,
  environment: Pick<EvaluationEnvironment, 'display' | 'feedback' | 'maxResultCharacters'>,
): ToolResultItem {
  const { callId, openedSections, providerKind, toolName } = invocation;
  const item: Writable<ToolResultItem> = {
    type: 'tool-result',
    callId,
    toolName,
    text: wellFormedText(invocation.modelText),
    isError: !invocation.success,
  };
  if (attachments !== undefined) item.attachments = wellFormed(attachments);
  const loadedTools = openedSections && environment.display.loadedBy(openedSections);
  if (loadedTools !== undefined) item.loadedTools = loadedTools;
  if (providerKind !== undefined) addTypedParts(item, invocation, environment);
  return item;
}

/**
 * What the result of a call in the shape of a provider tool has beside its text: the answer in that shape is made of it. A value that is longer than the model may read, or
 * of whose result it reads an excerpt, has no long texts: the text of the result takes their place.
 */
function addTypedParts(
  item: Writable<ToolResultItem>,
  { feedback, resultId, value }: ToolInvokedPayload,
  environment: Pick<EvaluationEnvironment, 'feedback' | 'maxResultCharacters'>,
): void {
  if (value !== undefined) {
    const isShortened = resultId !== undefined || charactersOf(value) > environment.maxResultCharacters;
    const kept = isShortened ? shortenedValue(value) : value;
    // Only the runtime writes the blocks of feedback: what would look like one is escaped, as it is in the text.
    item.value = wellFormed(environment.feedback === undefined ? kept : mapTexts(kept, withoutBlockTags));
  }
  const said = feedbackText(feedback);
  if (said !== '') item.feedback = said;
}
