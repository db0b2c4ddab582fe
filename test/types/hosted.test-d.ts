import { expectTypeOf, test } from 'vitest';
import {
  type Citation,
  type HostedTool,
  type HostedToolOutput,
  hostedOutputsOf,
  hostedTool,
  type PromptResponse,
  promptTemplate,
  section,
} from 'weakincentives';
import type { HostedToolCodec, HostedToolCodecTable } from 'weakincentives/provider';
import { mockHostedToolCodec, scriptedAdapter } from 'weakincentives/testing';
import {
  type CodeInterpreterResult,
  codeInterpreterTool,
  type FileSearchConfig,
  type FileSearchResult,
  fileSearchTool,
  type HostedMcpConfig,
  type HostedMcpResult,
  hostedMcpTool,
  type ImageGenerationResult,
  imageGenerationTool,
  type WebFetchResult,
  type WebSearchConfig,
  type WebSearchResult,
  webFetchTool,
  webSearchSection,
  webSearchTool,
} from 'weakincentives/tools';
import type { HostedToolOutputs } from '../../src/core/tool/hosted-tool.ts';

declare const response: PromptResponse;

type Invocation<Output> = Output & { readonly turn: number };

test('outputs have the type of their tool', () => {
  const search = hostedOutputsOf(response, webSearchTool());
  expectTypeOf(search).toEqualTypeOf<HostedToolOutputs<WebSearchResult>>();
  expectTypeOf(search.invocations).toEqualTypeOf<readonly Invocation<WebSearchResult>[]>();
  expectTypeOf(search.citations).toEqualTypeOf<readonly (Citation & { readonly turn: number })[]>();
  expectTypeOf(hostedOutputsOf(response, webFetchTool())).toEqualTypeOf<HostedToolOutputs<WebFetchResult>>();
  expectTypeOf(hostedOutputsOf(response, codeInterpreterTool())).toEqualTypeOf<
    HostedToolOutputs<CodeInterpreterResult>
  >();
  expectTypeOf(hostedOutputsOf(response, fileSearchTool({ config: { storeIds: ['a'] } }))).toEqualTypeOf<
    HostedToolOutputs<FileSearchResult>
  >();
  expectTypeOf(hostedOutputsOf(response, imageGenerationTool())).toEqualTypeOf<
    HostedToolOutputs<ImageGenerationResult>
  >();
  const wiki = hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example' } });
  expectTypeOf(hostedOutputsOf(response, wiki)).toEqualTypeOf<HostedToolOutputs<HostedMcpResult>>();
});

test('the tool of a section keeps its type', () => {
  const { hostedTools } = webSearchSection();
  expectTypeOf(hostedTools[0]).toEqualTypeOf<HostedTool<WebSearchConfig, WebSearchResult>>();
  expectTypeOf(hostedOutputsOf(response, hostedTools[0])).toEqualTypeOf<HostedToolOutputs<WebSearchResult>>();
});

test('a section of web search needs no params', () => {
  const template = promptTemplate({ ns: 'a', key: 'b', sections: [webSearchSection()] });
  expectTypeOf<Parameters<typeof template.bind>>().toExtend<readonly [params?: object, ...rest: unknown[]]>();
  section({ title: 'S', key: 's', children: [webSearchSection({ visibility: 'summary' })] });
  // @ts-expect-error a tool of the program is no hosted tool
  section({ title: 'S', key: 's', hostedTools: [{ name: 'x' }] });
});

test('configs are checked by the compiler', () => {
  // @ts-expect-error there is no such key
  webSearchTool({ config: { maxUse: 1 } });
  // @ts-expect-error there is no such key further down
  webSearchTool({ config: { geoHint: { country: 'GB' } } });
  // @ts-expect-error there is no such size
  webSearchTool({ config: { contextSize: 'huge' } });
  // @ts-expect-error stores are needed
  fileSearchTool();
  // @ts-expect-error stores are needed
  fileSearchTool({ config: { maxResults: 3 } });
  // @ts-expect-error an address is needed
  hostedMcpTool({ config: { label: 'wiki' } });
  // @ts-expect-error headers are texts
  hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example', headers: { 'X-Number': 1 } } });
  codeInterpreterTool({ config: { network: { allowedDomains: ['pypi.org'] } } });
  // @ts-expect-error all or some, never all by a word
  codeInterpreterTool({ config: { network: 'enabled' } });
  expectTypeOf(fileSearchTool({ config: { storeIds: ['a'] } }).config).toEqualTypeOf<FileSearchConfig>();
});

test('a kind of one’s own keeps its types', () => {
  const plain = hostedTool({
    kind: 'weather_lookup',
    name: 'weather',
    description: 'Weather.',
    config: { units: 'metric', places: ['Leeds'] },
  });
  expectTypeOf(plain.config).toEqualTypeOf<{
    readonly units: 'metric';
    readonly places: readonly ['Leeds'];
  }>();
  expectTypeOf(hostedOutputsOf(response, plain)).toEqualTypeOf<HostedToolOutputs>();

  interface Weather extends HostedToolOutput {
    readonly celsius: number;
  }
  type Config = { readonly units: 'metric' | 'imperial' };
  const typed = hostedTool<Config, Weather>({
    kind: 'k',
    name: 'n',
    description: 'd',
    config: { units: 'metric' },
  });
  expectTypeOf(hostedOutputsOf(response, typed).invocations[0]).toEqualTypeOf<
    Invocation<Weather> | undefined
  >();
  expectTypeOf(typed).toExtend<HostedTool>();
  expectTypeOf(typed.type).toEqualTypeOf<'hosted-tool'>();
  // @ts-expect-error: the capability is the kind.
  void typed.hostedKind;
  section({ title: 'S', key: 's', hostedTools: [typed, plain, webSearchTool()] });
});

test('a config is declared as a type, since an interface has no index signature', () => {
  interface Declared {
    readonly city: string;
  }
  const given: Declared = { city: 'Oslo' };
  const texts = { kind: 'k', name: 'n', description: 'd' } as const;
  // @ts-expect-error An interface may be extended elsewhere by what is no JSON.
  hostedTool({ ...texts, config: given });
  expectTypeOf(hostedTool({ ...texts, config: { ...given } })).toExtend<HostedTool>();
  type Written = { readonly city: string; readonly days?: number };
  const written: Written = { city: 'Oslo' };
  expectTypeOf(hostedTool({ ...texts, config: written }).config).toEqualTypeOf<Written>();
  // @ts-expect-error A date is no JSON.
  hostedTool({ ...texts, config: { since: new Date(0) } });
});

test('the code interpreter has no options that no provider has', () => {
  // @ts-expect-error The languages are what the container has.
  codeInterpreterTool({ config: { allowedLanguages: ['python'] } });
  // @ts-expect-error The provider ends what takes too long.
  codeInterpreterTool({ config: { timeoutSeconds: 30 } });
});

test('a codec speaks for the types of its kind', () => {
  const codec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
    kind: 'mcp',
    allowsSeveral: true,
    serialize: ({ config }) => {
      expectTypeOf(config).toEqualTypeOf<HostedMcpConfig>();
      return { tools: [{ type: 'mcp', server_label: config.label }] };
    },
    parseOutput: () => ({
      // @ts-expect-error an output says what it is an output of
      invocations: [{ status: 'completed' }],
      citations: [],
    }),
  };
  expectTypeOf({ mcp: codec }).toExtend<HostedToolCodecTable>();
  scriptedAdapter([], {
    hostedToolCodecs: { mcp: codec, web_search: mockHostedToolCodec({ kind: 'web_search' }) },
  });
  const mock = mockHostedToolCodec<WebSearchConfig, WebSearchResult>({ kind: 'web_search' });
  expectTypeOf(mock).toExtend<HostedToolCodec<WebSearchConfig, WebSearchResult>>();
  expectTypeOf(mock.serialized[0]?.tool.config).toEqualTypeOf<WebSearchConfig | undefined>();
});
