import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type EvaluateOptions,
  openToolRuntime,
  type Prompt,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  type LanguageModel,
  ModelResponseError,
  type ModelTurn,
  providerAdapter,
} from 'weakincentives/provider';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { draws } from '../../../../support/draws.ts';

const results = { maxCharacters: 2_000 };

function promptOf(text: string, isError = false): Prompt {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: 'read',
    execute: () => (isError ? ToolResult.error(text) : ToolResult.ok(null, text)),
  });
  return promptTemplate({
    ns: 'test',
    key: 'results',
    sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] })],
  }).bind();
}

/** What each call of `read_result` shows, after one of `look`; the id is put into the arguments. */
async function reading(
  prompt: Prompt,
  reads: readonly object[],
  options: EvaluateOptions = { context: { results } },
): Promise<{ readonly excerpt: string; readonly id: string; readonly shown: readonly string[] }> {
  let id = '';
  const adapter = scriptedAdapter((conversation, { turn }): ScriptedTurn => {
    const last = conversation.at(-1);
    if (turn === 1) return { toolCalls: [{ name: 'look', arguments: {} }] };
    if (turn === 2)
      id = last?.type === 'tool-result' ? (/id "([0-9a-f]{12})"/.exec(last.text)?.[1] ?? '') : '';
    const read = reads[turn - 2];
    return read === undefined
      ? { text: 'Done.' }
      : { toolCalls: [{ name: 'read_result', arguments: { id, ...read } }] };
  });
  const { conversation } = await adapter.evaluate(prompt, options);
  const [excerpt = '', ...shown] = conversation.flatMap((item) =>
    item.type === 'tool-result' ? [item.text] : [],
  );
  return { excerpt, id, shown };
}

const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1} of the log`).join('\n');

describe('A long result', () => {
  test('is read as head and tail, cut at ends of lines, and in parts', async () => {
    const { excerpt, id, shown } = await reading(promptOf(lines), [
      { offset: 200, limit: 2 },
      { pattern: 'line 39\\d' },
      { offset: 400 },
      { pattern: '(' },
      { id: 'none' },
    ]);
    expect(excerpt.length).toBeLessThan(results.maxCharacters);
    expect(excerpt).toMatch(/^line 1 of the log\n/);
    expect(excerpt).toMatch(/line 400 of the log$/);
    expect(excerpt).toMatch(
      new RegExp(`of the log\\n\\[[\\d,]+ of [\\d,]+ characters are left out here\\. .*"${id}"`),
    );
    expect(shown[0]).toBe(
      '201 | line 201 of the log\n202 | line 202 of the log\n[198 more lines; continue with offset=202]',
    );
    expect(shown[1]).toBe(
      Array.from({ length: 10 }, (_, index) => `${390 + index} | line ${390 + index} of the log`).join('\n'),
    );
    expect(shown[2]).toBe('It has 400 lines; there are none after an offset of 400.');
    expect(shown[3]).toContain('is not a regular expression');
    expect(shown[4]).toBe('No result with the id "none" is kept here.');
  });

  test('that failed is kept, too', async () => {
    const { id, shown } = await reading(promptOf(lines, true), [{ offset: 399 }]);
    expect(id).not.toBe('');
    expect(shown).toEqual(['400 | line 400 of the log']);
  });

  test('is the same in the records of the session, whose rest of the call is whole', async () => {
    await using session = new Session();
    session.install(ToolCallLog);
    const { excerpt, id } = await reading(promptOf(lines), [], { session, context: { results } });
    expect(session.slice(ToolCallLog).all()).toMatchObject([
      { modelText: excerpt, resultId: id, message: lines },
    ]);
  });

  test('is read whole by what is shorter, and without the option', async () => {
    expect((await reading(promptOf('short'), [])).excerpt).toBe('short');
    expect((await reading(promptOf(lines), [], {})).excerpt).toBe(lines);
  });

  test('goes when later ones need its room', async () => {
    const small = { maxCharacters: 1_000, maxTotalCharacters: lines.length + 500 };
    let first = '';
    const adapter = scriptedAdapter((conversation, { turn }): ScriptedTurn => {
      if (turn === 2)
        first = /id "([0-9a-f]{12})"/.exec(JSON.stringify(conversation).replaceAll('\\"', '"'))?.[1] ?? '';
      if (turn <= 2) return { toolCalls: [{ name: 'look', arguments: {} }] };
      return turn === 3
        ? { toolCalls: [{ name: 'read_result', arguments: { id: first } }] }
        : { text: 'Done.' };
    });
    const { conversation } = await adapter.evaluate(promptOf(lines), { context: { results: small } });
    expect(conversation.at(-2)).toMatchObject({
      isError: true,
      text: expect.stringContaining('is kept no more'),
    });
  });

  test('keeps its words in the result of one line that has no end', async () => {
    const { shown } = await reading(promptOf('x'.repeat(50_000)), [{}, { character_offset: 800 }]);
    expect(shown[0]).toMatch(
      /^1 \| x+… \[[\d,]+ more characters\]\n\[1 line is cut; continue it with offset=0, character_offset=800\]$/,
    );
    expect(shown[1]).toContain('character_offset=');
    for (const text of shown) expect(text.length).toBeLessThanOrEqual(results.maxCharacters);
  });

  test('is kept by a tool runtime, for the loop of another', async () => {
    await using runtime = await openToolRuntime(promptOf(lines), { context: { results } });
    expect(runtime.tools.map(({ name }) => name)).toEqual(['read_result', 'look']);
    const { text } = await runtime.call({ callId: 'a', name: 'look', arguments: '' });
    const id = /id "([0-9a-f]{12})"/.exec(text)?.[1];
    const read = await runtime.call({
      callId: 'b',
      name: 'read_result',
      arguments: JSON.stringify({ id, offset: 399 }),
    });
    expect(read.text).toBe('400 | line 400 of the log');
    expect(runtime.toolNamed('read_result')?.effects).toBe('read');
  });

  test('of an evaluation inside a call can be read there only', async () => {
    const ids: string[] = [];
    const inner = promptOf(lines);
    const ask = tool({
      name: 'ask',
      description: 'Asks another model.',
      effects: 'read',
      execute: async (_params, { adapter }) => {
        const { conversation } = await adapter.evaluate(inner);
        for (const item of conversation)
          if (item.type === 'tool-result') ids.push(/id "([0-9a-f]{12})"/.exec(item.text)?.[1] ?? '');
        return ToolResult.ok('Asked.');
      },
    });
    const outer = promptTemplate({
      ns: 'test',
      key: 'outer',
      sections: [section({ title: 'Task', key: 'task', template: 'Ask.', tools: [ask] })],
    }).bind();
    let outerTurn = 0;
    const adapter = scriptedAdapter((_conversation, { tools, turn }): ScriptedTurn => {
      if (tools.some(({ name }) => name === 'look'))
        return turn === 1 ? { toolCalls: [{ name: 'look', arguments: {} }] } : { text: 'Seen.' };
      outerTurn += 1;
      if (outerTurn === 1) return { toolCalls: [{ name: 'ask', arguments: {} }] };
      return outerTurn === 2
        ? { toolCalls: [{ name: 'read_result', arguments: { id: ids[0] ?? '' } }] }
        : { text: 'Done.' };
    });
    const { conversation } = await adapter.evaluate(outer, { context: { results } });
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect(conversation.at(-2)).toMatchObject({
      isError: true,
      text: expect.stringContaining('is kept here'),
    });
  });

  test('is dropped for want of room so that it can be read again', async () => {
    let refused = 0;
    const texts = ['a'.repeat(1_500), 'b'.repeat(1_500)];
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      inputSchema: z.object({ at: z.number() }),
      execute: ({ at }) => ToolResult.ok(null, texts[at] ?? ''),
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'dropped',
      sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] })],
    }).bind();
    const adapter = scriptedAdapter((conversation, { turn }): ScriptedTurn => {
      if (turn <= 2) return { toolCalls: [{ name: 'look', arguments: { at: turn - 1 } }] };
      if (turn === 3) {
        refused += 1;
        throw new ModelResponseError('model-context-exceeded', 'Too long.');
      }
      const id = /id "([0-9a-f]{12})"/.exec(JSON.stringify(conversation).replaceAll('\\"', '"'))?.[1] ?? '';
      return turn === 4 ? { toolCalls: [{ name: 'read_result', arguments: { id } }] } : { text: 'Done.' };
    });
    const context = { results, overflow: 'drop-tool-results' } as const;
    const { conversation } = await adapter.evaluate(prompt, { context });
    expect(refused).toBe(1);
    expect(conversation.at(-2)).toMatchObject({ text: expect.stringContaining('aaaa') });
  });

  test('that is dropped as an excerpt is still kept as a whole', async () => {
    let refused = 0;
    const adapter = scriptedAdapter((conversation, { turn }): ScriptedTurn => {
      if (turn <= 2) return { toolCalls: [{ name: 'look', arguments: {} }] };
      if (turn === 3) {
        refused += 1;
        throw new ModelResponseError('model-context-exceeded', 'Too long.');
      }
      const [first] = conversation.filter(({ type }) => type === 'tool-result');
      const id = first?.type === 'tool-result' ? /id "([0-9a-f]{12})"/.exec(first.text)?.[1] : '';
      return turn === 4
        ? { toolCalls: [{ name: 'read_result', arguments: { id, offset: 200, limit: 1 } }] }
        : { text: 'Done.' };
    });
    const context = { results, overflow: 'drop-tool-results' } as const;
    const { conversation } = await adapter.evaluate(promptOf(lines), { context });
    expect(refused).toBe(1);
    expect(conversation.at(-2)).toMatchObject({
      text: expect.stringContaining('201 | line 201 of the log\n'),
    });
  });

  test('has an id that no other call has, also where a model uses the id of a call twice', async () => {
    const model: LanguageModel = {
      name: 'repeating',
      generate: ({ turn }): ModelTurn => {
        if (turn > 2) return { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' };
        const call = { callId: 'same', name: 'look', arguments: '{}' };
        return { content: [{ type: 'tool-call', ...call }], finishReason: 'tool-calls' };
      },
    };
    const { conversation } = await providerAdapter({ model }).evaluate(promptOf(lines), {
      context: { results },
    });
    const ids = conversation.flatMap((item) =>
      item.type === 'tool-result' ? [/id "([0-9a-f]{12})"/.exec(item.text)?.[1]] : [],
    );
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  test('never ends within a surrogate pair, and all of it can be read', async () => {
    const units = fc.constantFrom('a', '\n', '🚀', 'é', '1 | ', '\r\n');
    await fc.assert(
      fc.asyncProperty(fc.array(units, { minLength: 1_200, maxLength: 1_800 }), async (parts) => {
        const text = parts.join('').repeat(2);
        const { excerpt } = await reading(promptOf(text), []);
        expect(excerpt.isWellFormed()).toBe(true);
        expect(excerpt.length).toBeLessThanOrEqual(results.maxCharacters);
        const seen: string[] = [];
        let at: { offset: number; character_offset?: number } | undefined = { offset: 0 };
        const store = await openToolRuntime(promptOf(text), { context: { results } });
        const { text: first } = await store.call({ callId: 'a', name: 'look', arguments: '' });
        const id = /id "([0-9a-f]{12})"/.exec(first)?.[1];
        for (let call = 0; at !== undefined && call < 500; call += 1) {
          const params = JSON.stringify({ id, ...at });
          const { text: shown } = await store.call({
            callId: `r${call}`,
            name: 'read_result',
            arguments: params,
          });
          expect(shown.isWellFormed()).toBe(true);
          const next: RegExpExecArray | null = /\[[\d,]+ more lines?; continue with offset=(\d+)\]/.exec(
            shown,
          );
          for (const line of shown.split('\n')) {
            const numbered = /^ *\d+ \| (.*)$/su.exec(line);
            if (numbered !== null) seen.push(numbered[1] ?? '');
          }
          at = next === null ? undefined : { offset: Number(next[1]) };
        }
        await store[Symbol.asyncDispose]();
        const wanted = text.split('\n').map((line) => line.replace(/\r$/, ''));
        if (wanted.at(-1) === '') wanted.pop();
        expect(seen).toEqual(wanted);
      }),
      { numRuns: draws(50) },
    );
  });
});
