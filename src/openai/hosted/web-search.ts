import { isRecord } from '../../internal/index.ts';
import { type Fields, type HostedToolCodec, objectsIn, onlyTexts, textsIn } from '../../provider/index.ts';
import type { WebSearchConfig, WebSearchResult } from '../../suite/index.ts';
import { itemsOf, toOutput } from './calls.ts';
import { citationsOf } from './citations.ts';

/** A web search in the provider's words. */
export type WebSearchWire = {
  type: 'web_search';
  filters?: { allowed_domains?: string[]; blocked_domains?: string[] };
  user_location?: {
    type: 'approximate';
    country?: string;
    city?: string;
    region?: string;
    timezone?: string;
  };
  external_web_access?: false;
  search_context_size?: 'low' | 'medium' | 'high';
};

/** Speaks for `web_search`. What was searched and found is asked for; without that a response holds the queries alone. */
export const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config }) => ({
    tools: [toWebSearch(config)],
    include: ['web_search_call.action.sources'],
    unsupported: config.maxUses === undefined ? [] : ['maxUses'],
  }),
  parseOutput: (turn) => ({
    invocations: itemsOf(turn, 'web_search_call').map(toResult),
    citations: citationsOf(turn, ({ type, url, title }) =>
      type === 'url_citation' && typeof url === 'string'
        ? { type: 'url', url, ...onlyTexts({ title }) }
        : undefined,
    ),
  }),
};

export function toWebSearch({
  domainFilter,
  geoHint,
  allowLiveAccess = true,
  contextSize,
}: WebSearchConfig): WebSearchWire {
  const { allowed = [], blocked = [] } = domainFilter ?? {};
  const filters = {
    ...(allowed.length === 0 ? {} : { allowed_domains: [...allowed] }),
    ...(blocked.length === 0 ? {} : { blocked_domains: [...blocked] }),
  };
  return {
    type: 'web_search',
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...(geoHint === undefined ? {} : { user_location: toLocation(geoHint) }),
    ...(allowLiveAccess ? {} : { external_web_access: false }),
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
  };
}

function toLocation({
  countryCode: country,
  city,
  region,
  timezone,
}: NonNullable<WebSearchConfig['geoHint']>): NonNullable<WebSearchWire['user_location']> {
  return { type: 'approximate', ...onlyTexts({ country, city, region, timezone }) };
}

function toResult(item: Fields): WebSearchResult {
  const { type, url, pattern, query, queries, sources } = isRecord(item['action']) ? item['action'] : {};
  const output = toOutput(item);
  switch (type) {
    case 'open_page':
      return { ...output, action: 'open-page', queries: [], sources: [], ...onlyTexts({ url }) };
    case 'find_in_page':
      return { ...output, action: 'find-in-page', queries: [], sources: [], ...onlyTexts({ url, pattern }) };
    default: {
      const all = textsIn(queries);
      return {
        ...output,
        action: 'search',
        queries: all.length === 0 ? textsIn([query]) : all,
        sources: objectsIn(sources).flatMap(({ url: source, title }) =>
          typeof source === 'string' ? [{ url: source, ...onlyTexts({ title }) }] : [],
        ),
      };
    }
  }
}
