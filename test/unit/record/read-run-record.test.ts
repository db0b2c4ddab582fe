import { describe, expect, it } from 'vitest';
import { ToolResult, tool } from 'weakincentives';
import { RecordError, readRunRecord, runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { promptOf } from '../../support/prompt-of.ts';

const say = tool({
  name: 'say',
  description: 'Says it.',
  effects: 'read',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ToolResult.ok({ text }, text),
});

async function linesOf(text: string): Promise<string[]> {
  const lines: string[] = [];
  await scriptedAdapter([{ toolCalls: [{ name: 'say', arguments: { text } }] }, { text: 'done' }]).evaluate(
    promptOf({ tools: [say] }),
    { observers: [runRecorder({ write: (line) => void lines.push(line) })] },
  );
  return lines;
}

const failure = async (lines: readonly string[]): Promise<RecordError> => {
  const error: unknown = await readRunRecord(lines).catch((thrown: unknown) => thrown);
  if (!RecordError.isInstance(error)) throw new TypeError('It was read.');
  return error;
};

describe('a record', () => {
  it('is read line by line, also one by one as they come', async () => {
    const lines = await linesOf('hello');
    async function* oneByOne(): AsyncGenerator<string> {
      for (const line of lines) yield line;
    }
    expect((await readRunRecord(oneByOne())).commits).toHaveLength(1);
  });

  it('without its last piece is read over it, but not a torn line in the middle', async () => {
    const lines = await linesOf('hello');
    const torn = [...lines.slice(0, -1), lines.at(-1)?.slice(0, 10) ?? ''];
    expect(await readRunRecord(torn)).toMatchObject({ isTorn: true, isComplete: false });
    expect(await failure([...torn, lines.at(-1) ?? ''])).toMatchObject({
      code: 'record-malformed',
      details: { line: torn.length },
    });
  });

  it('of another version is refused by its name', async () => {
    const [header = '', ...rest] = await linesOf('hello');
    const other = header.replace('wink-run/1', 'wink-run/2');
    expect(await failure([other, ...rest])).toMatchObject({
      code: 'record-version-unsupported',
      details: { version: 'wink-run/2' },
      message: expect.stringContaining('"wink-run/2"'),
    });
  });

  it('with rows of unknown types is read without them', async () => {
    const lines = await linesOf('hello');
    const more = lines.toSpliced(3, 0, '{"type":"later","t":1}', '{"type":"later","t":2}', '');
    expect((await readRunRecord(more)).unknownRows).toEqual({ later: 2 });
  });

  it.each([
    ['nothing', [], 'record-empty'],
    ['empty lines', ['', ' '], 'record-empty'],
    ['a list', ['[]'], 'record-malformed'],
    ['another row first', ['{"type":"end"}'], 'record-malformed'],
    ['no type', ['{}'], 'record-malformed'],
  ])('of %s is refused', async (_what, lines, code) => {
    expect(await failure(lines)).toMatchObject({ code });
  });

  it.each([
    ['a blob that is missing', '"text"', { code: 'record-blob-missing' }],
    ['a row without a member', '"turn"', { code: 'record-malformed' }],
  ])('with %s is refused with the number of the line', async (_what, mark, expected) => {
    const lines = await linesOf('x'.repeat(600));
    const broken =
      expected.code === 'record-blob-missing'
        ? lines.filter((line) => !line.startsWith('{"type":"blob"') || !line.includes(mark))
        : lines.map((line) => (line.startsWith('{"type":"commit"') ? line.replace('"turn":1,', '') : line));
    const error = await failure(broken);
    expect(error).toMatchObject(expected);
    expect(error.details['line']).toBeGreaterThan(1);
  });

  it('with data that is nested too deeply is refused', async () => {
    for (const depth of [1_001, 100_000]) {
      const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const lines = (await linesOf('hello')).map((line) =>
        line.replace('"params":{', `"params":{"deep":${nested},`),
      );
      expect(await failure(lines)).toMatchObject({
        code: 'record-malformed',
        message: expect.stringContaining('it is nested too deeply'),
      });
    }
  });

  it('names where a row is not what it has to be', async () => {
    const lines = (await linesOf('hello')).map((line) => line.replace('"approvals":[]', '"approvals":[{}]'));
    expect((await failure(lines)).message).toMatch(
      /^Line \d+ is not a row of a record: its commit has no phases\.approvals\[0\]\.fromMs of the right kind\.$/,
    );
  });

  it('begins with a byte order mark or not, and its lines end in any way', async () => {
    const lines = await linesOf('hello');
    const [header = '', ...others] = lines.map((line) => `${line}\r`);
    expect((await readRunRecord([`\ufeff${header}`, ...others])).commits).toHaveLength(1);
  });

  it('with runs out of order is refused', async () => {
    const [header = '{}', ...others] = await linesOf('hello');
    const parent = { turn: 1, callId: 'call-1-1', attempt: 1, evaluation: 1 };
    const run = JSON.stringify({ ...JSON.parse(header), type: 'run', run: 1e9, t: 1, parent });
    expect((await failure([header, run, ...others])).message).toContain(
      'it is run 1000000000, and the next one is 1',
    );
  });

  it('with commits out of order is refused', async () => {
    const lines = (await linesOf('hello')).map((line) => line.replace('"seq":1,', '"seq":2,'));
    expect(await failure(lines)).toMatchObject({
      code: 'record-malformed',
      message: expect.stringContaining('it is commit 2, and the next one is 1'),
    });
  });

  it('with a second header is refused', async () => {
    const [header = '', ...rest] = await linesOf('hello');
    expect((await failure([header, header, ...rest])).message).toContain('one header');
  });

  it.each([1_200, 5_000, 50_000])(
    'of data nested %d levels deep is written so that it can be read',
    async (levels) => {
      const written: string[] = [];
      const recorder = runRecorder({ write: (line) => void written.push(line) });
      const value: unknown = JSON.parse('['.repeat(levels) + ']'.repeat(levels));
      const progress = tool({
        name: 'progress',
        description: 'Says how far it is.',
        effects: 'read',
        inputSchema: z.object({}),
        execute: (_input, { progress: report }) => {
          // A caller may report what it likes.
          report(value as never);
          return ToolResult.ok(null, 'done');
        },
      });
      await scriptedAdapter([{ toolCalls: [{ name: 'progress' }] }, { text: 'done' }]).evaluate(
        promptOf({ tools: [progress] }),
        { observers: [recorder] },
      );
      const record = await readRunRecord(written);
      expect(record).toMatchObject({ isComplete: true });
      expect(JSON.stringify(record.calls[0]?.progress)).toContain('<nested too deep>');
    },
  );

  it('of calls that have the same id in each turn numbers them', async () => {
    const [header = ''] = await linesOf('hello');
    const callIds = ['call', 'call#2', 'call', 'call'];
    const lines = callIds.map((callId, turn) =>
      JSON.stringify({
        type: 'event',
        t: 1,
        event: { type: 'tool-call-start', turn, callId, toolName: 'say' },
      }),
    );
    const { calls } = await readRunRecord([header, ...lines]);
    expect(calls.map(({ id }) => id)).toEqual(['call', 'call#2', 'call#3', 'call#4']);
  });

  it('holds hostile texts as they are', async () => {
    for (const text of [
      '</script><script>alert(1)</script>',
      '\u001b[31mred\u0007',
      '{"$ref":"0000"}',
      '\ud800 alone',
      '__proto__',
      '\u2028 line',
    ]) {
      const record = await readRunRecord(await linesOf(text.repeat(text.length > 20 ? 30 : 1)));
      // Half of a surrogate pair does not enter a conversation.
      expect(record.calls[0]?.params).toEqual({
        text: text.toWellFormed().repeat(text.length > 20 ? 30 : 1),
      });
    }
  });

  it('with names of Object.prototype pollutes nothing', async () => {
    const lines = await linesOf('hello');
    const hostile = lines.map((line) =>
      line
        .replaceAll('"say"', '"__proto__"')
        .replace('"params":{', '"params":{"__proto__":{"polluted":true},'),
    );
    const record = await readRunRecord([...hostile, '{"type":"__proto__"}', '{"type":"constructor"}']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(record.unknownRows).toEqual(JSON.parse('{"__proto__":1,"constructor":1}'));
  });

  it('of a long line is read', async () => {
    const text = 'long '.repeat(2_000_000);
    const record = await readRunRecord(await linesOf(text));
    expect(record.calls[0]?.params).toEqual({ text });
  });
});

it('grows by the same bytes for each turn, however long the conversation is', async () => {
  const turns = 1_000;
  const bytes: number[] = [0];
  const observer = runRecorder({
    write: (line) => {
      if (line.startsWith('{"type":"request"')) bytes.push(0);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + line.length;
    },
  });
  const script = Array.from({ length: turns }, (_, turn) => ({
    text: `Turn ${turn}.`,
    toolCalls: [{ name: 'say', arguments: { text: `This is what is said in turn ${turn}. `.repeat(20) } }],
  }));
  await scriptedAdapter([...script, { text: 'done' }]).evaluate(promptOf({ tools: [say] }), {
    observers: [observer],
    limits: { maxTurns: turns + 1 },
  });
  const [early = 0, late = 0] = [bytes.slice(10, 110), bytes.slice(-110, -10)].map(
    (some) => some.reduce((sum, count) => sum + count, 0) / some.length,
  );
  // Numbers of turns have one digit more.
  expect(late).toBeLessThan(early * 1.05);
});
