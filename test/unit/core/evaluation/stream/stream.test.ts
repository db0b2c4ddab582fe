import { describe, expect, test } from 'vitest';
import {
  Deadline,
  PromptValidationError,
  promptTemplate,
  type RunEvent,
  type RunStreamEvent,
  redactPatterns,
  redactSecrets,
  Session,
  SessionBusyError,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type LanguageModel, type ModelDelta, providerAdapter, ThrottleError } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { Noted, Notes, passingWaits } from './streamed-notes.ts';

const note = tool({
  name: 'note',
  description: 'Notes a text.',
  inputSchema: z.object({ text: z.string() }),
  effects: 'state',
  execute: ({ text }, { session }) => {
    session.dispatch(Noted, { text });
    return ToolResult.ok(null, 'Noted.');
  },
});

const prompt = promptTemplate({
  ns: 'test',
  key: 'streamed',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [note], slices: [Notes] })],
}).bind();

const turns = [
  {
    reasoning: 'Let me see.',
    text: 'I take notes.',
    toolCalls: [{ name: 'note', arguments: { text: 'a' } }],
  },
  { text: 'All is done.', usage: { outputTokens: 4 } },
] as const;

/** A model that tells these pieces, one at a time, and says which it was allowed to go beyond. */
function pieces(texts: readonly string[], told: string[] = []): LanguageModel {
  return {
    name: 'pieces',
    generate: async (_request, { onDelta, signal }) => {
      for (const text of texts) {
        if (signal.aborted) throw signal.reason;
        await onDelta?.({ type: 'text-delta', text });
        told.push(text);
      }
      return { content: [{ type: 'text', text: texts.join('') }], finishReason: 'stop' };
    },
  };
}

async function collect<Output>(
  events: AsyncIterable<RunStreamEvent<Output>>,
): Promise<RunStreamEvent<Output>[]> {
  const all: RunStreamEvent<Output>[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('a stream', () => {
  test('tells a run as evaluate runs it, piece by piece, and ends with the response', async () => {
    const heard: RunEvent[] = [];
    const events = await collect(
      scriptedAdapter(turns).stream(prompt, { observers: [{ onEvent: (event) => heard.push(event) }] }),
    );
    expect(events.map((event) => ('text' in event ? `${event.type}: ${event.text}` : event.type))).toEqual([
      'run-start',
      'turn-start',
      'model-call-start',
      ...['Let ', 'me ', 'see.'].map((text) => `reasoning-delta: ${text}`),
      ...['I ', 'take ', 'notes.'].map((text) => `text-delta: ${text}`),
      'model-call-end: I take notes.',
      'usage-counted',
      'tool-call-start',
      'tool-call-end',
      'turn-end',
      'turn-start',
      'model-call-start',
      ...['All ', 'is ', 'done.'].map((text) => `text-delta: ${text}`),
      'model-call-end: All is done.',
      'usage-counted',
      'turn-end',
      'run-end: All is done.',
      'run-result',
    ]);
    expect(heard).toEqual(events.slice(0, -1));
    const response = await scriptedAdapter(turns).evaluate(prompt);
    expect(events.at(-1)).toEqual({ type: 'run-result', response });
    expect(events.find(({ type }) => type === 'tool-call-end')).toMatchObject({
      invocation: { outcome: 'committed', toolName: 'note' },
    });
  });

  test('without streaming tells everything but the pieces, and evaluate with streaming tells them too', async () => {
    const whole = await collect(scriptedAdapter(turns).stream(prompt, { streaming: false }));
    expect(whole.some(({ type }) => type.endsWith('-delta'))).toBe(false);
    const heard: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'text-delta') heard.push(event.text);
    };
    await scriptedAdapter(turns).evaluate(prompt, { streaming: true, observers: [{ onEvent }] });
    expect(heard.join('')).toBe('I take notes.All is done.');
  });

  test('does not begin before the first event is asked for', async () => {
    const session = new Session();
    const stream = scriptedAdapter(turns).stream(prompt, { session });
    await scriptedAdapter(turns).evaluate(prompt, { session });
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
    await collect(stream);
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }, { text: 'a' }]);
  });

  test('can be gone through once', async () => {
    const stream = scriptedAdapter(turns).stream(prompt);
    await collect(stream);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(PromptValidationError);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test('refuses options at once, and a busy session with the first event', async () => {
    expect(() => scriptedAdapter(turns).stream(prompt, { limits: { maxTurns: 0 } })).toThrow(
      PromptValidationError,
    );
    const session = new Session();
    const release = session.hold();
    await expect(scriptedAdapter(turns).stream(prompt, { session }).next()).rejects.toBeInstanceOf(
      SessionBusyError,
    );
    release();
  });

  test('throws what ended the run, behind the events before it', async () => {
    const told: string[] = [];
    const failed = (async () => {
      for await (const { type } of scriptedAdapter([turns[0]]).stream(prompt)) told.push(type);
    })();
    const error = await evaluationFailure(failed);
    expect(error).toMatchObject({ code: 'evaluation-request-failed', phase: 'request' });
    expect(error.conversation).toHaveLength(2);
    expect(told.at(-1)).toBe('run-end');
    expect(told).toContain('tool-call-end');
  });
});

describe('leaving a stream', () => {
  test('ends the request to the model', async () => {
    const told: string[] = [];
    let reason: unknown;
    const model: LanguageModel = {
      name: 'endless',
      generate: async (_request, { onDelta, signal }) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        for (;;) {
          if (signal.aborted) throw signal.reason;
          await onDelta?.({ type: 'text-delta', text: 'on ' });
        }
      },
    };
    for await (const event of providerAdapter({ model }).stream(prompt)) {
      told.push(event.type);
      if (told.length === 40) break;
    }
    expect(reason).toMatchObject({ name: 'AbortError', message: 'The stream was left before its end.' });
  });

  test('rolls back the call in flight, and lets go of the session before return resolves', async () => {
    const session = new Session();
    const entered = gate();
    let aborted: unknown;
    const slow = tool({
      name: 'slow',
      description: 'Writes, and waits until it is ended.',
      effects: 'state',
      execute: async (_params, context) => {
        context.session.dispatch(Noted, { text: 'half' });
        void entered.pass();
        await new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => {
            aborted = context.signal.reason;
            reject(new Error('ended'));
          });
        });
        return ToolResult.ok(null);
      },
    });
    const slowPrompt = promptTemplate({
      ns: 'test',
      key: 'slow',
      sections: [
        section({ title: 'Task', key: 'task', template: 'Wait.', tools: [note, slow], slices: [Notes] }),
      ],
    }).bind();
    const calls = [{ name: 'note', arguments: { text: 'kept' } }, { name: 'slow' }];
    const stream = scriptedAdapter([{ toolCalls: calls }]).stream(slowPrompt, {
      session,
      limits: { maxConcurrentCalls: 1 },
    });
    for await (const event of stream) {
      if (event.type !== 'tool-call-start' || event.toolName !== 'slow') continue;
      await entered.reached;
      break;
    }
    expect(aborted).toMatchObject({ name: 'AbortError' });
    expect(session.slice(Notes).all()).toEqual([{ text: 'kept' }]);
    session.hold()();
  });

  test('while an event is being waited for ends it at once', async () => {
    const waiting = gate();
    const model: LanguageModel = {
      name: 'silent',
      generate: async (_request, { signal }) => {
        void waiting.pass();
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    };
    const stream = providerAdapter({ model }).stream(prompt);
    await stream.next();
    await stream.next();
    await stream.next();
    const pending = stream.next();
    await waiting.reached;
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test('before it began runs nothing', async () => {
    const stream = scriptedAdapter(() => {
      throw new Error('asked');
    }).stream(prompt);
    await stream[Symbol.asyncDispose]();
    expect(await collect(stream)).toEqual([]);
  });
});

describe('back-pressure', () => {
  test('the model waits for a listener who is behind, and continues when events are taken', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index} `);
    const told: string[] = [];
    const stream = providerAdapter({ model: pieces(texts, told) }).stream(prompt);
    const seen: string[] = [];
    let ahead = 0;
    for await (const event of stream) {
      if (event.type !== 'text-delta') continue;
      seen.push(event.text);
      // What the model could get ahead in whatever time it takes.
      await new Promise((resolve) => setImmediate(resolve));
      ahead = Math.max(ahead, told.length - seen.length);
    }
    expect(seen).toEqual(texts);
    expect(ahead).toBeLessThan(20);
    expect(ahead).toBeGreaterThan(0);
  });

  test('does not keep the deadline from ending the run', async () => {
    const clock = createManualClock();
    const session = new Session({ clock });
    const texts = Array.from({ length: 100 }, () => 'on ');
    const stream = providerAdapter({ model: pieces(texts) }).stream(prompt, {
      session,
      limits: { deadline: Deadline.after(1_000, clock) },
    });
    await stream.next();
    clock.advance(1_000);
    expect(await evaluationFailure(collect(stream))).toMatchObject({ code: 'evaluation-deadline-exceeded' });
  });
});

describe('pieces of an answer', () => {
  test('are told again from the start when the answer failed and is asked for again', async () => {
    const clock = createManualClock();
    let attempts = 0;
    const model: LanguageModel = {
      name: 'breaking',
      generate: async (_request, { onDelta }) => {
        attempts += 1;
        await onDelta?.({ type: 'text-delta', text: 'Half' });
        if (attempts === 1) throw new ThrottleError('The stream broke off.', { kind: 'server-error' });
        await onDelta?.({ type: 'text-delta', text: ' and half' });
        return { content: [{ type: 'text', text: 'Half and half' }], finishReason: 'stop' };
      },
    };
    const events = await collect(
      providerAdapter({ model }).stream(prompt, { clock, observers: [{ onEvent: passingWaits(clock) }] }),
    );
    const told = events.map((event) => (event.type === 'text-delta' ? event.text : event.type));
    expect(told.slice(3, 7)).toEqual(['Half', 'model-call-retry', 'Half', ' and half']);
  });

  test('of an answer that was given up on are not told any more', async () => {
    const late: ((delta: ModelDelta) => unknown)[] = [];
    let attempts = 0;
    const model: LanguageModel = {
      name: 'late',
      generate: async (_request, { onDelta }) => {
        attempts += 1;
        if (onDelta !== undefined) late.push(onDelta);
        if (attempts === 1) throw new ThrottleError('No answer.', { kind: 'timeout' });
        late[0]?.({ type: 'text-delta', text: 'old' });
        await onDelta?.({ type: 'text-delta', text: 'new' });
        return { content: [{ type: 'text', text: 'new' }], finishReason: 'stop' };
      },
    };
    const clock = createManualClock();
    const events = await collect(
      providerAdapter({ model }).stream(prompt, { clock, observers: [{ onEvent: passingWaits(clock) }] }),
    );
    late[1]?.({ type: 'text-delta', text: 'too late' });
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))).toEqual(['new']);
  });

  test('of an answer that failed for good are not told behind the end of the run', async () => {
    const told: string[] = [];
    let late: ((delta: ModelDelta) => unknown) | undefined;
    const model: LanguageModel = {
      name: 'talkative',
      generate: (_request, { onDelta }) => {
        late = onDelta;
        throw new TypeError('broken');
      },
    };
    const run = providerAdapter({ model }).evaluate(prompt, {
      streaming: true,
      observers: [{ onEvent: ({ type }) => told.push(type) }],
    });
    expect(await evaluationFailure(run)).toMatchObject({ code: 'evaluation-request-failed' });
    late?.({ type: 'text-delta', text: 'more' });
    expect(told.at(-1)).toBe('run-end');
  });

  test('come as one where texts are redacted, so that a secret across two of them is found', async () => {
    const model = pieces(['The key is sk-', '12345', ' indeed.']);
    const redact = (text: string): string => text.replaceAll('sk-12345', '<key>');
    const events = await collect(providerAdapter({ model }).stream(prompt, { redact }));
    expect(deltasOf(events)).toEqual(['The key is <key> indeed.']);
  });

  test('come as they are written where a redaction says what may continue', async () => {
    const model = pieces(['The key is sk-', '12345', ' ind', 'eed, and s', 'o on: sk-']);
    const redact = redactSecrets({ KEY: 'sk-12345' });
    const events = await collect(providerAdapter({ model }).stream(prompt, { redact }));
    expect(deltasOf(events)).toEqual(['The key is ', '<KEY>', ' ind', 'eed, and ', 'so on: ', 'sk-']);
  });

  test('hold a secret back also when the model thinks in the middle of it', async () => {
    const model: LanguageModel = {
      name: 'thinking',
      generate: async (_request, { onDelta }) => {
        await onDelta?.({ type: 'text-delta', text: 'Key: sk-' });
        await onDelta?.({ type: 'reasoning-delta', text: 'Hm. ' });
        await onDelta?.({ type: 'text-delta', text: '12345.' });
        return { content: [{ type: 'text', text: 'Key: sk-12345.' }], finishReason: 'stop' };
      },
    };
    for (const redact of [redactSecrets({ KEY: 'sk-12345' }), await redactPatterns(['sk-[0-9]+'])]) {
      const events = await collect(providerAdapter({ model }).stream(prompt, { redact }));
      expect(deltasOf(events).join('')).toMatch(/^Key: <\w+>\.$/);
      expect(events.filter(({ type }) => type === 'reasoning-delta')).toMatchObject([{ text: 'Hm. ' }]);
    }
  });

  test('wait for the whole where a redaction cannot say it', async () => {
    const pending = (): number => {
      throw new Error('no luck');
    };
    const redact = Object.assign((text: string) => text, { pending });
    const events = await collect(
      providerAdapter({ model: pieces(['one ', 'two']) }).stream(prompt, { redact }),
    );
    expect(deltasOf(events)).toEqual(['one two']);
  });
});

function deltasOf(events: readonly RunStreamEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
}
