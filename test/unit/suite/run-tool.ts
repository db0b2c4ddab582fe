import { expect } from 'vitest';
import type { Filesystem, MediaPart, Schema, Tool, ToolContext } from 'weakincentives';
import { compileSchema, parseInput, parseOutput } from '../../../src/core/schema/index.ts';

/** What the model gets from one call. */
export interface Answer {
  readonly success: boolean;
  readonly message: string;
  /** Rendered value of a success; '' for a failure. */
  readonly text: string;
  readonly value: unknown;
  /** Images and files of the result. */
  readonly attachments: readonly MediaPart[];
}

/**
 * Calls a tool as the runtime does: arguments against the input schema, value against the output schema, value rendered.
 * The file system is a fork, read-only for a tool with effects `'read'`; it is applied on success and dropped otherwise.
 */
export async function runTool<P, R>(
  tool: Tool<P, R>,
  filesystem: Filesystem,
  params: unknown,
): Promise<Answer> {
  const fork = filesystem.fork({ readOnly: tool.effects === 'read' });
  try {
    const parsed = await parseInput(compileSchema(schemaOf(tool.inputSchema)), params);
    if (!parsed.ok) throw new Error(`invalid arguments: ${JSON.stringify(parsed.issues)}`);
    // The file tools use nothing of the context but its file system, and the schema has just been checked.
    const context = { filesystem: fork.view } as unknown as ToolContext;
    const result = await tool.execute?.(parsed.value as P, context);
    if (result === undefined) throw new Error(`${tool.name} has no handler`);
    const { attachments = [] } = result;
    if (!result.success) {
      return { success: false, message: result.message, text: '', value: result.value, attachments };
    }
    const checked = await parseOutput(compileSchema(schemaOf(tool.outputSchema)), result.value);
    expect(checked).toMatchObject({ ok: true });
    expect(checked).not.toHaveProperty('strippedKeys');
    filesystem.apply(fork.patch());
    const { message, value } = result;
    return { success: true, message, text: tool.render?.(value) ?? '', value, attachments };
  } finally {
    fork.dispose();
  }
}

function schemaOf(schema: Schema | undefined): Schema {
  if (schema === undefined) throw new Error('the tool has no schema');
  return schema;
}
