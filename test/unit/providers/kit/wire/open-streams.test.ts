import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import type { Clock, ProviderAdapter } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { message as anthropicMessage, text } from '../../../../support/anthropic-messages.ts';
import { toEvents as toAnthropicEvents, toEventStream } from '../../../../support/anthropic-stream.ts';
import { eventStream, openWireServer } from '../../../../support/conformance/wire-server.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { message as openaiMessage, response } from '../../../../support/openai-responses.ts';
import { toEvents, toServerSentEvents } from '../../../../support/openai-stream.ts';
import { promptOf } from '../../../../support/prompt-of.ts';

const prompt = promptOf();

const openaiBody = async () => toServerSentEvents(toEvents(response([openaiMessage('Done.')])));
const anthropicBody = async () => toEventStream(toAnthropicEvents(anthropicMessage([text('Done.')]))).text();

const adapters: readonly (readonly [string, () => Promise<string>, (url: string) => ProviderAdapter])[] = [
  ['openai', openaiBody, (baseURL) => openai({ model: 'gpt-5', apiKey: 'key', baseURL })],
  ['anthropic', anthropicBody, (baseURL) => anthropic({ model: 'm', apiKey: 'key', baseURL })],
  [
    'aiSdk',
    anthropicBody,
    (url) => aiSdk({ model: createAnthropic({ apiKey: 'key', baseURL: `${url}/v1` })('claude-sonnet-4-5') }),
  ],
];

/** A clock that stands still and tells when somebody waits for the end of a stream, and when nobody does any more. */
function watchedClock() {
  const clock = createManualClock();
  const waits = gate();
  const waited = gate();
  const watched: Clock = {
    now: clock.now,
    schedule: (delayMs, callback) => {
      const cancel = clock.schedule(delayMs, callback);
      if (delayMs !== 1_000) return cancel;
      waits.open();
      return () => {
        cancel();
        waited.open();
      };
    },
  };
  return { clock, watched, waits: waits.pass(), waited: waited.pass() };
}

describe.each(adapters)('a stream of %s', (_name, bodyOf, create) => {
  it('whose server keeps the connection open is left after a second', async () => {
    const left = gate();
    const body = await bodyOf();
    await using server = await openWireServer(() => eventStream(body, 'open'), left.open);
    const { clock, watched, waits } = watchedClock();
    const run = create(server.url).evaluate(prompt, { streaming: true, clock: watched });
    await waits;
    let hasLeft = false;
    void left.pass().then(() => {
      hasLeft = true;
    });
    clock.advance(999);
    expect(hasLeft).toBe(false);
    clock.advance(1);
    await left.pass();
    expect((await run).text).toBe('Done.');
  });

  it('whose server ends it is not left, and leaves no timer', async () => {
    const body = await bodyOf();
    await using server = await openWireServer(
      () => eventStream(body),
      () => undefined,
    );
    const { clock, watched, waited } = watchedClock();
    const { text: said } = await create(server.url).evaluate(prompt, { streaming: true, clock: watched });
    expect(said).toBe('Done.');
    await waited;
    expect(clock.pending).toBe(0);
  });
});
