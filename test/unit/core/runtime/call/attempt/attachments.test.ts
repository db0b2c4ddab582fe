import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  defineSlice,
  evaluationSlices,
  type MediaPart,
  MemoryFilesystem,
  resourceToken,
  Session,
  ToolCallLog,
  ToolResult,
  type ToolResultItem,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { type CallOutcome, only, runCalls } from '../../../../../support/run-calls.ts';

const shot: MediaPart = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
const rows: MediaPart = {
  type: 'file',
  mediaType: 'text/csv',
  data: 'https://example.com/rows',
  name: 'rows.csv',
};
const attachments = [shot, rows];
const recorded = [
  { type: 'image', mediaType: 'image/png', characters: 4 },
  { type: 'file', mediaType: 'text/csv', name: 'rows.csv', characters: 24 },
];
const calls = [{ name: 'look' }];

/** A tool whose handler returns this, whatever the compiler says to it. */
const look = (execute: () => unknown, options: Partial<Pick<AnyTool, 'effects' | 'name'>> = {}): AnyTool =>
  tool({
    name: 'look',
    description: 'Looks.',
    effects: 'state',
    ...options,
    execute: execute as () => ToolResult<unknown>,
  });
const resultsOf = ({ response }: CallOutcome): readonly ToolResultItem[] =>
  response.conversation.filter((item) => item.type === 'tool-result');

describe('images and files of a result', () => {
  test('go to the model behind the text, and into the record without their data', async () => {
    const outcome = await runCalls({
      calls,
      tools: [
        look(() => ToolResult.ok({ seen: true }, 'Seen.', { attachments, excludeValueFromContext: true })),
      ],
    });
    expect(only(resultsOf(outcome))).toStrictEqual({
      type: 'tool-result',
      callId: 'call-1-1',
      toolName: 'look',
      text: 'Seen.',
      isError: false,
      attachments,
    });
    expect(only(outcome.invocations)).toMatchObject({ modelText: 'Seen.', attachments: recorded });
    expect(JSON.stringify(outcome.events)).not.toContain('AAAA');
    expect(JSON.stringify(outcome.session.slice(ToolCallLog).all())).not.toContain('example.com');
  });

  test('may show what went wrong, too', async () => {
    const outcome = await runCalls({
      calls,
      tools: [look(() => ToolResult.error('No such button.', { button: 'OK' }, { attachments }))],
    });
    expect(only(resultsOf(outcome))).toMatchObject({ isError: true, attachments });
    expect(only(outcome.invocations)).toMatchObject({ reason: 'failed-result', attachments: recorded });
  });

  test('are not there when there are none', async () => {
    const outcome = await runCalls({
      calls,
      tools: [look(() => ToolResult.ok(null, 'x', { attachments: [] }))],
    });
    expect(only(resultsOf(outcome))).not.toHaveProperty('attachments');
    expect(only(outcome.invocations)).not.toHaveProperty('attachments');
  });

  test('are what they were when the handler returned', async () => {
    const mine = [{ ...shot }];
    const outcome = await runCalls({
      calls,
      tools: [look(() => ToolResult.ok(null, 'x', { attachments: mine }))],
      policies: [{ name: 'late', onResult: () => void mine.splice(0, 1) }],
    });
    expect(only(resultsOf(outcome)).attachments).toEqual([shot]);
  });

  test('fail the call when they cannot be sent, in words that name the place', async () => {
    const outcome = await runCalls({
      calls,
      tools: [
        look(() => ({ success: true, message: 'x', value: 1, attachments: [shot, { ...shot, data: 'é' }] })),
      ],
    });
    expect(only(outcome.invocations)).toMatchObject({ outcome: 'rolled-back', reason: 'not-a-result' });
    expect(only(outcome.texts)).toMatch(
      /^The tool "look" returned a ToolResult that cannot be sent: attachments\[1\]\.data is neither [^]* line breaks\.$/,
    );
    expect(only(resultsOf(outcome))).not.toHaveProperty('attachments');
  });

  test('that cannot be sent do not hide what an external tool has done', async () => {
    const { texts } = await runCalls({
      calls,
      tools: [
        look(() => ({ success: true, message: 'Clicked.', value: 1, attachments: 'é' }), {
          effects: 'external',
        }),
      ],
    });
    expect(only(texts)).toMatch(
      /must be a list, but is "é"\. Its effects outside of session and files remain\.$/,
    );
  });

  test('go with a success that is rolled back', async () => {
    const Leaky = resourceToken<Disposable>('leaky');
    const fail = (): never => {
      throw new Error('kaboom');
    };
    const full = new MemoryFilesystem();
    full.apply = fail;
    const returning = (options: Partial<AnyTool> = {}): AnyTool =>
      look(() => ToolResult.ok('x', 'x', { attachments }), options);
    const outcomes = [
      await runCalls({ calls, tools: [returning({ outputSchema: z.number() })] }),
      await runCalls({ calls, tools: [returning()], policies: [{ name: 'ledger', onResult: fail }] }),
      await runCalls({
        calls,
        resources: [binding(Leaky, { create: () => ({ [Symbol.dispose]: fail }), scope: 'tool-call' })],
        tools: [
          tool({
            name: 'look',
            description: 'Looks.',
            effects: 'state',
            execute: async (_params, { resources }) => {
              await resources.get(Leaky);
              return ToolResult.ok('x', 'x', { attachments });
            },
          }),
        ],
      }),
      await runCalls({
        calls,
        filesystem: full,
        tools: [
          tool({
            name: 'look',
            description: 'Looks.',
            effects: 'state',
            execute: async (_params, { filesystem }) => {
              await filesystem.write('x', 'x');
              return ToolResult.ok('x', 'x', { attachments });
            },
          }),
        ],
      }),
    ];
    expect(outcomes.map(({ invocations }) => only(invocations).reason)).toEqual([
      'invalid-output',
      'policy-failed',
      'dispose-failed',
      'commit-failed',
    ]);
    for (const outcome of outcomes) {
      expect(only(resultsOf(outcome))).not.toHaveProperty('attachments');
      expect(only(outcome.invocations)).not.toHaveProperty('attachments');
    }
  });

  test('are those of the attempt that was committed', async () => {
    const Count = defineSlice({ name: 'count', schema: z.object({ count: z.number() }) });
    const add = tool({
      name: 'look',
      description: 'Counts.',
      effects: 'state',
      execute: async (_params, { session }) => {
        const count = session.slice(Count).all().length + 1;
        session.slice(Count).append({ count });
        return ToolResult.ok(null, 'x', { attachments: [{ ...shot, data: `AAA${count}` }] });
      },
    });
    const outcome = await runCalls({ calls: [...calls, ...calls], tools: [add], slices: [Count] });
    expect(outcome.invocations.map(({ attempts }) => attempts)).toEqual([1, 2]);
    expect(resultsOf(outcome).map((item) => item.attachments?.[0]?.data)).toEqual(['AAA1', 'AAA2']);
  });

  test('are redacted in the record only', async () => {
    const outcome = await runCalls({
      calls,
      tools: [look(() => ToolResult.ok(null, 'x', { attachments }))],
      redact: (text) => text.replaceAll('rows', '<hidden>'),
    });
    expect(only(resultsOf(outcome)).attachments).toEqual(attachments);
    expect(only(outcome.session.slice(ToolCallLog).all()).attachments?.[1]?.name).toBe('<hidden>.csv');
    expect(only(outcome.invocations).attachments?.[1]?.name).toBe('<hidden>.csv');
  });

  test('are in the exported record and come back with it', async () => {
    const { session } = await runCalls({
      calls,
      tools: [look(() => ToolResult.ok(null, 'x', { attachments }))],
    });
    const exported: unknown = JSON.parse(JSON.stringify(session.exportState({ includeLogs: true })));
    await using other = new Session();
    for (const slice of evaluationSlices) other.install(slice);
    other.importState(exported);
    expect(other.slice(ToolCallLog).all()).toEqual(session.slice(ToolCallLog).all());
    expect(only(other.slice(ToolCallLog).all()).attachments).toEqual(recorded);
  });
});
