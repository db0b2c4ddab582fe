import { cutAfter, isRecord, startOf } from '../../../core/internal/index.ts';
import { objectsIn, type WireFields } from './fields.ts';

/** Maximum length of a reason; a page or a dump of a request may be of any length. */
const maxShown = 500;
/** Only this many characters of a body are examined. */
const maxRead = 20_000;
/** Maximum nesting that is searched, of objects and of strings that contain JSON. */
const maxDepth = 10;

/**
 * The reason of a failed request from the body of the answer, in all forms that OpenAI-compatible servers, gateways and
 * proxies are known to send.
 *
 * - `{ error: { message } }`, `{ error: 'text' }`, `{ object: 'error', message }`, `{ message }`, and a list of one of
 * these;
 * - `{ detail: 'text' }`, and FastAPI's `{ detail: [{ loc, msg }] }`, with the location of each error;
 * - a gateway's `metadata.raw`, which holds the provider's answer;
 * - plain text; of an HTML page the text without markup.
 *
 * @param body a string, or what was parsed from one.
 * @returns at most 500 characters; undefined when the body gives no reason.
 */
export function failureReason(body: unknown): string | undefined {
  const reason = read(body, 0)?.trim();
  if (reason === undefined || reason === '') return undefined;
  return cutAfter(reason, maxShown);
}

function read(body: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  if (typeof body === 'string') return readText(body, depth);
  if (Array.isArray(body)) return read(body[0], depth + 1);
  return isRecord(body) ? readFields(body, depth) : undefined;
}

function readText(text: string, depth: number): string {
  const start = startOf(text, maxRead).trim();
  if (isPage(start)) return textOfPage(start);
  if (!/^[[{"]/.test(start)) return start;
  try {
    return read(JSON.parse(text), depth + 1) ?? start;
  } catch {
    return start;
  }
}

function readFields(fields: WireFields, depth: number): string | undefined {
  const { error, message, Message: bedrock, detail, errors, metadata } = fields;
  const inner = isRecord(metadata) ? read(metadata['raw'], depth + 1) : undefined;
  const own = [error, message, bedrock, faultsIn(detail) ?? detail, errors]
    .map((place) => read(place, depth + 1))
    .find((reason) => reason !== undefined && reason !== '');
  if (own === undefined || inner === undefined || own.includes(inner)) return own ?? inner;
  return `${own}: ${inner}`;
}

/** Validation errors from a server that checks bodies against a schema, each with its location. */
function faultsIn(detail: unknown): string | undefined {
  const faults = objectsIn(detail).flatMap(({ loc, msg }) => {
    if (typeof msg !== 'string') return [];
    return [Array.isArray(loc) && loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg];
  });
  return faults.length === 0 ? undefined : faults.join('; ');
}

function isPage(text: string): boolean {
  return /^(<!--[^>]*>\s*)?<(!doctype|html|head|body|\?xml)/i.test(text);
}

function textOfPage(page: string): string {
  return page
    .replace(/<(script|style)\b[^>]*>[^]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
