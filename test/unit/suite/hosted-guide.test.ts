import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HostedTool } from 'weakincentives';
import { aiSdkHostedToolCodecs } from 'weakincentives/ai-sdk';
import { anthropicHostedToolCodecs } from 'weakincentives/anthropic';
import { openaiHostedToolCodecs } from 'weakincentives/openai';
import type { HostedToolCodec, HostedToolCodecTable } from 'weakincentives/provider';
import {
  codeInterpreterTool,
  fileSearchTool,
  hostedMcpTool,
  imageGenerationTool,
  webFetchTool,
  webSearchTool,
} from 'weakincentives/tools';

const guide = readFileSync(new URL('../../../guides/web-and-hosted-tools.md', import.meta.url), 'utf8');

/** Who speaks for the providers of the guide's columns. */
const codecs: Readonly<Record<string, readonly HostedToolCodecTable[]>> = {
  OpenAI: [openaiHostedToolCodecs, aiSdkHostedToolCodecs.openai],
  Anthropic: [anthropicHostedToolCodecs, aiSdkHostedToolCodecs.anthropic],
  Google: [aiSdkHostedToolCodecs.google],
};

const server = { label: 'wiki', url: 'https://wiki.example/mcp', approval: 'never' } as const;

/** For every row of the guide's tables a tool that says it, and one that does not. */
const rows: Readonly<
  Record<string, Readonly<Record<string, readonly [says: HostedTool, saysNot: HostedTool]>>>
> = {
  web_search: {
    'domainFilter.allowed': [
      webSearchTool({ config: { domainFilter: { allowed: ['who.int'] } } }),
      webSearchTool(),
    ],
    'domainFilter.blocked': [
      webSearchTool({ config: { domainFilter: { blocked: ['who.int'] } } }),
      webSearchTool(),
    ],
    geoHint: [webSearchTool({ config: { geoHint: { countryCode: 'GB' } } }), webSearchTool()],
    'allowLiveAccess: false': [webSearchTool({ config: { allowLiveAccess: false } }), webSearchTool()],
    contextSize: [webSearchTool({ config: { contextSize: 'low' } }), webSearchTool()],
    maxUses: [webSearchTool({ config: { maxUses: 2 } }), webSearchTool()],
    filterByCode: [webSearchTool({ config: { filterByCode: true } }), webSearchTool()],
  },
  web_fetch: {
    domainFilter: [webFetchTool({ config: { domainFilter: { allowed: ['who.int'] } } }), webFetchTool()],
    maxUses: [webFetchTool({ config: { maxUses: 2 } }), webFetchTool()],
    maxContentTokens: [webFetchTool({ config: { maxContentTokens: 100 } }), webFetchTool()],
    citations: [webFetchTool({ config: { citations: true } }), webFetchTool()],
    urlSources: [webFetchTool({ config: { urlSources: ['user'] } }), webFetchTool()],
    'allowLiveAccess: true': [webFetchTool({ config: { allowLiveAccess: true } }), webFetchTool()],
    filterByCode: [webFetchTool({ config: { filterByCode: true } }), webFetchTool()],
  },
  code_interpreter: {
    containerId: [codeInterpreterTool({ config: { containerId: 'c_1' } }), codeInterpreterTool()],
    fileIds: [codeInterpreterTool({ config: { fileIds: ['f_1'] } }), codeInterpreterTool()],
    memoryLimit: [codeInterpreterTool({ config: { memoryLimit: '4g' } }), codeInterpreterTool()],
    network: [codeInterpreterTool({ config: { network: 'disabled' } }), codeInterpreterTool()],
  },
  file_search: {
    storeIds: [
      fileSearchTool({ config: { storeIds: ['a'] } }),
      fileSearchTool({ config: { storeIds: ['b'] } }),
    ],
    maxResults: [
      fileSearchTool({ config: { storeIds: ['a'], maxResults: 5 } }),
      fileSearchTool({ config: { storeIds: ['a'] } }),
    ],
    scoreThreshold: [
      fileSearchTool({ config: { storeIds: ['a'], scoreThreshold: 1 } }),
      fileSearchTool({ config: { storeIds: ['a'] } }),
    ],
    filter: [
      fileSearchTool({ config: { storeIds: ['a'], filter: { metadataFilter: 'a = 1' } } }),
      fileSearchTool({ config: { storeIds: ['a'] } }),
    ],
  },
  image_generation: {
    format: [imageGenerationTool({ config: { format: 'webp' } }), imageGenerationTool()],
    size: [imageGenerationTool({ config: { size: '1024x1024' } }), imageGenerationTool()],
    quality: [imageGenerationTool({ config: { quality: 'low' } }), imageGenerationTool()],
    background: [imageGenerationTool({ config: { background: 'opaque' } }), imageGenerationTool()],
    model: [imageGenerationTool({ config: { model: 'image-1' } }), imageGenerationTool()],
  },
  mcp: {
    label: [hostedMcpTool({ config: server }), hostedMcpTool({ config: { ...server, label: 'docs' } })],
    url: [
      hostedMcpTool({ config: server }),
      hostedMcpTool({ config: { ...server, url: 'https://docs.example/mcp' } }),
    ],
    authorization: [
      hostedMcpTool({ config: { ...server, authorization: 'token' } }),
      hostedMcpTool({ config: server }),
    ],
    headers: [
      hostedMcpTool({ config: { ...server, headers: { 'X-Team': 'blue' } } }),
      hostedMcpTool({ config: server }),
    ],
    allowedTools: [
      hostedMcpTool({ config: { ...server, allowedTools: ['read'] } }),
      hostedMcpTool({ config: server }),
    ],
    approval: [
      hostedMcpTool({ config: { ...server, approval: 'always' } }),
      hostedMcpTool({ config: { ...server, approval: 'never' } }),
    ],
  },
};

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The table below a heading. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const section = guide.slice(guide.indexOf(`\n${heading}\n`)).slice(heading.length + 1);
  const lines = section.split(/\n#/, 1).join().split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines
    .slice(start, end)
    .filter((line) => !line.startsWith('| ---'))
    .map(cellsOf);
}

/** The wire form of a tool, without the options that the codec cannot express. */
function encoded(codec: HostedToolCodec, tool: HostedTool): string {
  const { unsupported: _places, ...wire } = codec.serialize(tool, 'model');
  return JSON.stringify(wire);
}

describe('the guide on hosted tools', () => {
  it('says which provider has which kind', () => {
    const [, ...kinds] = tableOf('## Which kinds there are');
    expect(kinds.map(([kind]) => kind?.replaceAll('`', ''))).toEqual(Object.keys(rows));
    for (const [kind = '', _factory, ownOpenai, ownAnthropic, aiSdk] of kinds) {
      const has = (provider: string): readonly boolean[] =>
        (codecs[provider] ?? []).map((all) => Object.hasOwn(all, kind.replaceAll('`', '')));
      expect(new Set(has('OpenAI')), kind).toEqual(new Set([ownOpenai === 'yes']));
      expect(new Set(has('Anthropic')), kind).toEqual(new Set([ownAnthropic === 'yes']));
      const providers = Object.keys(codecs).filter((provider) => has(provider).includes(true));
      expect(aiSdk, kind).toBe(providers.join(', '));
    }
  });

  describe.each(Object.keys(rows))('on %s', (kind) => {
    const [header = [], ...body] = tableOf(`### \`${kind}\``);
    const cells = body.flatMap(([key = '', , ...says]) =>
      says.map((cell, index) => [key.replaceAll('`', ''), header[index + 2] ?? '', cell] as const),
    );

    it('names every key of the config, and every provider that has the kind', () => {
      expect(body.map(([key]) => key?.replaceAll('`', ''))).toEqual(Object.keys(rows[kind] ?? {}));
      const providers = Object.entries(codecs).filter(([, all]) =>
        all.some((each) => Object.hasOwn(each, kind)),
      );
      expect(header).toEqual(['config', 'meaning', ...providers.map(([provider]) => provider)]);
    });

    it.each(cells)('says of %s with %s: %s', (key, provider, cell) => {
      const [says, saysNot] = rows[kind]?.[key] ?? [];
      if (says === undefined || saysNot === undefined) throw new Error(`no sample for ${key}`);
      const place = key.split(':', 1).join();
      const spoken = (codecs[provider] ?? []).flatMap((all) => all[kind] ?? []);
      expect(spoken).not.toEqual([]);
      for (const [index, codec] of spoken.entries()) {
        const { unsupported = [] } = codec.serialize(says, 'model');
        // The adapter of the provider is the first of its column.
        const isRefused = cell.startsWith('`anthropic()`') ? index > 0 : /^refused|only$/.test(cell);
        if (isRefused) expect([[place], [place.split('.', 1).join()]]).toContainEqual(unsupported);
        else expect(unsupported).toEqual([]);
        if (!isRefused && /^yes|^`anthropic/.test(cell))
          expect(encoded(codec, says)).not.toBe(encoded(codec, saysNot));
      }
    });
  });
});
