import { isRecord } from '../../../../core/internal/index.ts';
import type { ImageGenerationConfig, ImageGenerationResult } from '../../../../suite/hosted/index.ts';
import type { HostedToolCodec } from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { invocationsOf, toOutput } from '../runs.ts';

const name = 'image_generation';

/** The codec of `image_generation`. The package does not pass on the revised prompt. */
export const imageGenerationCodec: HostedToolCodec<ImageGenerationConfig, ImageGenerationResult> = {
  kind: 'image_generation',
  serialize: ({ config: { format, size, quality, background, model } }) => ({
    tools: [
      providerTool('openai.image_generation', name, {
        outputFormat: format,
        size,
        quality,
        background,
        model,
      }),
    ],
  }),
  parseOutput: (turn, { config: { format = 'png' } }) => ({
    invocations: invocationsOf(turn, (toolName) => toolName === name).map((run) => {
      const base64 = isRecord(run.result) ? run.result['result'] : undefined;
      const output = toOutput(run);
      return typeof base64 === 'string' && base64 !== ''
        ? { ...output, mediaType: `image/${format}`, base64 }
        : { ...output, status: run.isDone ? 'failed' : output.status, mediaType: `image/${format}` };
    }),
    citations: [],
  }),
};
