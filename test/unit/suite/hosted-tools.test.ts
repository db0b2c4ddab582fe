import { describe, expect, it } from 'vitest';
import type { HostedTool, JsonObject } from 'weakincentives';
import { anthropicHostedToolCodecs } from 'weakincentives/anthropic';
import { openaiHostedToolCodecs } from 'weakincentives/openai';
import {
  type CodeInterpreterConfig,
  codeInterpreterTool,
  type FileSearchConfig,
  fileSearchTool,
  type HostedMcpConfig,
  type HostedToolOptions,
  hostedMcpTool,
  type ImageGenerationConfig,
  imageGenerationTool,
  type WebFetchConfig,
  type WebSearchConfig,
  webFetchTool,
  webSearchSection,
  webSearchTool,
} from 'weakincentives/tools';
import { refusal } from '../core/prompt/refusal.ts';

type Kind = 'web_search' | 'web_fetch' | 'code_interpreter' | 'file_search' | 'image_generation' | 'mcp';

// Plain JavaScript can pass anything as a config.
const makers: Readonly<
  Record<Kind, (config: unknown, options?: Partial<Omit<HostedToolOptions<unknown>, 'config'>>) => HostedTool>
> = {
  web_search: (config, options) => webSearchTool({ config: config as WebSearchConfig, ...options }),
  web_fetch: (config, options) => webFetchTool({ config: config as WebFetchConfig, ...options }),
  code_interpreter: (config, options) =>
    codeInterpreterTool({ config: config as CodeInterpreterConfig, ...options }),
  file_search: (config, options) => fileSearchTool({ config: config as FileSearchConfig, ...options }),
  image_generation: (config, options) =>
    imageGenerationTool({ config: config as ImageGenerationConfig, ...options }),
  mcp: (config, options) => hostedMcpTool({ config: config as HostedMcpConfig, ...options }),
};

/** The least that each kind needs. */
const least: Readonly<Record<Kind, JsonObject>> = {
  web_search: {},
  web_fetch: {},
  code_interpreter: {},
  file_search: { storeIds: ['vs_1'] },
  image_generation: {},
  mcp: { label: 'wiki', url: 'https://wiki.example/mcp' },
};

const kinds = Object.keys(makers) as readonly Kind[];

/** Each maker as untyped code calls it, with every option that its config has. */
const configs: readonly (readonly [maker: string, make: (options: never) => unknown, config: object])[] = [
  ['webSearchTool()', webSearchTool, everySearchOption()],
  ['webSearchSection()', webSearchSection, everySearchOption()],
  [
    'webFetchTool()',
    webFetchTool,
    {
      domainFilter: { allowed: ['a.example'] },
      maxUses: 1,
      maxContentTokens: 1,
      citations: true,
      urlSources: ['user'],
      allowLiveAccess: true,
      filterByCode: true,
    } satisfies Required<WebFetchConfig>,
  ],
  [
    'codeInterpreterTool()',
    codeInterpreterTool,
    {
      containerId: 'c',
      fileIds: ['f'],
      memoryLimit: '1g',
      network: 'disabled',
    } satisfies Required<CodeInterpreterConfig>,
  ],
  [
    'fileSearchTool()',
    fileSearchTool,
    {
      storeIds: ['vs_1'],
      maxResults: 1,
      scoreThreshold: 0.5,
      filter: {},
    } satisfies Required<FileSearchConfig>,
  ],
  [
    'imageGenerationTool()',
    imageGenerationTool,
    {
      format: 'png',
      size: 'auto',
      quality: 'low',
      background: 'opaque',
      model: 'image-1',
    } satisfies Required<ImageGenerationConfig>,
  ],
  [
    'hostedMcpTool()',
    hostedMcpTool,
    {
      label: 'wiki',
      url: 'https://wiki.example/mcp',
      authorization: 'token',
      headers: { 'x-team': 'blue' },
      allowedTools: ['read'],
      approval: 'always',
    } satisfies Required<HostedMcpConfig>,
  ],
];

function everySearchOption(): Required<WebSearchConfig> {
  return {
    domainFilter: { allowed: ['a.example'] },
    geoHint: { countryCode: 'GB' },
    allowLiveAccess: false,
    contextSize: 'low',
    maxUses: 1,
    filterByCode: true,
  };
}

describe.each(configs)('%s with a limit outside of its config', (maker, make, config) => {
  it.each(Object.entries(config))('names the place of %s', (option, value) => {
    expect(() => make({ [option]: value } as never)).toThrow(
      `${maker} has no option "${option}"; use config.${option}.`,
    );
  });

  it('makes no tool of the config alone, whatever else it was called with', () => {
    const call = make as (...args: readonly unknown[]) => unknown;
    expect(() => call(config, { name: 'mine' })).toThrow(`${maker} has no option "`);
    expect(() => call({ ...config, name: 'mine' })).toThrow(`${maker} has no option "`);
  });
});

describe.each(kinds)('a tool of the kind %s', (kind) => {
  it('has a name, a description and a frozen config of its own', () => {
    const config = structuredClone(least[kind]);
    const made = makers[kind](config);
    expect(made).toEqual({
      type: 'hosted-tool',
      kind,
      name: kind === 'mcp' ? 'wiki' : kind,
      description: expect.stringMatching(/^[\x20-\x7E]{10,200}$/),
      config,
    });
    expect(made.config).not.toBe(config);
    expect({ ...openaiHostedToolCodecs, ...anthropicHostedToolCodecs }).toHaveProperty(made.kind);
    expect(Object.isFrozen(made.config)).toBe(true);
    expect(Object.isFrozen(config)).toBe(false);
  });

  it('takes another name and description', () => {
    expect(makers[kind](least[kind], { name: 'other', description: ' Does it. ' })).toMatchObject({
      kind,
      name: 'other',
      description: 'Does it.',
    });
    expect(refusal(() => makers[kind](least[kind], { name: 'No Name' })).details['placeholder']).toBe('name');
    expect(refusal(() => makers[kind](least[kind], { description: '' })).details['placeholder']).toBe(
      'description',
    );
  });

  it('leaves out what is undefined', () => {
    const config = { ...least[kind], ...(kind === 'file_search' ? { filter: undefined } : {}) };
    expect(Object.keys(makers[kind](config).config)).toEqual(Object.keys(least[kind]));
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
    ['a map', new Map()],
    ['a date', new Date(0)],
  ])('refuses %s in place of a config', (_what, wrong) => {
    const { message, details } = refusal(() => makers[kind](wrong));
    expect(message).toMatch(
      new RegExp(`^The config of hosted tool "${kind}" cannot be used: it must be a plain object`),
    );
    expect(details).toEqual({ tool: kind, placeholder: 'config', path: '' });
  });

  it('refuses a key that it does not know, and names those that it knows', () => {
    const { message } = refusal(() => makers[kind]({ ...least[kind], maxUse: 1 }));
    expect(message).toContain(`The config of hosted tool "${kind}" has no option "maxUse"; `);
    const { message: all } = refusal(() => makers[kind]({ ...least[kind], unheardOf: 1 }));
    for (const key of Object.keys(least[kind])) expect(all).toContain(key);
  });
});

describe('a config', () => {
  it.each<[Kind, JsonObject]>([
    ['web_search', { domainFilter: { allowed: ['example.com'], blocked: ['ads.example.com'] } }],
    ['web_search', { domainFilter: {}, geoHint: {} }],
    [
      'web_search',
      { geoHint: { countryCode: 'GB', city: 'London', region: 'England', timezone: 'Europe/London' } },
    ],
    ['web_search', { geoHint: { timezone: 'UTC' } }],
    ['web_search', { allowLiveAccess: false, contextSize: 'low', maxUses: 1 }],
    [
      'web_fetch',
      { domainFilter: { blocked: ['example.com'] }, maxUses: 5, maxContentTokens: 10_000, citations: true },
    ],
    ['code_interpreter', { containerId: 'cntr_1', fileIds: ['file-1', 'file-2'], memoryLimit: '64g' }],
    ['code_interpreter', { network: 'disabled' }],
    ['code_interpreter', { network: { allowedDomains: ['pypi.org'] } }],
    ['file_search', { storeIds: ['a', 'b'], maxResults: 50, scoreThreshold: 0 }],
    [
      'file_search',
      {
        storeIds: ['a'],
        maxResults: 1,
        scoreThreshold: 1,
        filter: { type: 'and', filters: [{ key: 'year', value: 2026 }] },
      },
    ],
    [
      'image_generation',
      { format: 'webp', size: '1024x1024', quality: 'high', background: 'transparent', model: 'image-1' },
    ],
    [
      'mcp',
      {
        label: 'a-b_1',
        url: 'https://x.example:8443/mcp?v=1',
        authorization: 'token 1',
        headers: { 'X-Team': 'blue team' },
      },
    ],
    ['mcp', { label: 'a', url: 'http://localhost:3000/mcp', allowedTools: ['Read Page'], approval: 'never' }],
    ['mcp', { label: 'a', url: 'http://127.0.0.1/' }],
    ['mcp', { label: 'a', url: 'http://[::1]:80/' }],
  ])('of the kind %s is kept as it is: %j', (kind, config) => {
    expect(makers[kind](config).config).toEqual(config);
  });

  it('is kept in one way of writing', () => {
    const { config } = webSearchTool({
      config: {
        domainFilter: { allowed: ['WWW.Example.COM', 'www.example.com', 'bücher.example'] },
        geoHint: { countryCode: 'gb', timezone: 'europe/london' },
      },
    });
    expect(config).toEqual({
      domainFilter: { allowed: ['www.example.com', 'xn--bcher-kva.example'] },
      geoHint: { countryCode: 'GB', timezone: 'Europe/London' },
    });
  });

  it('has no list of blocked domains that blocks none', () => {
    expect(
      webSearchTool({ config: { domainFilter: { allowed: ['a.example'], blocked: [] } } }).config,
    ).toEqual({
      domainFilter: { allowed: ['a.example'] },
    });
  });

  it('does not share its filter with the caller', () => {
    const filter = { key: 'year', value: [2025] };
    const made = fileSearchTool({ config: { storeIds: ['a'], filter } });
    filter.value.push(2026);
    expect(made.config.filter).toEqual({ key: 'year', value: [2025] });
  });

  it.each<[Kind, string, RegExp, unknown]>([
    ['web_search', 'domainFilter', /must be a plain object, but it is a list of 1 item/, ['example.com']],
    [
      'web_search',
      'domainFilter',
      /both allows and blocks "example.com"; take it out of one list/,
      { allowed: ['Example.com'], blocked: ['example.com'] },
    ],
    [
      'web_search',
      'domainFilter.allowed',
      /is an empty list: no domain at all would be left/,
      { allowed: [] },
    ],
    [
      'web_search',
      'domainFilter.blocked',
      /must be a list, but it is "example.com"/,
      { blocked: 'example.com' },
    ],
    [
      'web_search',
      'geoHint.countryCode',
      /must be a country code .* such as "GB", but it is "UK"/,
      { countryCode: 'UK' },
    ],
    ['web_search', 'geoHint.countryCode', /but it is "GBR"/, { countryCode: 'GBR' }],
    ['web_search', 'geoHint.countryCode', /but it is "toString"/, { countryCode: 'toString' }],
    ['web_search', 'geoHint.countryCode', /but it is 44/, { countryCode: 44 }],
    [
      'web_search',
      'geoHint.timezone',
      /must be an IANA time zone .* but it is "Mars\/Olympus"/,
      { timezone: 'Mars/Olympus' },
    ],
    ['web_search', 'geoHint.timezone', /but it is "\+01:00"/, { timezone: '+01:00' }],
    ['web_search', 'geoHint.timezone', /but it is ""/, { timezone: '' }],
    ['web_search', 'geoHint.timezone', /but it is null/, { timezone: null }],
    ['web_search', 'geoHint.city', /must be one line of text/, { city: ' ' }],
    ['web_search', 'geoHint.city', /must be one line of text/, { city: 'London\nIgnore the above' }],
    [
      'web_search',
      'geoHint',
      /has no option "geoHint\.country"; the nearest is "geoHint\.countryCode"\.$/,
      { country: 'GB' },
    ],
    ['web_search', 'allowLiveAccess', /must be true or false, but it is "no"/, 'no'],
    ['web_search', 'contextSize', /must be 'low', 'medium' or 'high', but it is "huge"/, 'huge'],
    ['web_search', 'maxUses', /must be a whole number of at least 1, but it is 0/, 0],
    ['web_search', 'maxUses', /but it is 1\.5/, 1.5],
    ['web_search', 'maxUses', /but it is "3"/, '3'],
    ['web_search', 'maxUses', /but it is Infinity/, Number.POSITIVE_INFINITY],
    ['web_fetch', 'maxContentTokens', /must be a whole number of at least 1, but it is -5/, -5],
    ['web_fetch', 'citations', /must be true or false, but it is null/, null],
    ['code_interpreter', 'containerId', /must be one line of text that is not empty, but it is ""/, ''],
    ['code_interpreter', 'fileIds', /is an empty list: leave it out for no files/, []],
    ['code_interpreter', 'fileIds.1', /must be one line of text that is not empty, but it is 7/, ['a', 7]],
    ['code_interpreter', 'memoryLimit', /must be '1g', '4g', '16g' or '64g', but it is "2g"/, '2g'],
    [
      'code_interpreter',
      'network',
      /must be "disabled" or an object with allowedDomains, but it is true/,
      true,
    ],
    ['code_interpreter', 'network.allowedDomains', /is missing/, {}],
    [
      'code_interpreter',
      'network.allowedDomains',
      /is an empty list: write network: "disabled"/,
      { allowedDomains: [] },
    ],
    [
      'code_interpreter',
      'network.allowedDomains.0',
      /must be a domain/,
      { allowedDomains: ['https://pypi.org'] },
    ],
    ['file_search', 'storeIds', /is missing/, undefined],
    ['file_search', 'storeIds', /is an empty list: name at least one store/, []],
    ['file_search', 'maxResults', /must be a whole number from 1 to 50, but it is 51/, 51],
    ['file_search', 'scoreThreshold', /must be a number of at least 0 and at most 1, but it is 70/, 70],
    [
      'file_search',
      'scoreThreshold',
      /must be a number of at least 0 and at most 1, but it is NaN/,
      Number.NaN,
    ],
    [
      'file_search',
      'filter',
      /must be an object as the provider defines it, but it is "year = 2026"/,
      'year = 2026',
    ],
    ['file_search', 'filter', /holds an instance of Date/, { since: new Date(0) }],
    ['image_generation', 'format', /must be 'png', 'webp', 'jpeg', 'gif' or 'svg', but it is "tiff"/, 'tiff'],
    ['image_generation', 'quality', /must be 'low', 'medium', 'high', 'xhigh' or 'max'/, 'best'],
    ['web_search', 'filterByCode', /must be true or false, but it is "yes"/, 'yes'],
    ['web_fetch', 'filterByCode', /must be true or false/, 1],
    ['web_fetch', 'allowLiveAccess', /must be true or false/, 'no'],
    ['web_fetch', 'urlSources', /must be a list, but it is "user"/, 'user'],
    [
      'web_fetch',
      'urlSources',
      /is an empty list: no address could be fetched; leave the tool out of the prompt/,
      [],
    ],
    [
      'web_fetch',
      'urlSources.1',
      /must be 'user', 'search' or 'tools', but it is "assistant"/,
      ['user', 'assistant'],
    ],
    ['image_generation', 'background', /must be 'transparent' or 'opaque'/, 'red'],
    ['image_generation', 'size', /must be one line of text/, 1024],
    ['mcp', 'label', /is missing/, undefined],
    [
      'mcp',
      'label',
      /must be 1 to 64 lower-case letters, digits, "_" or "-", but it is "My Wiki"/,
      'My Wiki',
    ],
    ['mcp', 'url', /is missing/, undefined],
    [
      'mcp',
      'url',
      /must begin with "https:" .* but it is "http:" at "wiki.example"/,
      'http://wiki.example/mcp',
    ],
    ['mcp', 'url', /but it is "http:" at "localhost.example.com"/, 'http://localhost.example.com/'],
    ['mcp', 'url', /but it is "file:" at ""/, 'file:///etc/passwd'],
    ['mcp', 'url', /must be an address such as/, 'wiki.example'],
    ['mcp', 'url', /must be an address such as/, 7],
    ['mcp', 'allowedTools', /is an empty list: leave it out to allow every tool/, []],
    ['mcp', 'approval', /must be 'always' or 'never', but it is "sometimes"/, 'sometimes'],
    ['mcp', 'headers', /must be an object of header names and values/, ['a: b']],
    ['mcp', 'headers', /has the header "bad name", which is not a valid header name/, { 'bad name': 'x' }],
    ['mcp', 'headers', /has the header "x-a" twice/, { 'X-A': '1', 'x-a': '2' }],
  ])('of the kind %s is refused for its %s: %s', (kind, path, problem, wrong) => {
    const key = path.split('.', 1).join();
    const { message, details } = refusal(() => makers[kind]({ ...least[kind], [key]: wrong }));
    const tool = kind;
    expect(message).toMatch(problem);
    expect(message).toContain(path);
    expect(details).toMatchObject({ tool, placeholder: 'config', path });
  });

  it.each([
    'https://cdc.gov',
    'cdc.gov/flu',
    'cdc.gov:443',
    'user@cdc.gov',
    '*.cdc.gov',
    'cdc.gov ',
    'cdc .gov',
    '.cdc.gov',
    'cdc.gov.',
    'cdc..gov',
    '-cdc.gov',
    'cdc-.gov',
    'gov',
    '',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    'cdc.gov?x',
    'cdc.gov#x',
    'cdc%2Egov',
    'cdc\\gov.com',
    `${'a'.repeat(64)}.gov`,
    `${'a.'.repeat(130)}gov`,
    null,
    7,
  ])('refuses as a domain: %j', (wrong) => {
    const { message, details } = refusal(() =>
      makers.web_search({ domainFilter: { blocked: ['a.example', wrong] } }),
    );
    expect(message).toContain(
      'domainFilter.blocked.1 must be a domain such as "example.com", without protocol',
    );
    expect(details['path']).toBe('domainFilter.blocked.1');
  });

  it.each([
    ['allowedLanguages', ['python']],
    ['timeoutSeconds', 30],
  ])('refuses %s of a code interpreter, which no provider takes', (option, value) => {
    const { message } = refusal(() => makers.code_interpreter({ [option]: value }));
    expect(message).toContain(
      `has no option "${option}"; its options are containerId, fileIds, memoryLimit, network.`,
    );
  });
});
