import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  defineEvent,
  defineSlice,
  type EventDefinition,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  PromptExecutionLog,
  PromptRenderingLog,
  promptTemplate,
  redactSecrets,
  Session,
  type Slice,
  section,
  ToolCallLog,
  type ToolContext,
  ToolResult,
  ToolValidationError,
  tool,
} from 'weakincentives';
import { ThrottleError } from 'weakincentives/provider';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../support/act.ts';
import { draws } from '../support/draws.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { calling } from '../support/nested-setup.ts';
import { recordingLogger } from '../support/recording-logger.ts';

/** Its quotes and its line feed are written in another way in JSON. */
const secret = 'tok-"5ecret"\nof-42';
/** Part of every way to write it. */
const core = '5ecret';

interface Note {
  text: string;
}
const noteSchema = z.object({ text: z.string() });
const Noted: EventDefinition<Note, Note> = defineEvent({ name: 'noted', schema: noteSchema });
const Remarked: EventDefinition<Note, Note> = defineEvent({ name: 'remarked', schema: noteSchema });
const Notes: Slice<Note> = defineSlice({
  name: 'notes',
  schema: noteSchema,
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});
const Remarks: Slice<Note> = defineSlice({
  name: 'remarks',
  schema: noteSchema,
  policy: 'log',
  reducers: (on) => [on(Remarked, (items, payload) => items.append(payload))],
});

class Client {
  readonly headers = { authorization: secret };
}
class WrittenOut extends Error {
  toJSON(): unknown {
    return { said: secret };
  }
}

const failing = (name: string, make: () => unknown): AnyTool =>
  act(name, () => {
    throw make();
  });

const inner = promptTemplate({
  ns: 'test',
  key: 'inner',
  sections: [
    section({
      title: 'Inner',
      key: 'inner',
      params: z.object({ word: z.string() }),
      template: (p) => `Inner ${p.word}.`,
      tools: [failing('inner_throw', () => new Error(secret))],
    }),
  ],
}).bind({ word: secret });

const values: Readonly<Record<string, unknown>> = {
  text: secret,
  key: { [secret]: 1 },
  deep: [{ a: { b: [secret, `around ${secret}.`] } }],
  json: JSON.stringify({ token: secret }),
};

/** Everything a handler can do with a secret. */
const doings: readonly AnyTool[] = [
  ...Object.entries(values).map(([name, value]) => act(`return_${name}`, () => ToolResult.ok(value, secret))),
  act('fail', () => ToolResult.error(secret, { token: secret })),
  act('no_result', () => secret),
  failing('throw', () => new TypeError(secret)),
  failing('throw_long', () => new Error('x'.repeat(3_990) + secret)),
  failing('throw_validation', () => new ToolValidationError(secret)),
  failing('throw_cause', () => new Error('outer', { cause: new Error('inner', { cause: secret }) })),
  failing('throw_fields', () =>
    Object.assign(new Error('with fields'), { client: new Client(), [secret]: 1 }),
  ),
  failing('throw_written_out', () => new WrittenOut('quiet')),
  failing('throw_many', () => new AggregateError([new Error(secret), secret], 'many')),
  failing('throw_object', () => ({ token: secret, nested: new Map([[secret, secret]]) })),
  failing('throw_circle', () => {
    const error = new Error(secret);
    return Object.assign(error, { cause: error, self: error });
  }),
  act('tell', ({ session, progress, logger }) => {
    session.dispatch(Noted, { text: secret });
    session.dispatch(Remarked, { text: secret });
    session.dispatcher.dispatch(Noted, { text: secret });
    progress({ [secret]: secret });
    logger.info(secret, { token: secret, error: new Error(secret), client: new Client(), when: new Date(0) });
    logger.warn('in bytes', { bytes: new TextEncoder().encode(secret), map: new Set([secret]) });
  }),
  act('log_and_fail', ({ session }) => {
    session.dispatch(Remarked, { text: secret });
    throw new Error(secret);
  }),
  act('write', async ({ filesystem }) => {
    await filesystem.write(`5ecret-is-no-part-of-a-path`.replace(core, 'a'), secret);
  }),
  act('broken_subscriber', ({ session }: ToolContext) => {
    session.dispatcher.subscribe(Noted, () => {
      throw new Error(secret);
    });
    session.dispatch(Noted, { text: 'for it' });
  }),
  act('nested', async ({ adapter }) => ToolResult.ok((await adapter.evaluate(inner)).text)),
  act('denied', () => undefined),
  act('asked', () => undefined),
  tool({
    name: 'strict',
    description: 'Takes little.',
    effects: 'state',
    inputSchema: z.object({ kind: z.enum(['a', 'b']), more: z.string().max(3).optional() }),
    outputSchema: z.object({ known: z.string() }),
    render: () => {
      throw new Error(secret);
    },
    // What a handler gives whose value came from elsewhere.
    execute: () => ToolResult.ok({ known: secret, [secret]: 1 } as { known: string }),
  }),
];

const template = promptTemplate({
  ns: 'test',
  key: 'outer',
  resources: [binding(Filesystem, { instance: new MemoryFilesystem() })],
  sections: [
    section({
      title: 'Task',
      key: 'task',
      params: z.object({ word: z.string() }),
      template: (p) => `Work with ${p.word}.`,
      tools: doings,
      slices: [Notes, Remarks],
      policies: [
        {
          name: 'no',
          check: ({ tool: { name } }) =>
            name === 'denied' ? PolicyDecision.deny(secret) : PolicyDecision.allow(),
        },
        {
          name: 'who',
          check: ({ tool: { name } }) =>
            name === 'asked' ? PolicyDecision.ask(secret) : PolicyDecision.allow(),
        },
      ],
    }),
  ],
});

const call: fc.Arbitrary<ScriptedToolCall> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...doings.map(({ name }) => ({ name }))) },
  fc.constantFrom<ScriptedToolCall>(
    { name: `none_${secret}` },
    { name: 'strict', arguments: `{"kind": "${secret}` },
    { name: 'strict', arguments: { kind: secret } },
    { name: 'strict', arguments: { kind: 'a', [secret]: secret } },
    { name: 'strict', arguments: { kind: 'a', more: 'x'.repeat(70) + secret } },
    { name: 'strict', arguments: { kind: 'a' } },
  ),
);

const end = fc.constantFrom('answer', 'provider', 'throttled', 'strange', 'turns', 'abort');

/** Whatever can be read of a value: as JSON where there is one, and as Node shows it. */
function writtenOut(value: unknown): string {
  const shown = inspect(value, { depth: 20, showHidden: true, maxStringLength: null });
  try {
    return `${JSON.stringify(value)} ${shown}`;
  } catch {
    return shown;
  }
}

test('what is to be redacted reaches the model, handlers and state, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
      end,
      async (turns, ending) => {
        const left: unknown[] = [];
        const logger = recordingLogger();
        const session = new Session({ clock: createManualClock() });
        session.dispatcher.subscribeAll((payload, meta) => left.push(payload, meta));
        const abort = new AbortController();
        const seen: string[] = [];
        const asked: string[] = [];
        const adapter = scriptedAdapter((conversation, { instructions, turn }) => {
          seen.push(instructions, JSON.stringify(conversation));
          if (instructions.includes('Inner')) return turn === 1 ? calling('inner_throw') : { text: secret };
          const toolCalls = turns[turn - 1];
          if (toolCalls !== undefined) return { text: secret, toolCalls: numbered(toolCalls, turn) };
          switch (ending) {
            case 'provider':
              throw Object.assign(new Error(`bad key ${secret}`), { request: new Client(), body: secret });
            case 'throttled':
              throw new ThrottleError(secret, { kind: 'quota', details: { [secret]: secret } });
            case 'strange':
              // What a provider without types may answer.
              return { text: 'x', finishReason: secret as never };
            case 'turns':
              return { text: secret, toolCalls: [{ name: 'fail', callId: `again-${turn}` }] };
            case 'abort':
              abort.abort(new Error(secret));
              return { text: secret };
            default:
              return { text: secret };
          }
        });
        const result: unknown = await adapter
          .evaluate(template.bind({ word: secret }), {
            session,
            input: secret,
            logger,
            signal: abort.signal,
            limits: { maxTurns: 6 },
            redact: redactSecrets([secret]),
            approve: ({ reason }) => {
              asked.push(reason);
              return { approved: false, reason: secret };
            },
            observers: [
              {
                onEvent: (event) => {
                  left.push(event);
                  if (event.type === 'run-start') throw new Error(secret);
                },
              },
            ],
          })
          .catch((error: unknown) => {
            left.push(error);
            return error;
          });
        left.push(...logger.lines);
        left.push(
          ...session.slice(ToolCallLog).all(),
          ...session.slice(PromptRenderingLog).all(),
          ...session.slice(PromptExecutionLog).all(),
        );
        for (const value of left) expect(writtenOut(value)).not.toContain(core);

        // The model has read all of it: the prompt, what was said, and every result.
        expect(seen[0]).toContain(secret);
        expect(seen[1]).toContain(JSON.stringify(secret).slice(1, -1));
        expect(asked.every((reason) => reason === secret)).toBe(true);
        const { conversation } = result as { readonly conversation: readonly { readonly type: string }[] };
        expect(JSON.stringify(conversation)).toContain(core);
        const called = turns.flat().map(({ name }) => name);
        if (called.includes('tell')) expect(session.slice(Notes).all()).toContainEqual({ text: secret });
        if (called.some((name) => ['tell', 'log_and_fail'].includes(name))) {
          expect(session.slice(Remarks).all()).toContainEqual({ text: secret });
        }
        const failures = conversation.filter(({ type }) => type === 'tool-result');
        const told = called.filter((name) => ['fail', 'throw', 'denied', 'asked'].includes(name)).length;
        expect(failures.filter((item) => JSON.stringify(item).includes(core)).length).toBeGreaterThanOrEqual(
          told,
        );
      },
    ),
    { numRuns: draws(60) },
  );
});

function numbered(calls: readonly ScriptedToolCall[], turn: number): readonly ScriptedToolCall[] {
  return calls.map((each, index) => ({ ...each, callId: `${turn}-${index}` }));
}
