import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { ToolRuntimeOutput } from '../../evaluation/index.ts';
import { isRecord } from '../../internal/index.ts';
import type { MediaPart } from '../../tool/index.ts';

/**
 * The result of a call as a server sends it: one text, which is what a model reads, and the attachments after it.
 *
 * @param isStructured whether the value of a success goes along as `structuredContent`.
 * @see docs/spec/mcp.md §3
 */
export function toCallToolResult(output: ToolRuntimeOutput, isStructured: boolean): CallToolResult {
  const { attachments = [], invocation, isError, text } = output;
  const content: ContentBlock[] = [{ type: 'text', text }, ...attachments.map(toBlock)];
  const { value } = invocation;
  return {
    content,
    ...(isError ? { isError } : {}),
    ...(isStructured && !isError && isRecord(value) ? { structuredContent: { ...value } } : {}),
  };
}

/** A failed result with a message that the model may read. */
export const failedResult = (message: string): CallToolResult => ({
  content: [{ type: 'text', text: message }],
  isError: true,
});

function toBlock(part: MediaPart, index: number): ContentBlock {
  const { data, mediaType } = part;
  const name = part.type === 'file' ? (part.name ?? `file ${index + 1}`) : `image ${index + 1}`;
  if (isAddress(data)) return { type: 'resource_link', uri: data, name, mimeType: mediaType };
  if (part.type === 'image') return { type: 'image', data, mimeType: mediaType };
  if (mediaType.startsWith('audio/')) return { type: 'audio', data, mimeType: mediaType };
  // The address only names the content, which is all here.
  const uri = `attachment:///${encodeURIComponent(name)}`;
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data } };
}

/** Base64 has no colon. */
const isAddress = (data: string): boolean => data.includes(':');
