import type { ModelTool } from '../runtime/index.ts';
import type { JsonSchema } from '../schema/index.ts';
import type { Logger } from '../tool/index.ts';
import { type StrictSchema, toStrictSchema } from './strict-schema.ts';
import type { FunctionTool } from './wire.ts';

/** A tool as the provider takes it, with the way back for its arguments. */
export interface ProjectedTool {
  readonly wire: FunctionTool;
  readonly schema: StrictSchema;
}

/** Projects the schemas of one adapter, each once, and says once what of them the provider cannot be told. */
export class SchemaProjections {
  readonly #tools = new WeakMap<ModelTool, ProjectedTool>();
  readonly #answers = new WeakMap<JsonSchema, StrictSchema>();

  tool(tool: ModelTool, logger: Logger): ProjectedTool {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const schema = toStrictSchema(tool.inputSchema);
    const { name, description } = tool;
    const projected: ProjectedTool = {
      schema,
      wire: { type: 'function', name, description, parameters: schema.schema, strict: schema.strict },
    };
    this.#tools.set(tool, projected);
    report(schema, `the tool "${name}"`, logger);
    return projected;
  }

  answer(outputSchema: JsonSchema, logger: Logger): StrictSchema {
    const known = this.#answers.get(outputSchema);
    if (known !== undefined) return known;
    const schema = toStrictSchema(outputSchema);
    this.#answers.set(outputSchema, schema);
    report(schema, 'the final answer', logger);
    return schema;
  }
}

function report({ strict, losses }: StrictSchema, whose: string, logger: Logger): void {
  if (losses.length === 0) return;
  if (strict) {
    logger.info(`OpenAI cannot hold every constraint of ${whose}; values are checked here.`, { losses });
  } else {
    logger.warn(`OpenAI cannot be strict about the schema of ${whose}; values are checked here.`, { losses });
  }
}
