export { type AnthropicOptions, anthropic } from './anthropic.ts';
export { anthropicDialect } from './anthropic-dialect.ts';
export type { AnthropicClient, AnthropicClientOptions, AnthropicRequestOptions } from './client.ts';
export { anthropicHostedToolCodecs } from './hosted/codecs.ts';
export type { AnthropicSettings } from './request-settings.ts';
export type { AnthropicRequest } from './wire.ts';
