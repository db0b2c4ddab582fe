import type { CallToolResult } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  type MemoryTool,
  type MountedOptions,
  memoryServer,
  mountMemory,
  runtimeOf,
  textResult,
} from '../../../../support/mcp/memory-server.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('picture')]).toString(
  'base64',
);
const pdf = Buffer.from('%PDF-1.7 paper').toString('base64');
const wav = Buffer.from('RIFFxxxxWAVEfmt ').toString('base64');

interface ResultOf {
  readonly text: string;
  readonly isError: boolean;
  readonly attachments: readonly unknown[];
  readonly value: unknown;
}

/** What a model and a record have of a result. */
async function resultOf(
  result: CallToolResult,
  options: MountedOptions = {},
  definition: MemoryTool = {},
): Promise<ResultOf> {
  const server = memoryServer({ tool: { ...definition, call: () => result } });
  await using mounted = await mountMemory(server, options);
  await using runtime = await runtimeOf(mounted);
  const { attachments, invocation, isError, text } = await runtime.call('tool');
  return { text, isError, attachments, value: invocation.value };
}

describe('content of a result', () => {
  it('is the text itself', async () => {
    expect(await resultOf(textResult(' two\n lines\u0007 '))).toEqual({
      text: ' two\n lines\u0007 ',
      isError: false,
      attachments: [],
      value: ' two\n lines\u0007 ',
    });
  });

  it('of several blocks is one text, in their order, with what is attached after it', async () => {
    const content: CallToolResult['content'] = [
      { type: 'text', text: 'Before.' },
      { type: 'image', data: png, mimeType: 'image/jpeg' },
      { type: 'audio', data: wav, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///notes.md', mimeType: 'text/markdown', text: '# Notes' } },
      { type: 'resource', resource: { uri: 'file:///papers/a.pdf', mimeType: 'application/pdf', blob: pdf } },
      {
        type: 'resource_link',
        uri: 'https://example.com/data.csv',
        name: 'data',
        mimeType: 'text/csv',
        size: 1234,
        description: 'The numbers.',
      },
      { type: 'text', text: 'After.' },
    ];
    const result = await resultOf({ content }, { attachments: ['image', 'audio', 'pdf'] });
    expect(result.text.split('\n')).toEqual([
      'Before.',
      '[attachment 1: image/png, 15 bytes]',
      '[attachment 2: audio/wav, 16 bytes]',
      '[resource file:///notes.md, text/markdown]',
      '# Notes',
      '[attachment 3: application/pdf from file:///papers/a.pdf, 14 bytes]',
      '[link to the resource data at https://example.com/data.csv, text/csv, 1,234 bytes; it was not fetched: The numbers.]',
      'After.',
    ]);
    expect(result.attachments).toEqual([
      { type: 'image', mediaType: 'image/png', data: png },
      { type: 'file', mediaType: 'audio/wav', data: wav },
      { type: 'file', mediaType: 'application/pdf', data: pdf, name: 'a.pdf' },
    ]);
  });

  it('says what it was where it cannot be shown', async () => {
    const content: CallToolResult['content'] = [
      { type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/svg+xml' },
      { type: 'image', data: png.slice(0, -1), mimeType: 'image/png' },
      { type: 'audio', data: wav, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a]b\n.zip', blob: 'UEsDBA==' } },
    ];
    const result = await resultOf({ content });
    expect(result.text.split('\n')).toEqual([
      '[image/svg+xml, 6 bytes: not shown, it is of no kind that is attached]',
      '[image/png: not shown, it is not base64]',
      '[audio/wav, 16 bytes: not shown, audio is not attached]',
      '[unknown type from file:///a%5Db\\u000a.zip, 4 bytes: not shown, it is of no kind that is attached]',
    ]);
    expect(result.attachments).toEqual([]);
  });

  it('attaches no more than the limit', async () => {
    const image = { type: 'image' as const, data: png, mimeType: 'image/png' };
    const result = await resultOf({ content: [image, image] }, { limits: { maxAttachmentBytes: 20 } });
    expect(result.attachments).toHaveLength(1);
    expect(result.text).toBe(
      '[attachment 1: image/png, 15 bytes]\n[image/png, 15 bytes: not shown, a result attaches at most 20 bytes in 100 parts]',
    );
    const none = await resultOf({ content: [image] }, { attachments: [] });
    expect(none.text).toBe('[image/png, 15 bytes: not shown, image is not attached]');
  });

  it('is OK when there is none', async () => {
    expect(await resultOf({ content: [] })).toMatchObject({ text: 'OK', isError: false });
  });

  it('is cut where it is too long', async () => {
    const { isError, text } = await resultOf(textResult('x'.repeat(500)), {
      limits: { maxResultCharacters: 120 },
    });
    expect(isError).toBe(false);
    expect(text).toBe(`${'x'.repeat(83)}\n[cut: the result has 500 characters]`);
    expect(text.length).toBeLessThanOrEqual(120);
  });
});

describe('structured content', () => {
  const outputSchema = { type: 'object' as const, properties: { n: { type: 'number' } }, required: ['n'] };

  it('is the value for programs; the model reads the text', async () => {
    const result = await resultOf(
      { ...textResult('It is 4.'), structuredContent: { n: 4 } },
      {},
      { outputSchema },
    );
    expect(result).toMatchObject({ text: 'It is 4.', value: { n: 4 } });
  });

  it('is the text where there is no other', async () => {
    const result = await resultOf({ content: [], structuredContent: { n: 4, none: null } });
    expect(result).toMatchObject({ text: '{"n":4,"none":null}', value: { n: 4, none: null } });
  });

  it('that does not fit its schema is left out: the call has happened', async () => {
    const logger = recordingLogger();
    const given = { ...textResult('It is four.'), structuredContent: { n: 'four' } };
    const result = await resultOf(given, { logger }, { outputSchema });
    expect(result).toMatchObject({ text: 'It is four.', isError: false, value: 'It is four.' });
    expect(logger.lines).toContainEqual({
      level: 'warn',
      message: 'Structured content of an MCP server was left out of a result.',
      fields: { server: 'remote', tool: 'tool', reason: expect.stringContaining('n: expected number') },
    });
  });

  it('that is missing is no failure either', async () => {
    expect(await resultOf(textResult('Four.'), {}, { outputSchema })).toMatchObject({
      text: 'Four.',
      isError: false,
    });
  });

  it('that is nested too deep is left out', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 3000; level += 1) deep = { deep };
    const result = await resultOf({ ...textResult('Deep.'), structuredContent: { deep } });
    expect(result).toMatchObject({ text: 'Deep.', isError: false, value: 'Deep.' });
  });
});

describe('a failure', () => {
  it('is a failed result with the words of the server', async () => {
    const result = await resultOf({
      ...textResult('No such file.'),
      isError: true,
      structuredContent: { code: 2 },
    });
    expect(result).toMatchObject({ text: 'No such file.', isError: true });
  });

  it('without words says so', async () => {
    expect(await resultOf({ content: [], isError: true })).toMatchObject({
      text: 'The tool failed, and its server does not say why.',
      isError: true,
    });
  });

  it('of the protocol is one, too', async () => {
    const server = memoryServer({
      tool: {
        call: () => {
          throw Object.assign(new Error('Bad\u202e things.'), { code: -32_602 });
        },
      },
    });
    await using mounted = await mountMemory(server);
    await using runtime = await runtimeOf(mounted);
    expect(await runtime.call('tool')).toMatchObject({
      text: 'The MCP server "remote" refused the call. It says: Bad things.',
      isError: true,
    });
  });
});
