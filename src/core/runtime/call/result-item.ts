import {
  isRecord,
  type Writable,
  wellFormed,
  wellFormedText,
  withoutBlockTags,
} from '../../internal/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { ToolInvokedPayload, ToolResultItem } from '../../tool/index.ts';
import { feedbackText } from '../feedback/feedback-runner.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import type { ToolCallResult } from './tool-call/tool-call.ts';

/** Longer texts of a value are left out where the text of its result was shortened. */
const maxKeptCharacters = 200;

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

function charactersOf(value: JsonValue): number {
  let characters = 0;
  mapTexts(value, (text) => {
    characters += text.length;
    return text;
  });
  return characters;
}

/** The value of a result whose text was shortened, or left out. */
export function shortenedValue(value: JsonValue): JsonValue {
  return mapTexts(value, withoutLong);
}

function withoutLong(text: string): string | undefined {
  return text.length > maxKeptCharacters ? undefined : text;
}

/** The value with other texts, at its top; without those for which there is no other one. */
function mapTexts(value: JsonValue, map: (text: string) => string | undefined): JsonValue {
  if (typeof value === 'string') return map(value) ?? null;
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const mapped = typeof member === 'string' ? map(member) : member;
    return mapped === undefined ? [] : [[name, mapped]];
  });
  return Object.fromEntries(members) as JsonValue;
}
