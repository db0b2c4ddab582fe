import { describe, expect, test } from 'vitest';
import { type AnyTool, ToolResult, tool } from 'weakincentives';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only, runCalls } from '../../../../support/run-calls.ts';

const giving = (result: ToolResult<unknown>, render?: (value: unknown) => string): AnyTool =>
  tool({
    name: 'give',
    description: 'Gives.',
    effects: 'state',
    ...(render === undefined ? {} : { render }),
    execute: () => result,
  });

const textOf = async (result: ToolResult<unknown>, render?: (value: unknown) => string): Promise<string> =>
  only((await runCalls({ tools: [giving(result, render)], calls: [{ name: 'give' }] })).texts);

const shout = (value: unknown): string => `VALUE ${String(value)}`;

describe('what the model reads', () => {
  const rows: readonly (readonly [
    what: string,
    result: ToolResult<unknown>,
    render: ((value: unknown) => string) | undefined,
    text: string,
  ])[] = [
    ['message, blank line, rendered value', ToolResult.ok(7, 'Done.'), shout, 'Done.\n\nVALUE 7'],
    ['the value alone without a message', ToolResult.ok(7, ''), shout, 'VALUE 7'],
    ['the message alone without a value', ToolResult.ok(undefined, 'Done.'), shout, 'Done.'],
    ['the message alone for null', ToolResult.ok(null, 'Done.'), shout, 'Done.'],
    ['the message alone when the renderer makes nothing of it', ToolResult.ok(7, 'Done.'), () => '', 'Done.'],
    ['nothing when there is neither', ToolResult.ok(undefined, ''), undefined, ''],
    ['OK when no message is given', ToolResult.ok(undefined), undefined, 'OK'],
    [
      'the message alone when the value is excluded',
      ToolResult.ok({ secret: 1 }, 'Done.', { excludeValueFromContext: true }),
      shout,
      'Done.',
    ],
    [
      'an empty text when the value is excluded and there is no message',
      ToolResult.ok({ secret: 1 }, '', { excludeValueFromContext: true }),
      shout,
      '',
    ],
    [
      'JSON without nulls, keys in order, without a renderer',
      ToolResult.ok({ b: null, a: { d: 1, c: [null, 2] } }, 'Done.'),
      undefined,
      'Done.\n\n{"a":{"c":[null,2],"d":1}}',
    ],
    [
      'text as it is without a renderer',
      ToolResult.ok('plain "text"', 'Done.'),
      undefined,
      'Done.\n\nplain "text"',
    ],
    ['a number', ToolResult.ok(0, 'Done.'), undefined, 'Done.\n\n0'],
    ['false', ToolResult.ok(false, ''), undefined, 'false'],
    [
      'message and value of a failure, which no renderer gets',
      ToolResult.error('No.', { left: 1 }),
      shout,
      'No.\n\n{"left":1}',
    ],
    ['the message of a failure', ToolResult.error('No.'), shout, 'No.'],
    [
      'the message alone of a failure whose value is excluded',
      ToolResult.error('No.', { left: 1 }, { excludeValueFromContext: true }),
      shout,
      'No.',
    ],
  ];
  test.each(rows)('is %s', async (_what, result, render, text) => {
    expect(await textOf(result, render)).toBe(text);
  });

  test.each([
    ['success', ToolResult.ok({ secret: 1 }, 'Done.', { excludeValueFromContext: true })],
    ['failure', ToolResult.error('Done.', { secret: 1 }, { excludeValueFromContext: true })],
  ])('has the excluded value of a %s on record all the same', async (_what, result) => {
    const { invocations } = await runCalls({
      tools: [giving(result)],
      calls: [{ name: 'give' }],
    });
    expect(only(invocations)).toMatchObject({
      value: { secret: 1 },
      rendered: '{"secret":1}',
      modelText: 'Done.',
    });
  });

  test.each([
    [
      'throws',
      (): string => {
        throw new Error('cannot draw');
      },
    ],
    // What a renderer returns that was written without types.
    ['returns no text', (): string => ({ html: true }) as unknown as string],
  ])('is JSON with a warning when the renderer %s; the call stays committed', async (_what, render) => {
    const logger = recordingLogger();
    const { texts, invocations } = await runCalls({
      logger,
      tools: [giving(ToolResult.ok({ a: 1 }, 'Done.'), render)],
      calls: [{ name: 'give' }],
    });
    expect(only(texts)).toBe('Done.\n\n{"a":1}');
    expect(only(invocations).outcome).toBe('committed');
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(only(logger.lines.filter(({ level }) => level === 'warn')).fields['tool']).toBe('give');
  });

  test('comes with one warning per tool and evaluation when a tool with structured values has no renderer', async () => {
    const logger = recordingLogger();
    const named = (name: string, value: unknown): AnyTool =>
      tool({ name, description: 'Gives.', effects: 'state', execute: () => ToolResult.ok(value) });
    await runCalls({
      logger,
      tools: [named('object', { a: 1 }), named('list', [1]), named('text', 'x'), named('nothing', undefined)],
      calls: ['object', 'list', 'text', 'nothing', 'object', 'list'].map((name) => ({ name })),
    });
    const warnings = logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields['tool'])).toEqual(['object', 'list']);
  });
});
