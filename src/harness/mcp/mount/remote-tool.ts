import { createHash } from 'node:crypto';
import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { canonicalJson, copyUntrustedJson, type JsonValue } from '../../../core/schema/index.ts';

/** A tool as its server lists it. */
export interface RemoteTool {
  /** Its name at the server. */
  readonly name: string;
  readonly definition: McpTool;
  /** Equal for equal definitions. */
  readonly digest: string;
  /** What of the definition is compared. */
  readonly canonical: JsonValue;
}

/** Most values that a definition may have: a model can make nothing of a schema with more. */
const maxValues = 20_000;

/**
 * Reads a tool of a list.
 *
 * @throws {SchemaError} for a definition that is nested too deep or too large.
 */
export function readRemoteTool(definition: McpTool): RemoteTool {
  const {
    annotations = null,
    description = null,
    inputSchema,
    name,
    outputSchema = null,
    title = null,
  } = definition;
  const canonical = copyUntrustedJson(
    { name, title, description, inputSchema, outputSchema, annotations },
    'a definition',
    maxValues,
  );
  return { name, definition, digest: sha256(canonical), canonical };
}

/**
 * The hash of a list of tools, which does not depend on their order: 64 hexadecimal digits.
 *
 * @see docs/spec/mcp.md §10
 */
export function pinOf(tools: readonly RemoteTool[]): string {
  const sorted = tools.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return sha256(sorted.map(({ canonical }) => canonical));
}

function sha256(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
}
