import {
  configuredPaths,
  type HostedToolCodec,
  readWebSources,
  stringsIn,
  toApproximateLocation,
} from '../../../provider/internal.ts';
import type { WebSearchConfig, WebSearchResult } from '../../../suite/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedRun, runsOf, toOutput } from '../runs.ts';
import { citationsOf } from './citations.ts';
import { toDomains } from './domains.ts';

const name = 'web_search';

/** Speaks for `web_search`, in its basic version: later ones may run code by themselves. */
export const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config: { domainFilter, geoHint, allowLiveAccess = true, contextSize, maxUses } }) => {
    const { domains, unsupported } = toDomains(domainFilter);
    return {
      tools: [
        providerTool('anthropic.web_search_20250305', name, {
          maxUses,
          ...domains,
          userLocation: geoHint === undefined ? undefined : { ...toApproximateLocation(geoHint) },
        }),
      ],
      unsupported: [
        ...unsupported,
        ...configuredPaths({ allowLiveAccess: allowLiveAccess ? undefined : false, contextSize }),
      ],
    };
  },
  parseOutput: (turn) => ({
    invocations: runsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: citationsOf(turn, ({ sourceType, url }) =>
      sourceType === 'url' && typeof url === 'string' ? url : undefined,
    ),
  }),
};

function toResult(run: HostedRun): WebSearchResult {
  return {
    ...toOutput(run),
    action: 'search',
    queries: stringsIn([run.input['query']]),
    sources: readWebSources(run.result),
  };
}
