import { present } from '../../../core/internal/index.ts';
import type { ImageGenerationConfig, ImageGenerationResult } from '../../../suite/hosted/index.ts';
import { type HostedToolCodec, stringFields, type WireFields } from '../../kit/index.ts';
import { itemsOf, toOutput } from './calls.ts';

/** An image generator in the provider's format. */
export type ImageGenerationWire = {
  type: 'image_generation';
  output_format?: 'png' | 'webp' | 'jpeg';
  size?: string;
  quality?: 'low' | 'medium' | 'high';
  background?: 'transparent' | 'opaque';
  model?: string;
};

/** The codec of `image_generation`. */
export const imageGenerationCodec: HostedToolCodec<ImageGenerationConfig, ImageGenerationResult> = {
  kind: 'image_generation',
  serialize: ({ config }) => ({ tools: [toImageGeneration(config)] }),
  parseOutput: (turn, { config }) => ({
    invocations: itemsOf(turn, 'image_generation_call').map((item) => toResult(item, config)),
    citations: [],
  }),
};

export function toImageGeneration({
  format,
  size,
  quality,
  background,
  model,
}: ImageGenerationConfig): ImageGenerationWire {
  return {
    type: 'image_generation',
    ...present({ output_format: format, size, quality, background, model }),
  };
}

function toResult(item: WireFields, { format = 'png' }: ImageGenerationConfig): ImageGenerationResult {
  const { output_format: made, result: base64, revised_prompt: revisedPrompt } = item;
  return {
    ...toOutput(item),
    mediaType: toMediaType(typeof made === 'string' ? made : format),
    ...stringFields({ base64, revisedPrompt }),
  };
}

function toMediaType(format: string): string {
  return format === 'svg' ? 'image/svg+xml' : `image/${format}`;
}
