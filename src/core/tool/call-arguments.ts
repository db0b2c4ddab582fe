import { unsafeIntegers } from '../internal/index.ts';
import type { ToolCallPart } from './conversation.ts';

/** The arguments of a call, as JSON text that was written from a value which something else had parsed. */
export function parsedArguments(text: string): Pick<ToolCallPart, 'arguments' | 'wasParsed'> {
  // Said only where it matters, so that it costs no room in records.
  return unsafeIntegers(text).length === 0 ? { arguments: text } : { arguments: text, wasParsed: true };
}
