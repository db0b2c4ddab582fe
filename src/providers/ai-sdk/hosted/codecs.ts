import type { HostedToolCodecTable } from '../../kit/index.ts';
import type { AiSdkVersion } from '../wire/call-options.ts';
import { anthropicCodecs, anthropicCodecsV3 } from './anthropic.ts';
import { googleCodecs } from './google.ts';
import { openaiCodecs, openaiCodecsV3 } from './openai.ts';

/**
 * The built-in codecs of each provider package, for models with the same format under another provider name, such as
 * through a gateway: `aiSdk({ model, hostedToolCodecs: aiSdkHostedToolCodecs.openai })`.
 */
export const aiSdkHostedToolCodecs: Readonly<
  Record<'openai' | 'anthropic' | 'google', HostedToolCodecTable>
> = Object.freeze({ openai: openaiCodecs, anthropic: anthropicCodecs, google: googleCodecs });

/** Codecs for both versions of the interface. */
type CodecsByVersion = Readonly<Record<AiSdkVersion, HostedToolCodecTable>>;

/**
 * The provider names of models with hosted tools. Packages omit unknown tools, some of them silently, so other models have
 * no built-in codecs.
 */
const byProvider = new Map<string, CodecsByVersion>([
  ['openai.responses', { v3: openaiCodecsV3, v4: openaiCodecs }],
  ['anthropic.messages', { v3: anthropicCodecsV3, v4: anthropicCodecs }],
  ['google.generative-ai', { v3: googleCodecs, v4: googleCodecs }],
]);

/** The codecs for a model, by the name of its provider; none for an unknown name. */
export function hostedToolCodecsOf(provider: string, version: AiSdkVersion): HostedToolCodecTable {
  return byProvider.get(provider)?.[version] ?? {};
}
