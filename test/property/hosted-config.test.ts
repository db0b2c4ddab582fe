import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HostedTool, PromptValidationError } from 'weakincentives';
import {
  codeInterpreterTool,
  fileSearchTool,
  hostedMcpTool,
  imageGenerationTool,
  webFetchTool,
  webSearchTool,
} from 'weakincentives/tools';
import { draws, seenAtLeast } from '../support/draws.ts';

const name = fc.oneof(
  fc.domain(),
  fc.constantFrom(
    'Example.COM',
    'bücher.example',
    'ＧＯ.example',
    'xn--bcher-kva.example',
    '*.a.example',
    'a',
    'ß.example',
  ),
  fc.string(),
);
const names = fc.array(name, { maxLength: 4 });
const domainFilter = fc.record({ allowed: names, blocked: names }, { requiredKeys: [] });
const geoHint = fc.record(
  {
    countryCode: fc.oneof(fc.constantFrom('gb', 'GB', 'de', 'UK', '__proto__'), fc.string({ maxLength: 3 })),
    timezone: fc.oneof(fc.constantFrom('UTC', 'asia/calcutta', 'America/New_York', '+01:00'), fc.string()),
    city: fc.string(),
  },
  { requiredKeys: [] },
);
const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
const sometimes = <Value>(value: fc.Arbitrary<Value>) => fc.oneof({ weight: 4, arbitrary: value }, anything);

const configs: fc.Arbitrary<readonly [make: (config: never) => HostedTool, config: unknown]> = fc.oneof(
  ...[
    [
      webSearchTool,
      {
        domainFilter,
        geoHint,
        allowLiveAccess: fc.boolean(),
        maxUses: fc.integer(),
        filterByCode: fc.boolean(),
      },
    ] as const,
    [
      webFetchTool,
      {
        domainFilter,
        maxContentTokens: fc.double(),
        citations: fc.boolean(),
        urlSources: fc.array(fc.constantFrom('user', 'search', 'tools', 'system')),
        allowLiveAccess: fc.boolean(),
        filterByCode: fc.boolean(),
      },
    ] as const,
    [
      codeInterpreterTool,
      {
        containerId: fc.string(),
        fileIds: fc.array(fc.string()),
        network: fc.record({ allowedDomains: names }),
      },
    ] as const,
    [
      fileSearchTool,
      {
        storeIds: fc.array(fc.string()),
        scoreThreshold: fc.double({ min: -1, max: 2 }),
        filter: fc.dictionary(fc.string(), anything),
      },
    ] as const,
    [imageGenerationTool, { size: fc.string(), format: fc.constantFrom('png', 'gif', 'tiff') }] as const,
    [
      hostedMcpTool,
      {
        label: fc.stringMatching(/^[a-z]{1,5}$/),
        url: fc.webUrl(),
        authorization: fc.string(),
        headers: fc.dictionary(fc.string(), fc.string()),
      },
    ] as const,
  ].map(([make, keys]) =>
    fc
      .record(
        Object.fromEntries(
          Object.entries<fc.Arbitrary<unknown>>(keys).map(([key, value]) => [key, sometimes(value)]),
        ),
        { requiredKeys: [] },
      )
      // The six factories take six types; here each gets whatever was drawn for it.
      .map((config) => [(drawn: never) => make({ config: drawn }), config] as const),
  ),
);

test('a config is refused with words, or kept in a form that is kept as it is', () => {
  let kept = 0;
  fc.assert(
    fc.property(configs, ([make, config]) => {
      let made: HostedTool;
      try {
        made = make(config as never);
      } catch (error) {
        expect(PromptValidationError.isInstance(error) && error.details['placeholder']).toBe('config');
        return;
      }
      kept += 1;
      expect(make(made.config as never)).toEqual(made);
      expect(JSON.parse(JSON.stringify(made.config))).toEqual(made.config);
    }),
    { numRuns: draws(1_000) },
  );
  expect(kept).toBeGreaterThan(seenAtLeast(100));
});

test('every domain of the web can be named', () => {
  fc.assert(
    fc.property(fc.domain(), (domain) => {
      const { config } = webSearchTool({ config: { domainFilter: { allowed: [domain] } } });
      expect(config.domainFilter?.allowed).toEqual([domain.toLowerCase()]);
    }),
  );
});
