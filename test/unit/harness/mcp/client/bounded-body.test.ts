import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedResponse } from '../../../../../src/harness/mcp/client/bounded-body.ts';

/** A response whose body arrives in these pieces. */
function responseOf(pieces: readonly Uint8Array[], contentType: string): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body, {
    status: 201,
    statusText: 'Made',
    headers: { 'content-type': contentType, 'x-a': 'b' },
  });
}

/** What a bounded body has, or why it failed. */
async function read(pieces: readonly Uint8Array[], contentType: string, maxBytes: number): Promise<string> {
  let reason: string | undefined;
  const bounded = boundedResponse(responseOf(pieces, contentType), maxBytes, (why) => {
    reason = why;
  });
  const text = await bounded.text().catch(() => 'failed');
  if ((text === 'failed') !== (reason !== undefined))
    throw new Error('The reason and the failure do not agree.');
  return reason ?? text;
}

function divided(text: string, cuts: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...cuts.map((at) => Math.min(at, bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const tooLarge = 'sent a message of more than 20 bytes';

describe('a bounded body', () => {
  const cuts = fc.array(fc.nat(120), { maxLength: 8 });
  const event = fc.stringMatching(/^[a-z]{1,30}$/);

  it('of a stream of events has any number of events, none of them too large', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 8 }),
        cuts,
        fc.constantFrom('\n', '\r\n'),
        async (events, at, end) => {
          const text = events.map((each) => `data: ${each}${end}${end}`).join('');
          // An event counts up to the empty line that ends it, with the ends of its lines.
          const isTooLarge = events.some((each) => `data: ${each}${end}${end}`.length - 1 > 20);
          const result = await read(divided(text, at), 'text/event-stream; charset=utf-8', 20);
          expect(result).toBe(isTooLarge ? tooLarge : text);
        },
      ),
    );
  });

  it('counts the lines of an event together', async () => {
    const text = 'data: 1234\ndata: 5678\n\n';
    expect(await read(divided(text, [5]), 'text/event-stream', 20)).toBe(tooLarge);
    expect(await read(divided(text, [5]), 'text/event-stream', 22)).toBe(text);
  });

  it('of JSON is bounded as a whole', async () => {
    expect(await read(divided('[1,2]\n\n'.repeat(3), [7, 14]), 'application/json', 20)).toBe(tooLarge);
    expect(await read(divided('[1,2]\n\n'.repeat(2), [7]), 'application/json', 20)).toBe(
      '[1,2]\n\n[1,2]\n\n',
    );
  });

  it('keeps status and headers; no body stays none', async () => {
    const bounded = boundedResponse(responseOf([], 'text/plain'), 20, () => undefined);
    expect([bounded.status, bounded.statusText, bounded.headers.get('x-a')]).toEqual([201, 'Made', 'b']);
    const empty = new Response(null, { status: 204 });
    expect(boundedResponse(empty, 20, () => undefined)).toBe(empty);
  });
});
