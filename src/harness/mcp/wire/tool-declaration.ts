import type { Tool as McpTool, ToolAnnotations } from '@modelcontextprotocol/server';
import { SchemaError } from '../../../core/error/index.ts';
import { isRecord, present } from '../../../core/internal/index.ts';
import type { ModelTool } from '../../../core/runtime/index.ts';
import type { JsonSchema } from '../../../core/schema/index.ts';
import type { AnyTool, ToolEffects } from '../../../core/tool/index.ts';

/**
 * A tool as a server lists it.
 *
 * @param isStructured whether results of the tool carry `structuredContent`.
 * @see docs/spec/mcp.md §2
 */
export function toolDeclaration(
  offered: ModelTool,
  tool: AnyTool | undefined,
  isStructured: boolean,
): McpTool {
  const { name, description, inputSchema } = offered;
  const output = isStructured ? structuredSchemaOf(tool) : undefined;
  return {
    name,
    description,
    // Arguments of a tool are an object, so its schema is one of type "object".
    inputSchema: withoutHeaders(inputSchema) as McpTool['inputSchema'],
    ...present({
      outputSchema: output,
      annotations: tool === undefined ? undefined : annotationsOf(tool.effects, tool.idempotent),
    }),
  };
}

/**
 * The JSON Schema of what results of a tool have as `structuredContent`; undefined for a tool whose values do not fit: both eras have a place for objects only. Once there is a schema, each success must
 * have content for it, so it also allows the text of the result, for values that a handler keeps from the model.
 */
export function structuredSchemaOf(
  tool: AnyTool | undefined,
): NonNullable<McpTool['outputSchema']> | undefined {
  const schema = outputSchemaOf(tool);
  if (schema?.['type'] !== 'object') return undefined;
  // References inside of the schema point to its root.
  const { $schema, $defs, definitions, ...value } = schema;
  const root = present({ $schema: typeof $schema === 'string' ? $schema : undefined, $defs, definitions });
  return { type: 'object', ...root, anyOf: [value, textInstead] };
}

const textInstead = {
  type: 'object',
  properties: { message: { type: 'string' } },
  required: ['message'],
  additionalProperties: false,
};

function outputSchemaOf(tool: AnyTool | undefined): JsonSchema | undefined {
  try {
    return tool?.compiledOutput?.outputJsonSchema;
  } catch (error) {
    // What cannot be written as JSON Schema is not declared.
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}

/** All four, since the defaults of the protocol are those of the most dangerous tool. */
function annotationsOf(effects: ToolEffects, isIdempotent: boolean): ToolAnnotations {
  const isRead = effects === 'read';
  return {
    readOnlyHint: isRead,
    // What is called "state" is rolled back when the call fails; a call that succeeds may remove files.
    destructiveHint: !isRead,
    idempotentHint: isRead || isIdempotent,
    openWorldHint: effects === 'external',
  };
}

/** The keyword by which a schema asks that an argument is sent as a header, too; a server has to compare the two then. */
const headerKeyword = 'x-mcp-header';

/** The schema without that keyword, such as one of a mounted server: this server reads arguments in the body alone. */
function withoutHeaders({ [headerKeyword]: _header, ...schema }: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const entries = Object.entries(properties).map(([name, value]) => [
    name,
    isRecord(value) ? withoutHeaders(value) : value,
  ]);
  return { ...schema, properties: Object.fromEntries(entries) };
}
