import type { HostedToolCodecs } from '../../adapter/index.ts';
import { type CodeInterpreterWire, codeInterpreterCodec } from './code-interpreter.ts';
import { type FileSearchWire, fileSearchCodec } from './file-search.ts';
import { type ImageGenerationWire, imageGenerationCodec } from './image-generation.ts';
import { type RemoteMcpWire, remoteMcpCodec } from './remote-mcp.ts';
import { type WebSearchWire, webSearchCodec } from './web-search.ts';

/** A hosted tool in the provider's words. */
export type HostedWire =
  | WebSearchWire
  | CodeInterpreterWire
  | FileSearchWire
  | ImageGenerationWire
  | RemoteMcpWire;

/** The kinds of hosted tools that the provider has. */
export const openaiCodecs: HostedToolCodecs = {
  web_search: webSearchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
  image_generation: imageGenerationCodec,
  mcp: remoteMcpCodec,
};
