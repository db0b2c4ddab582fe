import { describe, expect, it } from 'vitest';
import { hostedOutputsOf, hostedTool, promptTemplate, section } from 'weakincentives';
import type { HostedToolCodec } from 'weakincentives/provider';
import { mockHostedToolCodec, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { webFetchTool, webSearchTool } from 'weakincentives/tools';
import { evaluationFailure } from '../../../support/failure.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const search = webSearchTool({ config: { maxUses: 2 } });
const found = { status: 'completed', action: 'search', queries: ['tides'], sources: [] } as const;

function promptOf(...hostedTools: readonly ReturnType<typeof hostedTool>[]) {
  return promptTemplate({
    ns: 'test',
    key: 'mock',
    sections: [section({ title: 'Task', key: 'task', template: 'Look it up.', hostedTools })],
  }).bind();
}

const twoTurns: readonly ScriptedTurn[] = [
  { text: 'One moment.', finishReason: 'paused' },
  { text: 'High tide is at six.', items: [{ type: 'note' }] },
];

describe('mockHostedToolCodec', () => {
  it('records its inputs and returns the given findings, one per answer', async () => {
    const codec = mockHostedToolCodec<typeof search.config, typeof found>({
      kind: 'web_search',
      outputs: [
        { invocations: [found, found] },
        { citations: [{ type: 'url', url: 'https://tides.example' }] },
      ],
    });
    const adapter = scriptedAdapter(twoTurns, { name: 'script', hostedToolCodecs: { web_search: codec } });
    const response = await adapter.evaluate(promptOf(search));
    expect(response.hostedOutputs).toEqual({
      web_search: {
        invocations: [
          { ...found, turn: 1 },
          { ...found, turn: 1 },
        ],
        citations: [{ type: 'url', url: 'https://tides.example', turn: 2 }],
      },
    });
    expect(hostedOutputsOf(response, search)).toBe(response.hostedOutputs['web_search']);
    expect(codec.serialized).toEqual([{ tool: search, model: 'script' }]);
    expect(codec.parsed.map(({ tool, turn }) => [tool, turn.text, turn.items])).toEqual([
      [search, 'One moment.', []],
      [search, 'High tide is at six.', [{ type: 'note' }]],
    ]);
  });

  it('returns nothing after the end of its list, and nothing by default', async () => {
    for (const outputs of [undefined, []]) {
      const codec = mockHostedToolCodec({ kind: 'web_search', ...(outputs && { outputs }) });
      const adapter = scriptedAdapter(twoTurns, { hostedToolCodecs: { web_search: codec } });
      const response = await adapter.evaluate(promptOf(search));
      expect(response.hostedOutputs).toEqual({});
      expect(hostedOutputsOf(response, search)).toEqual({ invocations: [], citations: [] });
      expect(codec.parsed).toHaveLength(2);
    }
  });

  it('counts the answers of each tool separately', async () => {
    const wiki = hostedTool({ kind: 'mcp', name: 'wiki', description: 'Reads.', config: { label: 'wiki' } });
    const shop = hostedTool({ kind: 'mcp', name: 'shop', description: 'Buys.', config: { label: 'shop' } });
    const codec = mockHostedToolCodec({
      kind: 'mcp',
      allowsSeveral: true,
      outputs: [{ invocations: [{ status: 'completed', invocationId: 'first' }] }],
    });
    const adapter = scriptedAdapter([{ text: 'Done.' }], { hostedToolCodecs: { mcp: codec } });
    const { hostedOutputs } = await adapter.evaluate(promptOf(wiki, shop));
    expect(Object.keys(hostedOutputs)).toEqual(['wiki', 'shop']);
  });

  it('serializes a tool unchanged by default', () => {
    const wiki = hostedTool({ kind: 'mcp', name: 'wiki', description: 'Reads.', config: { label: 'wiki' } });
    expect(mockHostedToolCodec({ kind: 'mcp' }).serialize(wiki, 'm')).toEqual({
      tools: [{ type: 'mcp', name: 'wiki', config: { label: 'wiki' } }],
    });
  });

  it('can compute its findings', async () => {
    const codec = mockHostedToolCodec({
      kind: 'web_search',
      serialize: ({ name }, model) => ({ tools: [{ name, model }], unsupported: ['maxUses'] }),
      outputs: ({ text, startOf }) => ({
        citations: [
          {
            type: 'url',
            url: 'https://tides.example',
            span: [startOf({ text: 'six' }) ?? -1, text.length - 1],
          },
          {
            type: 'url',
            url: 'https://else.example',
            title: `${startOf({ text: 'seven' }) ?? 'nowhere'}, ${startOf(6) ?? 'nowhere'}`,
          },
        ],
      }),
    });
    const logger = recordingLogger();
    const options = { hostedToolCodecs: { web_search: codec } };
    const turns = [{ text: 'High tide is at six.' }];
    const adapter = scriptedAdapter(turns, { ...options, unsupportedConfig: 'warn' });
    const { hostedOutputs } = await adapter.evaluate(promptOf(search), { logger });
    expect(hostedOutputs['web_search']?.citations).toMatchObject([
      { span: [16, 19] },
      { title: 'nowhere, nowhere' },
    ]);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'The scripted model adapter does not support "maxUses" of the hosted tool "web_search". The tool runs without it.',
    ]);
    await expect(scriptedAdapter(turns, options).evaluate(promptOf(search))).rejects.toMatchObject({
      phase: 'render',
      cause: expect.objectContaining({ code: 'prompt-invalid' }),
    });
  });
});

describe('a scripted model', () => {
  it('accepts any hosted tool in a prompt, and returns the findings of a turn', async () => {
    const adapter = scriptedAdapter([
      { text: 'Six.', hosted: [{ toolName: 'web_search', invocations: [found], citations: [] }] },
    ]);
    const { hostedOutputs } = await adapter.evaluate(promptOf(search));
    expect(hostedOutputs).toEqual({ web_search: { invocations: [{ ...found, turn: 1 }], citations: [] } });
  });

  it('with codecs rejects a kind without a codec before the first request', async () => {
    const hostedToolCodecs = { web_search: mockHostedToolCodec({ kind: 'web_search' }) };
    let asked = 0;
    const adapter = scriptedAdapter(() => ({ text: `${(asked += 1)}` }), { hostedToolCodecs });
    const error = await evaluationFailure(adapter.evaluate(promptOf(webFetchTool())));
    expect(error).toMatchObject({
      phase: 'render',
      message: expect.stringContaining(
        'Unsupported hosted tool kind "web_fetch" for the scripted model adapter',
      ),
    });
    expect(asked).toBe(0);
  });

  it('rejects invalid findings', async () => {
    await expect(scriptedAdapter([{ items: [1] }]).evaluate(promptOf(search))).rejects.toThrow(
      /pass hostedToolCodecs/,
    );
  });

  const withCodec = (codec: object) =>
    scriptedAdapter([{ text: 'Six.' }], {
      hostedToolCodecs: {
        // Codecs may be written without types.
        web_search: { kind: 'web_search', serialize: () => ({ tools: [] }), ...codec } as never,
      },
    });

  it.each([undefined, null])('accepts %s from a codec for an unused tool', async (nothing) => {
    const adapter = withCodec({ parseOutput: () => nothing });
    for (const streaming of [false, true]) {
      expect(await adapter.evaluate(promptOf(search), { streaming })).toMatchObject({
        text: 'Six.',
        hostedOutputs: {},
      });
    }
  });

  it.each([
    ['a text', 'found', 'a value of type string'],
    ['a list', [found], 'a list'],
    ['no list of invocations', { citations: [] }, 'an object with the keys "citations"'],
    ['invocations that are none', { invocations: ['x'], citations: [] }, 'an object with the keys'],
    ['a promise', Promise.resolve({ invocations: [], citations: [] }), 'a promise'],
  ])(
    'ends the run with an error that names the codec when it returns %s',
    async (_what, returned, described) => {
      const error = await evaluationFailure(
        withCodec({ parseOutput: () => returned }).evaluate(promptOf(search)),
      );
      expect(error).toMatchObject({
        code: 'evaluation-response-invalid',
        phase: 'response',
        cause: { code: 'model-response-invalid', details: { tool: 'web_search', kind: 'web_search' } },
      });
      expect(error.message).toContain(`The codec for the kind "web_search" returned ${described}`);
    },
  );

  it.each([undefined, null, 7, {}, { tools: 'all' }])(
    'ends the run before the model is asked when a codec tells a tool as %j',
    async (wire) => {
      const error = await evaluationFailure(
        withCodec({ serialize: () => wire, parseOutput: () => undefined }).evaluate(promptOf(search)),
      );
      expect(error).toMatchObject({ phase: 'render', cause: { code: 'prompt-invalid' } });
      expect(error.message).toContain('The codec for the kind "web_search" returned');
    },
  );

  it('merges findings of a turn with those of its items', async () => {
    const codec: HostedToolCodec = {
      kind: 'web_search',
      serialize: () => ({ tools: [] }),
      parseOutput: ({ items }) => ({
        invocations: items.map((item) => ({ status: 'completed', invocationId: String(item) })),
        citations: [],
      }),
    };
    const hosted = [{ toolName: 'web_search', invocations: [found], citations: [] }];
    const adapter = scriptedAdapter([{ text: 'x', hosted, items: ['a', 'b'] }], {
      hostedToolCodecs: { web_search: codec },
    });
    const { hostedOutputs } = await adapter.evaluate(promptOf(search));
    expect(hostedOutputs['web_search']?.invocations.map(({ invocationId }) => invocationId)).toEqual([
      undefined,
      'a',
      'b',
    ]);
  });
});
