import { isRecord } from '../../core/internal/index.ts';
import { type JsonSchema, type JsonValue, wrapSchema } from '../../core/schema/index.ts';

/** The property that holds an answer that is not an object. */
const wrapper = 'answer';

/** The schema of an answer as Claude Code takes it: one of an object. */
export class AnswerSchema {
  /** The schema for Claude Code. */
  readonly wire: JsonSchema;
  readonly #isWrapped: boolean;

  constructor(schema: JsonSchema) {
    this.#isWrapped = schema['type'] !== 'object';
    this.wire = this.#isWrapped ? wrapSchema(schema, wrapper) : schema;
  }

  /** The answer in what Claude Code got of its model. */
  read(output: unknown): JsonValue {
    const answer = this.#isWrapped && isRecord(output) && wrapper in output ? output[wrapper] : output;
    // It was read from JSON.
    return answer as JsonValue;
  }
}
