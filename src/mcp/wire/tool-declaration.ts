import type { Tool as McpTool, ToolAnnotations } from '@modelcontextprotocol/server';
import type { ModelTool } from '../../runtime/index.ts';
import type { AnyTool, ToolEffects } from '../../tool/index.ts';

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
    inputSchema: inputSchema as McpTool['inputSchema'],
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(tool === undefined ? {} : { annotations: annotationsOf(tool.effects, tool.idempotent) }),
  };
}

/**
 * The JSON Schema of the value of a tool where the protocol has a place for it: both eras take an object. A value that the model
 * must not read has none.
 */
export function structuredSchemaOf(
  tool: AnyTool | undefined,
): NonNullable<McpTool['outputSchema']> | undefined {
  const schema = tool?.compiledOutput?.outputJsonSchema;
  return schema?.['type'] === 'object' ? schema : undefined;
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
