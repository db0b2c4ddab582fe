import { isRecord } from '../../../../core/internal/index.ts';
import type { WebSearchConfig, WebSearchResult, WebSearchSource } from '../../../../suite/hosted/index.ts';
import {
  configuredPaths,
  type HostedToolCodec,
  stringFields,
  stringsIn,
  type WireFields,
} from '../../../kit/index.ts';
import { domainsIn, providerTool } from '../provider-tool.ts';
import { citationsOf, groundingOf } from './grounding.ts';

/** The codec of `web_search`. The provider accepts no options, and reports all searches of an answer as one. */
export const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config: { domainFilter, allowLiveAccess = true, ...rest } }) => ({
    tools: [providerTool('google.google_search', 'google_search')],
    unsupported: configuredPaths({
      domainFilter: domainsIn(domainFilter),
      ...rest,
      allowLiveAccess: allowLiveAccess ? undefined : false,
    }),
  }),
  parseOutput: (turn) => {
    const { queries: metadata, chunks, pages } = groundingOf(turn);
    // Fetched pages are not search results.
    const fetched = new Set(pages.map(({ retrievedUrl }) => retrievedUrl));
    const found = chunks.flatMap((chunk) => toSource(chunk, fetched));
    const queries = stringsIn(metadata['webSearchQueries']);
    return {
      invocations:
        queries.length + found.length === 0
          ? []
          : [{ status: 'completed', action: 'search', queries, sources: found }],
      citations: citationsOf(turn, (chunk) => {
        const [source] = toSource(chunk, fetched);
        return source === undefined ? undefined : { type: 'url', ...source };
      }),
    };
  },
};

function toSource({ web }: WireFields, fetched: ReadonlySet<unknown>): readonly WebSearchSource[] {
  const { uri: url, title } = isRecord(web) ? web : {};
  return typeof url === 'string' && !fetched.has(url) ? [{ url, ...stringFields({ title }) }] : [];
}
