import { oneOf } from '../../core/error/index.ts';
import type { HostedTool, HostedToolOutput } from '../../core/tool/index.ts';
import { type HostedToolOptions, line, makeHostedTool, objectOf } from './config-check.ts';

/** How images are made. What is left out is up to the provider. */
export type ImageGenerationConfig = {
  /** Default: the provider's. `gif` and `svg` need a model that makes them. */
  readonly format?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg';
  /** As the provider writes it, such as `1024x1024` or `auto`. */
  readonly size?: string;
  readonly quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  readonly background?: 'transparent' | 'opaque';
  /** The model that makes the images. */
  readonly model?: string;
};

/** One image. */
export interface ImageGenerationResult extends HostedToolOutput {
  /** Such as `image/png`. */
  readonly mediaType: string;
  /** The image; absent when none was made. */
  readonly base64?: string;
  /** The provider's revision of the model's prompt. */
  readonly revisedPrompt?: string;
}

const config = objectOf<ImageGenerationConfig>({
  format: oneOf(['png', 'webp', 'jpeg', 'gif', 'svg']),
  size: line,
  quality: oneOf(['low', 'medium', 'high', 'xhigh', 'max']),
  background: oneOf(['transparent', 'opaque']),
  model: line,
});

const defaults = {
  kind: 'image_generation',
  description: 'Generate an image from a description.',
};

/**
 * A hosted tool of the kind `image_generation`: the provider makes images that the model asks for.
 *
 * @throws {PromptValidationError} for a config, name or description that cannot be used.
 */
export function imageGenerationTool(
  options: Partial<HostedToolOptions<ImageGenerationConfig>> = {},
): HostedTool<ImageGenerationConfig, ImageGenerationResult> {
  return makeHostedTool('imageGenerationTool()', defaults, config, options);
}
