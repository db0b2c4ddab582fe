import { integer, oneOf } from '../../core/error/index.ts';
import type { HostedTool, HostedToolOutput } from '../../core/tool/index.ts';
import { flag, type HostedToolOptions, listOf, makeHostedTool, objectOf } from './config-check.ts';
import { type DomainFilter, domainFilter } from './domain-filter.ts';

/** Which pages may be fetched, and how much of them. What is left out is up to the provider. */
export type WebFetchConfig = {
  readonly domainFilter?: DomainFilter;
  /** How many pages the model may fetch in one request; at least 1. */
  readonly maxUses?: number;
  /** How much of one page the model gets to read, in tokens; at least 1. */
  readonly maxContentTokens?: number;
  /** Whether the model cites the passages that it uses. */
  readonly citations?: boolean;
  /**
   * Where an address may come from: messages of the user, results of the provider's own searches and fetches (`search`), results of tools that run
   * here (`tools`). At least one. Default: `['user', 'search']`, so that the result of a tool cannot make the model send data to an address in it;
   * with a provider that has no such limit, the provider decides.
   */
  readonly urlSources?: readonly ('user' | 'search' | 'tools')[];
  /** Whether pages are fetched now; true: always, false: only what the provider has stored. Default: up to the provider. */
  readonly allowLiveAccess?: boolean;
  /**
   * Whether code of the provider fetches and filters pages, so that the model reads less. Outputs then lack the pages that code has read. Default:
   * false, the model itself fetches.
   */
  readonly filterByCode?: boolean;
};

/** One page that was fetched, or not. */
export interface WebFetchResult extends HostedToolOutput {
  /** The requested page; absent where the provider does not report it. */
  readonly url?: string;
  readonly title?: string;
  /** Its text, or for binary documents their bytes in base64, as `mediaType` says. */
  readonly content?: string;
  readonly mediaType?: string;
  /** When the provider fetched it: ISO 8601. */
  readonly retrievedAt?: string;
}

const config = objectOf<WebFetchConfig>({
  domainFilter,
  maxUses: integer({ min: 1 }),
  maxContentTokens: integer({ min: 1 }),
  citations: flag,
  urlSources: listOf(
    oneOf(['user', 'search', 'tools']),
    'no address could be fetched; leave the tool out of the prompt',
  ),
  allowLiveAccess: flag,
  filterByCode: flag,
});

const defaults = {
  kind: 'web_fetch',
  description: 'Fetch the content of a page or document on the web by its URL.',
};

/**
 * A hosted tool of the kind `web_fetch`: the provider fetches pages whose addresses the model knows.
 *
 * @throws {PromptValidationError} for a config, name or description that cannot be used.
 */
export function webFetchTool(
  options: Partial<HostedToolOptions<WebFetchConfig>> = {},
): HostedTool<WebFetchConfig, WebFetchResult> {
  return makeHostedTool('webFetchTool()', defaults, config, options);
}
