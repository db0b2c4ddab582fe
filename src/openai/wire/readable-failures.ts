import { isRecord } from '../../internal/index.ts';
import { failureReason, parseJsonText } from '../../provider/index.ts';

/**
 * A `fetch` whose failed answers say why in the form that the vendor's client reads, `{ error: { message } }`: of any other form, such as
 * `{ object: 'error', message }`, `{ detail }` or a web page, the client shows the status alone or the whole page.
 */
export function withReadableFailures(send: typeof fetch): typeof fetch {
  return async (...request) => {
    const response = await send(...request);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    // A body that breaks off says as little as none.
    const text = await response.text().catch(() => '');
    return new Response(readable(text), { status, statusText, headers: withoutSizes(headers) });
  };
}

function readable(text: string): string {
  const body = parseJsonText(text);
  if (isRecord(body) && isRecord(body['error'])) return text;
  const message = failureReason(text);
  if (message === undefined) return text;
  // Some servers write what the client looks for in the error beside the message.
  const { code, type, param } = isRecord(body) ? body : {};
  return JSON.stringify({ error: { message, code, type, param } });
}

/** What the headers say of the body that was read does not hold for another one. */
function withoutSizes(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return kept;
}
