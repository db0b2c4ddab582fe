import { isRecord } from '../../../core/internal/index.ts';
import type { JsonValue } from '../../../core/schema/index.ts';
import { objectsIn } from '../wire/fields.ts';

/**
 * Parses JSON text. Invalid JSON is returned as a string; absent text is `{}`.
 *
 * @internal
 */
export function parseJsonText(text: unknown): JsonValue {
  if (typeof text !== 'string' || text === '') return {};
  try {
    // JSON.parse returns a JSON value.
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/**
 * The error of a call to a remote server, in the form of OpenAI's Responses API: a string, an error with a message, or the
 * error content of an MCP tool.
 *
 * @internal
 */
export function describeRemoteFailure(error: unknown): string | undefined {
  if (!isRecord(error)) return typeof error === 'string' ? error : undefined;
  const { message, content, type } = error;
  if (typeof message === 'string') return message;
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (texts.length > 0) return texts.join('\n');
  return typeof type === 'string' ? type : undefined;
}
