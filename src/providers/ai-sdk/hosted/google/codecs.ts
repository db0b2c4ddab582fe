import type { HostedToolCodecTable } from '../../../kit/index.ts';
import { codeInterpreterCodec } from './code-interpreter.ts';
import { fileSearchCodec } from './file-search.ts';
import { webFetchCodec } from './web-fetch.ts';
import { webSearchCodec } from './web-search.ts';

/** The hosted tools of `@ai-sdk/google` for the Gemini API, by kind. */
export const googleCodecs: HostedToolCodecTable = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
};
