import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { describeError } from '../../../core/error/index.ts';
import { formatNumber, startOf } from '../../../core/internal/index.ts';
import {
  type CompiledSchema,
  copyUntrustedJson,
  describeIssues,
  type JsonValue,
  parseOutput,
} from '../../../core/schema/index.ts';
import { ToolResult } from '../../../core/tool/index.ts';
import type { McpAttachmentKind } from './mount-options.ts';
import { noteText, ResultMedia } from './result-media.ts';

/** How results of a tool are read. */
export interface ResultRules {
  readonly attachments: ReadonlySet<McpAttachmentKind>;
  readonly maxAttachmentBytes: number;
  readonly maxResultCharacters: number;
  /** What structured content must be; undefined: anything. */
  readonly output: CompiledSchema | undefined;
  /** Called with the reason why structured content was left out. */
  readonly onDropped: (reason: string) => void;
}

/** Most values of structured content. */
const maxValues = 100_000;

/**
 * The result of a call as the model gets it. The text of the server is what the model reads; structured content is the value, for programs. A success of the server stays one,
 * whatever else is wrong with it: what the call did has happened.
 *
 * @see docs/spec/mcp.md §7
 */
export function readResult(result: CallToolResult, rules: ResultRules): ToolResult<unknown> {
  const media = new ResultMedia(rules.attachments, rules.maxAttachmentBytes);
  const blocks = result.content.map((block) => textOf(block, media));
  const value = structuredValue(result.structuredContent, rules);
  const written = blocks.join('\n');
  const text = cut(written === '' && value !== undefined ? JSON.stringify(value) : written, rules);
  const attachments = media.attachments.length === 0 ? {} : { attachments: media.attachments };
  if (result.isError === true) {
    const message = text.trim() === '' ? 'The tool failed, and its server does not say why.' : text;
    return ToolResult.error(message, value, { excludeValueFromContext: true, ...attachments });
  }
  if (value !== undefined)
    return ToolResult.ok(value, text, { excludeValueFromContext: true, ...attachments });
  return ToolResult.ok(text, text.trim() === '' ? 'OK' : '', attachments);
}

function textOf(block: ContentBlock, media: ResultMedia): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return media.add({ data: block.data, mimeType: block.mimeType });
    case 'resource': {
      const { resource } = block;
      const { mimeType, uri } = resource;
      if ('blob' in resource) return media.add({ data: resource.blob, mimeType, uri });
      return `[resource ${noteText(uri)}${mimeType === undefined ? '' : `, ${noteText(mimeType)}`}]\n${resource.text}`;
    }
    case 'resource_link': {
      const { description, mimeType, name, size, uri } = block;
      const facts = [
        ...(mimeType === undefined ? [] : [noteText(mimeType)]),
        ...(size === undefined ? [] : [`${formatNumber(size)} bytes`]),
      ];
      const about = description === undefined ? '' : `: ${noteText(description)}`;
      return `[link to the resource ${noteText(name)} at ${noteText(uri)}${facts.map((fact) => `, ${fact}`).join('')}; it was not fetched${about}]`;
    }
    default:
      return '[content of an unknown kind: not shown]';
  }
}

/** Structured content that can be kept; undefined for none. */
function structuredValue(
  content: unknown,
  { maxResultCharacters, onDropped, output }: ResultRules,
): JsonValue | undefined {
  if (content === undefined) return undefined;
  let value: JsonValue;
  try {
    value = copyUntrustedJson(content, 'structured content', maxValues);
  } catch (error) {
    onDropped(describeError(error));
    return undefined;
  }
  if (JSON.stringify(value).length > maxResultCharacters) {
    onDropped(`It has more than ${formatNumber(maxResultCharacters)} characters.`);
    return undefined;
  }
  if (output === undefined) return value;
  const outcome = parseOutput(output, value);
  // A schema of the server is raw JSON Schema, which validates at once.
  if (outcome instanceof Promise) return undefined;
  if (outcome.ok) return value;
  onDropped(`It does not fit the output schema of the tool: ${describeIssues(outcome.issues)}`);
  return undefined;
}

function cut(text: string, { maxResultCharacters }: ResultRules): string {
  if (text.length <= maxResultCharacters) return text;
  const note = `\n[cut: the result has ${formatNumber(text.length)} characters]`;
  const start = startOf(text, Math.max(0, maxResultCharacters - note.length));
  return startOf(`${start}${note}`, maxResultCharacters);
}
