import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  evaluationSlices,
  type JsonValue,
  promptTemplate,
  type Schema,
  Session,
  section,
  ToolCallLog,
  type ToolInvokedPayload,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { draws } from '../../../../support/draws.ts';

const anything: Schema<Record<string, unknown>, Record<string, unknown>> = z.looseObject({});

const echo = tool({
  name: 'echo',
  description: 'Says what it is told.',
  inputSchema: z.object({ a: z.number().optional() }),
  effects: 'read',
  execute: () => ToolResult.ok(null),
});

/** Runs these turns on a session, exports it, and takes the export back through JSON. */
async function recordOf(
  turns: readonly ScriptedTurn[],
  execute?: () => unknown,
): Promise<readonly ToolInvokedPayload[]> {
  const does = tool({
    name: 'does',
    description: 'Does what the test says.',
    inputSchema: anything,
    effects: 'read',
    execute: () => (execute === undefined ? ToolResult.ok(null) : (execute() as ToolResult<null>)),
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'oddities',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [echo, does] })],
  }).bind();
  await using session = new Session();
  await scriptedAdapter([...turns, { text: 'Done.' }]).evaluate(prompt, { session });
  const exported = session.exportState({ includeLogs: true });
  await using again = new Session();
  for (const slice of evaluationSlices) again.install(slice);
  again.importState(JSON.parse(JSON.stringify(exported)));
  expect(again.slice(ToolCallLog).all()).toEqual(
    JSON.parse(JSON.stringify(session.slice(ToolCallLog).all())),
  );
  return session.slice(ToolCallLog).all();
}

const calling = (name: string, text: string): ScriptedTurn => ({ toolCalls: [{ name, arguments: text }] });
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('what a model wrote as arguments comes back from an export', () => {
  test.each([
    '{"a":1,"__proto__":{}}',
    '{"a":1,"\\u005f_proto__":{"isAdmin":true}}',
    '{"a":{"b":[{"__proto__":null}]}}',
    nested(300),
    nested(900),
  ])('as its text: %s', async (text) => {
    for (const name of ['echo', 'does', 'missing']) {
      const [record] = await recordOf([calling(name, text)]);
      expect(record?.params).toBe(text);
    }
  });

  test.each([
    '{"a":-0}',
    '{"a":"\\ud800"}',
    '{"toJSON":1,"constructor":2}',
    '{"a":1e999}',
    nested(150),
    '{"a":',
    '[]',
  ])('or as it was recorded: %s', async (text) => {
    const [record] = await recordOf([calling('echo', text)]);
    expect(typeof record?.params).not.toBe('string');
  });

  test('whatever JSON it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (text) => {
        await recordOf([calling('echo', text), calling('does', text)]);
      }),
      { numRuns: draws(50) },
    );
  });
});

describe('what a handler comes to comes back from an export', () => {
  const parsed = (text: string): JsonValue => JSON.parse(text);

  test.each(['{"__proto__":{"a":1}}', nested(400)])('a value as its text: %s', async (text) => {
    for (const result of [ToolResult.ok(parsed(text)), ToolResult.error('No.', parsed(text))]) {
      const [record] = await recordOf([calling('does', '{}')], () => result);
      expect(record?.value).toBe(text);
    }
  });

  test.each<[string, () => unknown]>([
    ['a value with holes', () => ToolResult.ok({ a: undefined, b: -0, c: '\ud800' })],
    [
      'an error whose fields are no texts',
      () => {
        throw Object.assign(new Error('x'), { name: 7, message: { a: 1n }, code: Symbol('c') });
      },
    ],
    [
      'an error that cannot be read',
      () => {
        throw Object.defineProperty(new Error('x'), 'message', {
          get: () => {
            throw new Error('No.');
          },
        });
      },
    ],
    [
      'something else that is thrown',
      () => {
        // oxlint-disable-next-line no-throw-literal -- That is what is tested.
        throw { toString: 1 };
      },
    ],
  ])('%s', async (_what, execute) => {
    expect(await recordOf([calling('does', '{}')], execute)).toHaveLength(1);
  });
});

test('a structured answer comes back from an export', async () => {
  const prompt = promptTemplate({
    ns: 'test',
    key: 'answer',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    output: anything,
  }).bind();
  await using session = new Session();
  await scriptedAdapter([{ text: nested(254) }]).evaluate(prompt, { session });
  const exported = session.exportState({ includeLogs: true });
  await using again = new Session();
  for (const slice of evaluationSlices) again.install(slice);
  expect(() => again.importState(JSON.parse(JSON.stringify(exported)))).not.toThrow();
});
