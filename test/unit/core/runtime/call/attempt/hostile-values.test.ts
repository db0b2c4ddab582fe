import { describe, expect, it } from 'vitest';
import { section, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { runSections, sectionsPrompt } from '../../../../../support/sections.ts';

const trap = (): never => {
  throw new Error('trapped');
};
const hostile = (): object =>
  new Proxy(
    {},
    { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap, getOwnPropertyDescriptor: trap },
  );

const handlers: Readonly<Record<string, () => unknown>> = {
  'throws a proxy that throws': () => {
    throw hostile();
  },
  'rejects with one': () => Promise.reject(hostile()),
  'throws an error whose message throws': () => {
    throw Object.defineProperty(new Error('x'), 'message', { get: trap });
  },
  'returns a proxy that throws': hostile,
  'returns it as its value': () => ToolResult.ok(hostile()),
  'returns a getter that throws': () =>
    ToolResult.ok(Object.defineProperty({}, 'a', { enumerable: true, get: trap })),
  'returns something whose then throws': () => Object.defineProperty({}, 'then', { get: trap }),
};

describe.each([undefined, z.object({ a: z.string().optional() })])(
  'with the output schema %o',
  (outputSchema) => {
    it.each(Object.entries(handlers))('a handler that %s fails its call alone', async (_what, execute) => {
      const aid = tool({
        name: 'aid',
        description: 'Aids.',
        ...(outputSchema === undefined ? {} : { outputSchema }),
        execute: execute as never,
      });
      const prompt = sectionsPrompt([section({ title: 'Part', key: 'part', tools: [aid] })]);
      const { texts, invocations, response } = await runSections(prompt, [{ toolCalls: [{ name: 'aid' }] }]);
      expect(response.text).toBe('done');
      expect(invocations.map(({ outcome }) => outcome)).toEqual(['rolled-back']);
      expect(texts[0]).toContain('"aid"');
    });
  },
);
