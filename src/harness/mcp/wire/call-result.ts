import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { ToolRuntimeOutput } from '../../../core/evaluation/index.ts';
import { isRecord, present } from '../../../core/internal/index.ts';
import type { MediaPart } from '../../../core/tool/index.ts';

/**
 * The result of a call as a server sends it: one text, which is what a model reads, and the attachments after it. Nothing else of the call leaves the server.
 *
 * @param isStructured whether the value of a success goes along as `structuredContent`. In the place of one that the handler kept from the model
 *   goes the text.
 * @see docs/spec/mcp.md §3
 */
export function toCallToolResult(output: ToolRuntimeOutput, isStructured: boolean): CallToolResult {
  const { attachments = [], isError, text } = output;
  const content: ContentBlock[] = [{ type: 'text', text }, ...attachments.map(toBlock)];
  if (isError) return { content, isError };
  return {
    content,
    ...present({ structuredContent: isStructured ? structuredContentOf(output) : undefined }),
  };
}

function structuredContentOf({
  invocation,
  isValueExcluded,
  text,
}: ToolRuntimeOutput): Record<string, unknown> {
  const { value } = invocation;
  return isRecord(value) && isValueExcluded !== true ? { ...value } : { message: text };
}

function toBlock({ data: given, ...part }: MediaPart, index: number): ContentBlock {
  const { mediaType } = part;
  const name = part.type === 'file' ? (part.name ?? `file ${index + 1}`) : `image ${index + 1}`;
  if (/^https?:/i.test(given)) return { type: 'resource_link', uri: given, name, mimeType: mediaType };
  // Of a `data:` URL only what is after its comma; base64 has none.
  const data = given.slice(given.indexOf(',') + 1);
  if (part.type === 'image') return { type: 'image', data, mimeType: mediaType };
  if (mediaType.startsWith('audio/')) return { type: 'audio', data, mimeType: mediaType };
  // The address only names the content, which is all here.
  const uri = `attachment:///${addressable(name)}`;
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data } };
}

/** Half a surrogate pair has no place in an address. */
const addressable = (name: string): string =>
  encodeURIComponent(name.replaceAll(/\p{Surrogate}/gu, '\uFFFD'));
