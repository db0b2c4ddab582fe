import type { HostedToolCodecs } from '../../../provider/internal.ts';
import { codeInterpreterCodec } from './code-interpreter.ts';
import { fileSearchCodec } from './file-search.ts';
import { webFetchCodec } from './web-fetch.ts';
import { webSearchCodec } from './web-search.ts';

/** The kinds of hosted tools that there are with `@ai-sdk/google` on the Gemini interface. */
export const googleCodecs: HostedToolCodecs = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
};
