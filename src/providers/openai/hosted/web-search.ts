import { present } from '../../../core/internal/index.ts';
import type { WebSearchConfig, WebSearchResult } from '../../../suite/hosted/index.ts';
import { citedUrl, type HostedToolCodec, readWebAction, toApproximateLocation } from '../../kit/index.ts';
import { citationsOf, itemsOf, toOutput } from './calls.ts';

/** A web search in the provider's format. */
export type OpenAIWebSearchWire = {
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

/** The codec of `web_search`. It requests the sources; without that a response contains only the queries. */
export const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config }) => ({
    tools: [toWebSearch(config)],
    include: ['web_search_call.action.sources'],
    unsupported: config.maxUses === undefined ? [] : ['maxUses'],
  }),
  parseOutput: (turn) => ({
    invocations: itemsOf(turn, 'web_search_call').map((item) => ({
      ...toOutput(item),
      ...readWebAction(item['action']),
    })),
    citations: citationsOf(turn, citedUrl),
  }),
};

export function toWebSearch({
  domainFilter,
  geoHint,
  allowLiveAccess = true,
  contextSize,
}: WebSearchConfig): OpenAIWebSearchWire {
  const { allowed = [], blocked = [] } = domainFilter ?? {};
  const filters = {
    ...present({
      allowed_domains: allowed.length === 0 ? undefined : [...allowed],
      blocked_domains: blocked.length === 0 ? undefined : [...blocked],
    }),
  };
  return {
    type: 'web_search',
    ...present({
      filters: Object.keys(filters).length === 0 ? undefined : filters,
      user_location: geoHint === undefined ? undefined : toApproximateLocation(geoHint),
      external_web_access: allowLiveAccess ? undefined : (false as const),
      search_context_size: contextSize,
    }),
  };
}
