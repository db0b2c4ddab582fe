import { isRecord } from '../../../internal/index.ts';
import { type HostedToolCodec, objectsIn, onlyTexts, textsIn } from '../../../provider/index.ts';
import type { JsonObject } from '../../../schema/index.ts';
import type { DomainFilter, WebSearchConfig, WebSearchResult } from '../../../suite/index.ts';
import { domainsIn, given, providerTool } from '../provider-tool.ts';
import { type HostedRun, runsOf, toOutput } from '../runs.ts';
import { annotationsOf } from './annotations.ts';

const name = 'web_search';

/** Speaks for `web_search`. The package itself asks for the sources of a search. */
export const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config }) => {
    const { domainFilter, geoHint, allowLiveAccess = true, contextSize, maxUses } = config;
    const { countryCode: country, city, region, timezone } = geoHint ?? {};
    return {
      tools: [
        providerTool('openai.web_search', name, {
          filters: toFilters(domainFilter),
          externalWebAccess: allowLiveAccess ? undefined : false,
          searchContextSize: contextSize,
          userLocation:
            geoHint === undefined
              ? undefined
              : { type: 'approximate', ...onlyTexts({ country, city, region, timezone }) },
        }),
      ],
      unsupported: given({ maxUses }),
    };
  },
  parseOutput: (turn) => ({
    invocations: runsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: annotationsOf(turn, ({ type, url, title }) =>
      type === 'url_citation' && typeof url === 'string'
        ? { type: 'url', url, ...onlyTexts({ title }) }
        : undefined,
    ),
  }),
};

function toFilters(filter: DomainFilter = {}): JsonObject | undefined {
  if (domainsIn(filter) === undefined) return undefined;
  const { allowed = [], blocked = [] } = filter;
  return {
    ...(allowed.length === 0 ? {} : { allowedDomains: allowed }),
    ...(blocked.length === 0 ? {} : { blockedDomains: blocked }),
  };
}

function toResult(run: HostedRun): WebSearchResult {
  const { action, sources, status } = isRecord(run.result) ? run.result : {};
  const { type, query, queries, url, pattern } = isRecord(action) ? action : {};
  const output = toOutput(run);
  // A search without an end is told as an error, with the stage that it came to.
  const own = run.isError && status !== 'failed' ? { ...output, status: 'incomplete' as const } : output;
  if (type === 'openPage')
    return { ...own, action: 'open-page', queries: [], sources: [], ...onlyTexts({ url }) };
  if (type === 'findInPage') {
    return { ...own, action: 'find-in-page', queries: [], sources: [], ...onlyTexts({ url, pattern }) };
  }
  const asked = textsIn(queries);
  return {
    ...own,
    action: 'search',
    queries: asked.length === 0 && typeof query === 'string' ? [query] : asked,
    sources: objectsIn(sources).flatMap(({ url: source }) =>
      typeof source === 'string' ? [{ url: source }] : [],
    ),
  };
}
