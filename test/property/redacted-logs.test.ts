import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  createDispatcher,
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  PromptExecutionLog,
  PromptRenderingLog,
  promptTemplate,
  redactSecrets,
  resourceToken,
  Session,
  section,
  ToolCallLog,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../support/act.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const noteSchema = z.object({ text: z.string() });
const Noted = defineEvent({ name: 'noted', schema: noteSchema });
const Refused = defineEvent({ name: 'refused', schema: noteSchema });
const Broken = resourceToken<object>('broken');
const Closing = resourceToken<object>('closing');

/** A subscriber that fails late. */
const rejecting =
  (secret: string): (() => unknown) =>
  () =>
    Promise.reject(new Error(secret));

/** What a handler can do so that something fails, is logged, or both, with a secret in it. */
function doings(secret: string): readonly AnyTool[] {
  const fail = (): never => {
    throw new Error(secret, { cause: { secret } });
  };
  return [
    act('throws', fail),
    act('dispatches', ({ session }) => session.dispatch(Noted, { text: secret })),
    act('publishes', ({ session }) => session.dispatcher.dispatch(Noted, { text: secret })),
    act('subscribes', ({ session }) => {
      session.dispatcher.subscribe(Noted, fail);
      session.dispatch(Noted, { text: 'x' });
    }),
    act('subscribes_late', ({ session }) => {
      session.dispatcher.subscribeAll(rejecting(secret));
      session.dispatch(Noted, { text: 'x' });
    }),
    act('refuses', ({ session }) => session.dispatch(Refused, { text: secret })),
    act('does_not_fit', ({ session }) =>
      session.dispatch(Noted, JSON.parse(JSON.stringify({ [secret]: secret }))),
    ),
    act('logs', ({ logger }) => logger.error(secret, { [secret]: new Error(secret) })),
    act('builds', async ({ resources }) => void (await resources.get(Broken))),
    act('closes', async ({ resources }) => void (await resources.get(Closing))),
    act('reads', async ({ filesystem }) => void (await filesystem.read(secret))),
    act('asks', () => undefined),
    act('judged', () => undefined),
    act('kept', () => undefined),
    act('writes', ({ filesystem }) => filesystem.write('a.txt', 'x')),
    act('nests', ({ adapter }) => adapter.evaluate(inner(secret))),
  ];
}

function inner(secret: string): Prompt {
  const throws = act('inner_throws', ({ session }) => {
    session.dispatcher.subscribe(Noted, () => {
      throw new Error(secret);
    });
    session.dispatch(Noted, { text: secret });
    throw new Error(secret);
  });
  const parts = { title: 'Inner', key: 'inner', template: 'Inner.', tools: [throws] } as const;
  return promptTemplate({ ns: 'test', key: 'inner', sections: [section(parts)] }).bind();
}

function outer(secret: string): Prompt {
  const fail = (): never => {
    throw new Error(secret);
  };
  const Notes = defineSlice({
    name: 'notes',
    schema: noteSchema,
    policy: 'log',
    reducers: (on) => [on(Noted, (items, payload) => items.append(payload)), on(Refused, fail)],
  });
  const policies = [
    {
      name: 'asking',
      check: ({ tool }: { tool: AnyTool }) =>
        tool.name === 'asks' ? PolicyDecision.ask(secret) : PolicyDecision.allow(),
    },
    {
      name: 'judging',
      check: ({ tool }: { tool: AnyTool }) => (tool.name === 'judged' ? fail() : PolicyDecision.allow()),
    },
    {
      name: 'keeping',
      onResult: ({ tool }: { tool: AnyTool }) => (tool.name === 'kept' ? fail() : undefined),
    },
    { name: 'changes', checkChanges: fail },
  ];
  return promptTemplate({
    ns: 'test',
    key: 'outer',
    resources: [
      binding(Filesystem, { instance: new MemoryFilesystem() }),
      binding(Broken, { create: fail }),
      binding(Closing, { create: () => ({ close: fail }), scope: 'tool-call' }),
    ],
    sections: [
      section({ title: 'T', key: 't', template: 'Go.', tools: doings(secret), slices: [Notes], policies }),
    ],
  }).bind();
}

/** Whatever can be read of a value: as JSON where there is one, and as Node shows it. */
function writtenOut(value: unknown): string {
  const shown = inspect(value, { depth: 20, showHidden: true, maxStringLength: null });
  try {
    return `${JSON.stringify(value)} ${shown}`;
  } catch {
    return shown;
  }
}

const names = doings('').map(({ name }) => name);

test('a secret reaches no logger, listener or record, wherever something fails over it', async () => {
  await fc.assert(
    fc.asyncProperty(
      // Quotes and line feeds are written in another way in JSON.
      fc.stringMatching(/^[a-zA-Z0-9]{12,30}$/),
      fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('evaluate', 'stream', 'openToolRuntime'),
      fc.constantFrom('own', 'shared', 'foreign'),
      async (core, called, way, whose) => {
        const secret = `"${core}\n${core}`;
        const left: unknown[] = [];
        const [runLogger, sessionLogger] = [recordingLogger(), recordingLogger()];
        const keep = (...parts: readonly unknown[]): void => void left.push(...parts);
        const dispatcher = createDispatcher();
        dispatcher.onFailure(keep);
        const neighbor = whose === 'shared' ? new Session({ dispatcher }) : undefined;
        await using session = new Session({
          clock: createManualClock(),
          ...(whose === 'own' ? { logger: sessionLogger } : { dispatcher }),
        });
        session.dispatcher.onFailure(keep);
        session.dispatcher.subscribeAll(keep);
        // Fails at what the run itself tells, too.
        session.dispatcher.subscribeAll(() => {
          throw new AggregateError([new Error(secret)], secret);
        });
        session.dispatcher.subscribeAll(rejecting(secret));
        const options: EvaluateOptions = {
          session,
          clock: createManualClock(),
          redact: redactSecrets({ TOKEN: core }),
          logger: runLogger,
          observers: [
            {
              onEvent: (event) => {
                keep(event);
                throw new Error(secret);
              },
            },
          ],
          approve: () => {
            throw new Error(secret);
          },
          feedback: [
            {
              name: 'hints',
              triggers: { everyCalls: 1 },
              provide: () => {
                throw new Error(secret);
              },
            },
          ],
          limits: { maxTurns: 3 },
        };
        const calls = called.map((name, index) => ({ name, callId: `c${index}`, arguments: '{}' }));
        const adapter = scriptedAdapter((conversation) => {
          if (conversation.length === 0) return { toolCalls: [{ name: 'inner_throws', arguments: {} }] };
          return conversation.some(({ type }) => type === 'tool-result')
            ? { text: 'Done.' }
            : { toolCalls: calls };
        });
        const prompt = outer(secret);
        const run = async (): Promise<void> => {
          if (way === 'evaluate') await adapter.evaluate(prompt, { ...options, input: 'Go.' });
          else if (way === 'stream') {
            for await (const event of adapter.stream(prompt, { ...options, input: 'Go.' })) {
              if (event.type !== 'run-result') keep(event);
            }
          } else {
            // A runtime does not count turns.
            const { limits: _limits, ...more } = options;
            await using runtime = await openToolRuntime(prompt, { ...more, adapter });
            // What the loop gets is what its model reads.
            await runtime.runCalls(calls);
          }
        };
        await run().catch(keep);
        await nextTurn();
        keep(session.slice(ToolCallLog).all(), session.slice(PromptExecutionLog).all());
        keep(session.slice(PromptRenderingLog).all());
        keep(runLogger.lines, sessionLogger.lines);
        expect(session.slice(ToolCallLog).length).toBeGreaterThanOrEqual(called.length);
        expect(writtenOut(left)).not.toContain(core);
        await neighbor?.[Symbol.asyncDispose]();
      },
    ),
  );
});

test('once the run has ended, what subscribers throw is told as it is', async () => {
  const logger = recordingLogger();
  await using session = new Session({ logger });
  session.dispatcher.subscribeAll(() => {
    throw new Error('the token 123456789');
  });
  const sections = [section({ title: 'T', key: 't', template: 'Go.' })];
  const prompt = promptTemplate({ ns: 'test', key: 'short', sections }).bind();
  await scriptedAdapter([{ text: 'Done.' }]).evaluate(prompt, {
    session,
    redact: redactSecrets({ TOKEN: '123456789' }),
  });
  expect(logger.lines.map(({ message }) => message).at(-1)).toContain('failed: the token <TOKEN>');
  session.dispatcher.deliver({ name: 'noted', payload: {}, policy: 'none' }, session.id);
  expect(logger.lines.map(({ message }) => message).at(-1)).toContain('failed: the token 123456789');
});
