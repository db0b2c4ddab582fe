import type { HostedToolCodecTable } from '../../../kit/index.ts';
import { codeInterpreterCodec, codeInterpreterCodecV3 } from './code-interpreter.ts';
import { fileSearchCodec } from './file-search.ts';
import { hostedMcpCodec } from './hosted-mcp.ts';
import { imageGenerationCodec } from './image-generation.ts';
import { webSearchCodec } from './web-search.ts';

/** The hosted tools of `@ai-sdk/openai` for the Responses API, by kind. */
export const openaiCodecs: HostedToolCodecTable = {
  web_search: webSearchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
  image_generation: imageGenerationCodec,
  mcp: hostedMcpCodec,
};

/** The same for the package of AI SDK 6. */
export const openaiCodecsV3: HostedToolCodecTable = {
  ...openaiCodecs,
  code_interpreter: codeInterpreterCodecV3,
};
