import { type CodeInterpreterWire, codeInterpreterCodec } from './code-interpreter.ts';
import { type FileSearchWire, fileSearchCodec } from './file-search.ts';
import { type HostedMcpWire, hostedMcpCodec } from './hosted-mcp.ts';
import { type ImageGenerationWire, imageGenerationCodec } from './image-generation.ts';
import { type OpenAIWebSearchWire, webSearchCodec } from './web-search.ts';

/** A hosted tool in the provider's format. */
export type OpenAIHostedWire =
  | OpenAIWebSearchWire
  | CodeInterpreterWire
  | FileSearchWire
  | ImageGenerationWire
  | HostedMcpWire;

/** The adapter's codecs for hosted tools by kind, for use in codecs of your own. */
export const openaiHostedToolCodecs: {
  readonly web_search: typeof webSearchCodec;
  readonly code_interpreter: typeof codeInterpreterCodec;
  readonly file_search: typeof fileSearchCodec;
  readonly image_generation: typeof imageGenerationCodec;
  readonly mcp: typeof hostedMcpCodec;
} = {
  web_search: webSearchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
  image_generation: imageGenerationCodec,
  mcp: hostedMcpCodec,
};
