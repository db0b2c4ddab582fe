import { integer } from '../../core/error/index.ts';
import type { HostedTool, HostedToolOutput } from '../../core/tool/index.ts';
import { flag, type HostedToolOptions, makeHostedTool, objectOf } from './config-check.ts';
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
