import type { HostedToolCodecs } from '../../../adapter/index.ts';
import { codeInterpreterCodec } from './code-interpreter.ts';
import { fileSearchCodec } from './file-search.ts';
import { imageGenerationCodec } from './image-generation.ts';
import { remoteMcpCodec } from './remote-mcp.ts';
import { webSearchCodec } from './web-search.ts';

/** The kinds of hosted tools that there are with `@ai-sdk/openai` on the Responses interface. */
export const openaiCodecs: HostedToolCodecs = {
  web_search: webSearchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
  image_generation: imageGenerationCodec,
  mcp: remoteMcpCodec,
};
