import { isRecord, present } from '../../../../core/internal/index.ts';
import type { JsonObject } from '../../../../core/schema/index.ts';
import type { DomainFilter, WebSearchConfig, WebSearchResult } from '../../../../suite/hosted/index.ts';
import {
  citedUrl,
  configuredPaths,
  type HostedToolCodec,
  readWebAction,
  toApproximateLocation,
} from '../../../kit/index.ts';
import { domainsIn, providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';
import { annotationsOf } from './annotations.ts';

const name = 'web_search';

/** The codec of `web_search`. The package itself requests the sources of a search. */
export const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config }) => {
    const { domainFilter, geoHint, allowLiveAccess = true, contextSize, maxUses } = config;
    return {
      tools: [
        providerTool('openai.web_search', name, {
          filters: toFilters(domainFilter),
          externalWebAccess: allowLiveAccess ? undefined : false,
          searchContextSize: contextSize,
          userLocation: geoHint === undefined ? undefined : { ...toApproximateLocation(geoHint) },
        }),
      ],
      unsupported: configuredPaths({ maxUses }),
    };
  },
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: annotationsOf(turn, citedUrl),
  }),
};

function toFilters(filter: DomainFilter = {}): JsonObject | undefined {
  if (domainsIn(filter) === undefined) return undefined;
  const { allowed = [], blocked = [] } = filter;
  return {
    ...present({
      allowedDomains: allowed.length === 0 ? undefined : allowed,
      blockedDomains: blocked.length === 0 ? undefined : blocked,
    }),
  };
}

function toResult(run: HostedInvocation): WebSearchResult {
  const { action, sources, status } = isRecord(run.result) ? run.result : {};
  const output = toOutput(run);
  // A search that did not finish is reported as an error, with its last stage.
  const own = run.isError && status !== 'failed' ? { ...output, status: 'incomplete' as const } : output;
  return { ...own, ...readWebAction(action, sources) };
}
