import type { ContentBlock, ServerToolCaller20260120 } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Block } from './anthropic-messages.ts';

// An answer of Anthropic whose searches and fetches were called by code, by the vendor's published types.

const program = 'for hit in web_search("tide times"): print(hit)';
const byCode: ServerToolCaller20260120 = { type: 'code_execution_20260120', tool_id: 'srv_code' };

const asked = [
  {
    type: 'server_tool_use',
    id: 'srv_code',
    name: 'code_execution',
    input: { code: program },
    caller: { type: 'direct' },
  },
  {
    type: 'server_tool_use',
    id: 'srv_search',
    name: 'web_search',
    input: { query: 'tide times' },
    caller: byCode,
  },
] as const satisfies readonly ContentBlock[];

const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srv_search',
  content: [
    {
      type: 'web_search_result',
      url: 'https://tides.example/a',
      title: 'Tides',
      encrypted_content: 'sealed-1',
      page_age: null,
    },
  ],
  caller: byCode,
} satisfies ContentBlock;

const fetched = [
  {
    type: 'server_tool_use',
    id: 'srv_fetch',
    name: 'web_fetch',
    input: { url: 'https://tides.example/a' },
    caller: byCode,
  },
  {
    type: 'web_fetch_tool_result',
    tool_use_id: 'srv_fetch',
    content: {
      type: 'web_fetch_result',
      url: 'https://tides.example/a',
      retrieved_at: '2026-11-20T10:00:00Z',
      content: {
        type: 'document',
        title: 'Tides',
        citations: { enabled: true },
        source: { type: 'text', media_type: 'text/plain', data: 'HW 06:00' },
      },
    },
    caller: byCode,
  },
] as const satisfies readonly ContentBlock[];

const done = {
  type: 'code_execution_tool_result',
  tool_use_id: 'srv_code',
  content: {
    type: 'encrypted_code_execution_result',
    encrypted_stdout: 'sealed-2',
    stderr: '',
    return_code: 0,
    content: [{ type: 'code_execution_output', file_id: 'file_1' }],
  },
} satisfies ContentBlock;

const said = {
  type: 'text',
  text: 'High water at six.',
  citations: [
    {
      type: 'web_search_result_location',
      url: 'https://tides.example/a',
      title: 'Tides',
      encrypted_index: 'sealed-3',
      cited_text: 'HW 06:00',
    },
  ],
} satisfies ContentBlock;

/** The code of the answer. */
export const filterProgram: string = program;

/** Everything that the provider did. */
export const filteredInFull: readonly Block[] = [...asked, found, ...fetched, done, said];

/** The same as the provider answers when results that code has read are excluded. */
export const filteredWithoutNested: readonly Block[] = [asked[0], done, said];

/** The search has been run, its code has not ended. */
export const filteredUntilPause: readonly Block[] = [...asked, found];

/** What follows the pause. */
export const filteredAfterPause: readonly Block[] = [done, said];

/** The answer as the newest version of the code may give it, whose caller no published type has. */
export const filteredByNewestCode: readonly Block[] = filteredInFull.map((block) =>
  'caller' in block && block !== filteredInFull[0]
    ? { ...block, caller: { type: 'code_execution_20260521', tool_id: 'srv_code' } }
    : block,
);
