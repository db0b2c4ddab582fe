import { isRecord, memberText } from '../../core/internal/index.ts';
import { type JsonSchema, type JsonValue, wrapSchema } from '../../core/schema/index.ts';

/** The property that holds an answer that is not an object. */
const wrapper = 'answer';

/** The schema of an answer where only objects can be asked for. */
export class AnswerSchema {
  /** The schema to ask with. */
  readonly wire: JsonSchema;
  readonly #isWrapped: boolean;

  constructor(schema: JsonSchema, isWrapped: boolean = schema['type'] !== 'object') {
    this.#isWrapped = isWrapped;
    this.wire = this.#isWrapped ? wrapSchema(schema, wrapper) : schema;
  }

  /** The text of the answer in JSON text that the model wrote; the same where it is not wrapped. */
  readText(text: string): string {
    return this.#isWrapped ? (memberText(text, wrapper) ?? text) : text;
  }

  /** The answer in what the model gave; the same where it is not wrapped. */
  read(output: unknown): JsonValue {
    const answer = this.#isWrapped && isRecord(output) && wrapper in output ? output[wrapper] : output;
    // It was read from JSON.
    return answer as JsonValue;
  }
}
