import { present } from '../../../core/internal/index.ts';
import type { WebSearchConfig, WebSearchResult } from '../../../suite/hosted/index.ts';
import {
  configuredPaths,
  type HostedToolCodec,
  readWebSources,
  stringFields,
  stringsIn,
  toApproximateLocation,
} from '../../kit/index.ts';
import { type CitedSource, citationsOf } from './citations.ts';
import { type DomainLists, toDomainLists } from './domain-lists.ts';
import { outcomeOf, type ServerCallShape, serverCallsOf } from './server-calls.ts';

/** A web search in the provider's format. */
export type AnthropicWebSearchWire = DomainLists & {
  type: 'web_search_20260318';
  name: 'web_search';
  /**
   * Only the model may call the tool. Otherwise the provider also lets code call it, which not every model supports and the
   * config did not request.
   */
  allowed_callers: ['direct'];
  max_uses?: number;
  user_location?: {
    type: 'approximate';
    country?: string;
    city?: string;
    region?: string;
    timezone?: string;
  };
};

const shape: ServerCallShape = {
  use: 'server_tool_use',
  isAbout: ({ name }) => name === 'web_search',
  results: ['web_search_tool_result'],
};

/** The codec of `web_search`. The provider decides how much of the found pages the model reads. */
export const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config }) => {
    const { geoHint, maxUses, allowLiveAccess = true, contextSize } = config;
    const { lists, unsupported } = toDomainLists(config.domainFilter);
    return {
      tools: [
        {
          type: 'web_search_20260318',
          name: 'web_search',
          allowed_callers: ['direct'],
          ...lists,
          ...present({
            max_uses: maxUses,
            user_location: geoHint === undefined ? undefined : toApproximateLocation(geoHint),
          }),
        } satisfies AnthropicWebSearchWire,
      ],
      unsupported: [
        ...unsupported,
        ...configuredPaths({ allowLiveAccess: allowLiveAccess ? undefined : false, contextSize }),
      ],
    };
  },
  parseOutput: (turn) => ({
    invocations: serverCallsOf(turn, shape).map((call) => ({
      ...outcomeOf(call),
      action: 'search',
      queries: stringsIn([call.input['query']]),
      sources: readWebSources(call.result?.['content']),
    })),
    citations: citationsOf(turn, ({ type, url, title }): CitedSource | undefined =>
      type === 'web_search_result_location' && typeof url === 'string'
        ? { type: 'url', url, ...stringFields({ title }) }
        : undefined,
    ),
  }),
};
