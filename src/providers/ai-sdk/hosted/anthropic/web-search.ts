import type { WebSearchConfig, WebSearchResult } from '../../../../suite/hosted/index.ts';
import {
  configuredPaths,
  type HostedToolCodec,
  readWebSources,
  stringsIn,
  toApproximateLocation,
} from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';
import { citationsOf } from './citations.ts';
import { toDomains } from './domains.ts';

const name = 'web_search';

/** The codec of `web_search`, in its basic version: later versions may run code on their own. */
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
    invocations: invocationsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: citationsOf(turn, ({ sourceType, url }) =>
      sourceType === 'url' && typeof url === 'string' ? url : undefined,
    ),
  }),
};

function toResult(run: HostedInvocation): WebSearchResult {
  return {
    ...toOutput(run),
    action: 'search',
    queries: stringsIn([run.input['query']]),
    sources: readWebSources(run.result),
  };
}
