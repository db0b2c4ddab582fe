import type { HostedToolCodecTable } from '../../../kit/index.ts';
import { codeInterpreterCodec } from './code-interpreter.ts';
import { hostedMcpCodec } from './hosted-mcp.ts';
import { webFetchCodec } from './web-fetch.ts';
import { webSearchCodec } from './web-search.ts';

/** The hosted tools of `@ai-sdk/anthropic`, by kind. */
export const anthropicCodecs: HostedToolCodecTable = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  mcp: hostedMcpCodec,
};
