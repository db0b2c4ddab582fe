import { isRecord, type Writable } from '../internal/index.ts';
import { readAttachments } from './attachments.ts';
import type { ToolResult } from './tool-result.ts';

/** The returned value as a result; or a description of what it is instead. */
export type ToolResultReading =
  | { readonly ok: true; readonly result: ToolResult<unknown> }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads what {@link ToolResult} makes and plain objects of the same shape. What handlers return is not to be trusted: a
 * promise that was not awaited, a bare value or nothing at all is not a result. Each member is read once, since it may be a getter, and attachments
 * are copied.
 */
export function readToolResult(returned: unknown): ToolResultReading {
  const problem = `${returned === null ? 'null' : typeof returned} instead of a ToolResult`;
  if (!isRecord(returned)) return { ok: false, problem };
  const { success, message, excludeValueFromContext: isExcluded, attachments } = returned;
  if (typeof message !== 'string' || typeof success !== 'boolean') return { ok: false, problem };
  if (success && !('value' in returned)) return { ok: false, problem };
  if (isExcluded !== undefined && typeof isExcluded !== 'boolean') return { ok: false, problem };
  const { value } = returned;
  const result: Writable<ToolResult<unknown>> = { success, message, value };
  if (isExcluded !== undefined) result.excludeValueFromContext = isExcluded;
  if (attachments === undefined) return { ok: true, result };
  const reading = readAttachments(attachments);
  if (!reading.ok) {
    return { ok: false, problem: `a ToolResult that cannot be sent: ${reading.problem}` };
  }
  if (reading.attachments.length > 0) result.attachments = reading.attachments;
  return { ok: true, result };
}
