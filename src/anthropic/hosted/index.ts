import type { HostedToolCodecs } from '../../adapter/index.ts';
import { codeInterpreterCodec } from './code-interpreter.ts';
import { remoteMcpCodec } from './remote-mcp.ts';
import { webFetchCodec } from './web-fetch.ts';
import { webSearchCodec } from './web-search.ts';

/** What the adapter can tell the provider of. Searches in stores of files, and images, are nothing it has. */
export const anthropicCodecs: HostedToolCodecs = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  mcp: remoteMcpCodec,
};
