import { integer, oneOf } from '../../core/error/index.ts';
import type { HostedTool, HostedToolOutput } from '../../core/tool/index.ts';
import { flag, type HostedToolOptions, makeHostedTool, type ObjectCheck, objectOf } from './config-check.ts';
import { type DomainFilter, domainFilter } from './domain-filter.ts';
import { type GeoHint, geoHint } from './geo-hint.ts';

/** What a web search may do. What is left out is up to the provider. */
export type WebSearchConfig = {
  readonly domainFilter?: DomainFilter;
  readonly geoHint?: GeoHint;
  /** Whether pages may be fetched now; false: only what the provider has stored. Default: true. */
  readonly allowLiveAccess?: boolean;
  /** How much of what was found the model gets to read. */
  readonly contextSize?: 'low' | 'medium' | 'high';
  /** How often the model may search in one request; at least 1. */
  readonly maxUses?: number;
  /**
   * Whether code of the provider searches and filters what it finds, so that the model reads less. Outputs then lack the searches whose results
   * code has read. Default: false, the model itself searches.
   */
  readonly filterByCode?: boolean;
};

/** A page that a search came upon. */
export interface WebSearchSource {
  readonly url: string;
  readonly title?: string;
}

/** One thing that the model did in a web search. */
export interface WebSearchResult extends HostedToolOutput {
  readonly action: 'search' | 'open-page' | 'find-in-page';
  /** What was searched for; empty for the other actions, and where the provider does not say. */
  readonly queries: readonly string[];
  /** What was found; empty where the provider does not say. */
  readonly sources: readonly WebSearchSource[];
  /** The page that was opened or searched. */
  readonly url?: string;
  /** What was looked for on the page. */
  readonly pattern?: string;
}

/** What the config of a web search must be. */
export const webSearchConfig: ObjectCheck<WebSearchConfig> = objectOf<WebSearchConfig>({
  domainFilter,
  geoHint,
  allowLiveAccess: flag,
  contextSize: oneOf(['low', 'medium', 'high']),
  maxUses: integer({ min: 1 }),
  filterByCode: flag,
});

const defaults = {
  kind: 'web_search',
  description: 'Search the web for current information and cite sources.',
};

/**
 * A hosted tool of the kind `web_search`: the provider searches the web and the model cites what it found.
 *
 * @throws {PromptValidationError} for a config, name or description that cannot be used.
 * @see docs/spec/hosted-tools.md §4
 */
export function webSearchTool(
  options: Partial<HostedToolOptions<WebSearchConfig>> = {},
): HostedTool<WebSearchConfig, WebSearchResult> {
  return makeHostedTool('webSearchTool()', defaults, webSearchConfig, options);
}
