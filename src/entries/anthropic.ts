/**
 * An adapter for Anthropic and servers with its Messages API.
 *
 * Runs in any runtime; needs the package `@anthropic-ai/sdk`.
 *
 * @module weakincentives/anthropic
 */

export { type AnthropicOptions, anthropic } from '../providers/anthropic/anthropic.ts';
export { anthropicDialect } from '../providers/anthropic/anthropic-dialect.ts';
export type {
  AnthropicClient,
  AnthropicClientOptions,
  AnthropicRequestOptions,
} from '../providers/anthropic/client.ts';
export { anthropicHostedToolCodecs } from '../providers/anthropic/hosted/codecs.ts';
export type { AnthropicSettings } from '../providers/anthropic/request-settings.ts';
export { anthropicProviderToolCodecs } from '../providers/anthropic/typed/codecs.ts';
export type { AnthropicRequest } from '../providers/anthropic/wire.ts';
